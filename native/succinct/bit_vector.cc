#include "succinct/bit_vector.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace dentate::succinct {
namespace {

constexpr std::uint64_t LowBits(std::size_t count) noexcept {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

void BitVector::Builder::Append(std::uint64_t bits, std::size_t count) {
  assert(count <= 64);
  bits &= LowBits(count);
  const std::size_t used = bit_count_ % 64;
  if (used == 0) {
    if (count > 0) words_.push_back(bits);
  } else {
    words_.back() |= bits << used;
    if (used + count > 64) words_.push_back(bits >> (64 - used));
  }
  bit_count_ += count;
}

BitVector BitVector::Builder::Build() {
  BitVector built(words_, bit_count_);
  words_.clear();
  bit_count_ = 0;
  return built;
}

BitVector::BitVector(std::span<const std::uint64_t> words, std::size_t bit_count)
    : lines_(bit_count / RankLine::kBits + 1), size_(bit_count) {
  assert(words.size() * 64 >= bit_count);
  for (std::size_t index = 0; index < lines_.size(); ++index) {
    RankLine& line = lines_[index];
    const std::size_t first = index * RankLine::kBits;
    const std::size_t here = std::min(bit_count - first, RankLine::kBits);
    for (std::size_t w = 0; w * 64 < here; ++w) {
      line.words[w] = words[first / 64 + w] & LowBits(here - w * 64);
    }
    line.ones_before = one_count_;
    const std::size_t ones = OnesInLine(line, here);
    // A line has fewer bits than a sample's reach: at most one sample of each kind.
    const auto sample = static_cast<std::uint32_t>(index);
    if (one_count_ + ones > one_samples_.size() * kBitsPerSample) one_samples_.push_back(sample);
    const std::size_t zeros = first + here - one_count_ - ones;
    if (zeros > zero_samples_.size() * kBitsPerSample) zero_samples_.push_back(sample);
    one_count_ += ones;
  }
}

bool BitVector::Get(std::size_t i) const noexcept {
  assert(i < size_);
  const std::size_t offset = i % RankLine::kBits;
  return (lines_[i / RankLine::kBits].words[offset / 64] >> offset % 64 & 1) != 0;
}

template <bool kBit>
std::size_t BitVector::Select(std::size_t k) const noexcept {
  if (k >= (kBit ? one_count_ : size_ - one_count_)) return kNotFound;
  const auto& samples = kBit ? one_samples_ : zero_samples_;
  const std::size_t sample = k / kBitsPerSample;
  const std::size_t high =
      sample + 1 < samples.size() ? std::size_t{samples[sample + 1]} + 1 : lines_.size();
  const auto line_at = [this](std::size_t i) -> const RankLine& { return lines_[i]; };
  return SelectBetween<kBit>(line_at, samples[sample], high, k);
}

template std::size_t BitVector::Select<true>(std::size_t) const noexcept;
template std::size_t BitVector::Select<false>(std::size_t) const noexcept;

}  // namespace dentate::succinct
