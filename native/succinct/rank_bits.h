// Bits with rank, read where they lie: the lines of rank_line.h and nothing else.
//
// One line more than the bits fill, so that Rank1(size) needs no special case; bits past the end
// are zero. bit_vector.h owns its lines and has select as well.
//
// Cost. Rank1 one cache line. Space: 14.3% over the bits.
//
// Threads. A view of constant bytes: any number of readers.

#ifndef DENTATE_SUCCINCT_RANK_BITS_H_
#define DENTATE_SUCCINCT_RANK_BITS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/status.h"
#include "succinct/rank_line.h"

namespace dentate::succinct {

class RankBits {
 public:
  static constexpr std::size_t kWordsPerLine = sizeof(RankLine) / sizeof(std::uint64_t);

  RankBits() noexcept = default;
  // REQUIRES: `words` is a multiple of 64, has WordCount(bit_count) words, and outlives the view.
  explicit RankBits(const std::uint64_t* words) noexcept
      : lines_(reinterpret_cast<const RankLine*>(words)) {}

  static constexpr std::uint64_t WordCount(std::uint64_t bit_count) noexcept {
    return (bit_count / RankLine::kBits + 1) * kWordsPerLine;
  }
  // Appends the words of bits that are one at `ones`, which ascend.
  static void Write(std::span<const std::uint32_t> ones, std::uint64_t bit_count,
                    std::vector<std::uint64_t>& words);

  // Whether the counts are those of the bits, and no bit is set from `bit_count` on. O(n / 64).
  Status Validate(std::uint64_t bit_count) const;

  // Ones in [0, i). REQUIRES: i <= the count of bits.
  std::size_t Rank1(std::size_t i) const noexcept {
    const RankLine& line = lines_[i / RankLine::kBits];
    return line.ones_before + OnesInLine(line, i % RankLine::kBits);
  }

 private:
  const RankLine* lines_ = nullptr;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_RANK_BITS_H_
