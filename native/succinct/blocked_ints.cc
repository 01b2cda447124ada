#include "succinct/blocked_ints.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace dentate::succinct {

void BlockedInts::Write(std::span<const std::int64_t> values, std::vector<std::uint64_t>& words) {
  const std::size_t blocks = words.size();
  words.resize(blocks + BlockWordCount(values.size()));
  const std::size_t numbers = words.size();
  std::array<std::uint64_t, kPerBlock> offsets;
  for (std::size_t first = 0; first < values.size(); first += kPerBlock) {
    const auto block = values.subspan(first, std::min(kPerBlock, values.size() - first));
    const auto base = static_cast<std::uint64_t>(*std::min_element(block.begin(), block.end()));
    std::uint64_t unit = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      // Unsigned: the difference of any two 64-bit numbers fits.
      offsets[i] = static_cast<std::uint64_t>(block[i]) - base;
      unit = std::gcd(unit, offsets[i]);
    }
    std::uint64_t largest = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (unit != 0) offsets[i] /= unit;
      largest = std::max(largest, offsets[i]);
    }
    const unsigned width = PackedInts::WidthOf(largest);
    std::uint64_t* const header = words.data() + blocks + first / kPerBlock * kBlockWords;
    header[0] = base;
    header[1] = unit;
    header[2] = (words.size() - numbers) << 8 | width;
    PackedInts::Write(std::span<const std::uint64_t>(offsets).first(block.size()), width, words);
  }
}

Status BlockedInts::Validate() const {
  Status bad(ErrorCode::kCorruption, "blocks of numbers lie outside their section");
  const std::uint64_t block_words = BlockWordCount(count_);
  if (words_.size() < block_words) return bad;
  std::uint64_t expected = 0;
  for (std::size_t first = 0; first < count_; first += kPerBlock) {
    const std::uint64_t header = words_[first / kPerBlock * kBlockWords + 2];
    const unsigned width = header & 0xff;
    if (width > 64 || header >> 8 != expected) return bad;
    expected += PackedInts::WordCount(std::min(kPerBlock, count_ - first), width);
  }
  return words_.size() == block_words + expected ? Status::Ok() : bad;
}

}  // namespace dentate::succinct
