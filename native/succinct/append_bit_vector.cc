#include "succinct/append_bit_vector.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "succinct/kernels.h"

namespace dentate::succinct {
namespace {

constexpr std::uint64_t LowBits(std::size_t count) noexcept {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

void AppendBitVector::Reserve(std::size_t bit_count) {
  lines_.Reserve((bit_count + RankLine::kBits - 1) / RankLine::kBits);
  // Any of the new bits may be a one, and any a zero.
  const std::size_t new_bits = bit_count > end_ ? bit_count - end_ : 0;
  one_samples_.Reserve((ones_ + new_bits + kBitsPerSample - 1) / kBitsPerSample);
  zero_samples_.Reserve((end_ - ones_ + new_bits + kBitsPerSample - 1) / kBitsPerSample);
}

void AppendBitVector::Append(std::uint64_t bits, std::size_t count) {
  assert(count <= 64);
  Reserve(end_ + count);
  AppendUnpublished(bits & LowBits(count), count);
  size_.store(end_, std::memory_order_release);
}

void AppendBitVector::AppendRun(bool bit, std::size_t count) {
  Reserve(end_ + count);
  const std::uint64_t bits = bit ? ~std::uint64_t{0} : 0;
  while (count > 0) {
    const std::size_t step = std::min<std::size_t>(count, 64);
    AppendUnpublished(bits & LowBits(step), step);
    count -= step;
  }
  size_.store(end_, std::memory_order_release);
}

// Appends piece by piece, each within one word. REQUIRES: room reserved; bits past count are zero.
void AppendBitVector::AppendUnpublished(std::uint64_t bits, std::size_t count) {
  while (count > 0) {
    const std::size_t line_index = end_ / RankLine::kBits;
    const std::size_t offset = end_ % RankLine::kBits;
    if (offset == 0) lines_.push_back(RankLine{ones_, {}});
    assert(line_index <= std::numeric_limits<std::uint32_t>::max());
    const std::size_t step = std::min(count, 64 - offset % 64);
    const std::uint64_t piece = bits & LowBits(step);
    std::uint64_t& word = lines_.Mutable(line_index).words[offset / 64];
    __atomic_store_n(&word, word | piece << offset % 64, __ATOMIC_RELAXED);

    // At most 64 bits were added, so at most one multiple of kBitsPerSample was crossed by each.
    const std::size_t ones_added = kScalarKernels.count_ones(&piece, 64);
    const auto sample = static_cast<std::uint32_t>(line_index);
    const std::size_t ones_after = ones_ + ones_added;
    const std::size_t zeros_after = end_ - ones_ + step - ones_added;
    if (ones_after > one_samples_.size() * kBitsPerSample) one_samples_.push_back(sample);
    if (zeros_after > zero_samples_.size() * kBitsPerSample) zero_samples_.push_back(sample);
    ones_ = ones_after;
    end_ += step;
    bits = step == 64 ? 0 : bits >> step;
    count -= step;
  }
}

bool AppendBitVector::Get(std::size_t i) const noexcept {
  assert(i < size());
  const std::size_t offset = i % RankLine::kBits;
  const std::uint64_t& word = lines_[i / RankLine::kBits].words[offset / 64];
  return (__atomic_load_n(&word, __ATOMIC_RELAXED) >> offset % 64 & 1) != 0;
}

std::size_t AppendBitVector::Rank1(std::size_t i) const noexcept {
  assert(i <= size());
  const std::size_t offset = i % RankLine::kBits;
  if (offset == 0) {
    if (i == 0) return 0;
    // The line that starts at i may not exist yet: count to the end of the one before.
    const RankLine& before = lines_[i / RankLine::kBits - 1];
    return before.ones_before + OnesInLine(before, RankLine::kBits);
  }
  const RankLine& line = lines_[i / RankLine::kBits];
  return line.ones_before + OnesInLine(line, offset);
}

template <bool kBit>
std::size_t AppendBitVector::Select(std::size_t k) const noexcept {
  const std::size_t end = size();
  const std::size_t ones = Rank1(end);
  if (k >= (kBit ? ones : end - ones)) return kNotFound;

  // The answer lies in [low, high): the sample at or before k, and the one after it or the end.
  const auto& samples = kBit ? one_samples_ : zero_samples_;
  const std::size_t sample = k / kBitsPerSample;
  std::size_t high = (end - 1) / RankLine::kBits + 1;
  if (sample + 1 < samples.size()) high = std::min<std::size_t>(high, samples[sample + 1] + 1);
  const auto line_at = [this](std::size_t i) -> const RankLine& { return lines_[i]; };
  return SelectBetween<kBit>(line_at, samples[sample], high, k);
}

template std::size_t AppendBitVector::Select<true>(std::size_t) const noexcept;
template std::size_t AppendBitVector::Select<false>(std::size_t) const noexcept;

}  // namespace dentate::succinct
