#include "succinct/rank_bits.h"

#include <algorithm>

namespace dentate::succinct {

void RankBits::Write(std::span<const std::uint32_t> ones, std::uint64_t bit_count,
                     std::vector<std::uint64_t>& words) {
  const std::size_t first = words.size();
  words.resize(first + WordCount(bit_count));
  std::uint64_t* const lines = words.data() + first;
  std::size_t next = 0;
  for (std::uint64_t line = 0; line <= bit_count / RankLine::kBits; ++line) {
    lines[line * kWordsPerLine] = next;
    for (; next < ones.size() && ones[next] / RankLine::kBits == line; ++next) {
      const std::uint64_t bit = ones[next] % RankLine::kBits;
      lines[line * kWordsPerLine + 1 + bit / 64] |= std::uint64_t{1} << bit % 64;
    }
  }
}

Status RankBits::Validate(std::uint64_t bit_count) const {
  std::size_t ones = 0;
  for (std::uint64_t line = 0; line <= bit_count / RankLine::kBits; ++line) {
    const std::size_t here =
        std::min<std::size_t>(bit_count - line * RankLine::kBits, RankLine::kBits);
    const std::size_t counted = OnesInLine(lines_[line], RankLine::kBits);
    if (lines_[line].ones_before != ones || OnesInLine(lines_[line], here) != counted) {
      return {ErrorCode::kCorruption, "rank counts differ from their bits"};
    }
    ones += counted;
  }
  return Status::Ok();
}

}  // namespace dentate::succinct
