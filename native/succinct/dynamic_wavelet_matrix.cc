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
  live_.AccessMany(positions, out);
}

void DynamicWaveletMatrix::AccessRange(std::uint32_t start, std::uint32_t end,
                                       std::uint32_t* out) const {
  const EpochGuard guard;
  live_.AccessRange(start, end, out);
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
  live_.RankMany(symbols, positions, out);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (!Occurs(symbols[i])) out[i] = 0;
  }
}

std::uint32_t DynamicWaveletMatrix::Count(std::uint32_t symbol) const {
  if (!Occurs(symbol)) return 0;
  const EpochGuard guard;
  return live_.Rank(symbol, live_.size());
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
  const EpochGuard guard;
  const std::uint32_t size = live_.size();
  live_.SelectMany(symbols, ks, out);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (!Occurs(symbols[i]) || out[i] >= size) out[i] = kNotFound;
  }
}

std::size_t DynamicWaveletMatrix::Occurrences(std::uint32_t symbol, std::uint32_t from,
                                              std::span<std::uint32_t> out) const {
  if (!Occurs(symbol)) return 0;
  const EpochGuard guard;
  const std::uint32_t size = live_.size();
  std::size_t count = live_.Occurrences(symbol, from, out);
  while (count > 0 && out[count - 1] >= size) --count;  // not published yet
  return count;
}

}  // namespace dentate::succinct
