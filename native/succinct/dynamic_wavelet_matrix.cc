#include "succinct/dynamic_wavelet_matrix.h"

#include "succinct/epoch.h"

namespace dentate::succinct {

std::uint32_t DynamicWaveletMatrix::Access(std::uint32_t i) const {
  const EpochGuard guard;
  return live_.Access(i);
}

void DynamicWaveletMatrix::AccessMany(std::span<const std::uint32_t> positions,
                                      std::uint32_t* out) const {
  const EpochGuard guard;
  for (std::size_t i = 0; i < positions.size(); ++i) out[i] = live_.Access(positions[i]);
}

void DynamicWaveletMatrix::AccessRange(std::uint32_t start, std::uint32_t end,
                                       std::uint32_t* out) const {
  const EpochGuard guard;
  for (std::uint32_t i = start; i < end; ++i) *out++ = live_.Access(i);
}

std::uint32_t DynamicWaveletMatrix::Rank(std::uint32_t symbol, std::uint32_t i) const {
  if (!Occurs(symbol)) return 0;
  const EpochGuard guard;
  return live_.Rank(symbol, i);
}

void DynamicWaveletMatrix::RankMany(std::span<const std::uint32_t> symbols,
                                    std::span<const std::uint32_t> positions,
                                    std::uint32_t* out) const {
  const EpochGuard guard;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    out[i] = Occurs(symbols[i]) ? live_.Rank(symbols[i], positions[i]) : 0;
  }
}

std::uint32_t DynamicWaveletMatrix::Count(std::uint32_t symbol) const {
  if (!Occurs(symbol)) return 0;
  const EpochGuard guard;
  return live_.Count(symbol, live_.size());
}

std::uint32_t DynamicWaveletMatrix::Select(std::uint32_t symbol, std::uint32_t k) const {
  if (!Occurs(symbol)) return kNotFound;
  const EpochGuard guard;
  const std::uint32_t size = live_.size();
  const std::uint32_t position = live_.Select(symbol, k);
  return position < size ? position : kNotFound;
}

void DynamicWaveletMatrix::SelectMany(std::span<const std::uint32_t> symbols,
                                      std::span<const std::uint32_t> ks, std::uint32_t* out) const {
  for (std::size_t i = 0; i < symbols.size(); ++i) out[i] = Select(symbols[i], ks[i]);
}

std::size_t DynamicWaveletMatrix::Occurrences(std::uint32_t symbol, std::uint32_t from,
                                              std::span<std::uint32_t> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = Select(symbol, from + static_cast<std::uint32_t>(i));
    if (out[i] == kNotFound) return i;
  }
  return out.size();
}

}  // namespace dentate::succinct
