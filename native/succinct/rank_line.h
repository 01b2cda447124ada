// One cache line of a bit vector: 448 bits and the number of ones before them.
//
//   word     0             1        2               7
//        +-------------+--------+--------+-----+--------+
//        | ones before | bits 0 | bits 1 | ... | bits 6 |      bit i of the line: word 1 + i / 64,
//        +-------------+--------+--------+-----+--------+      bit i % 64
//
// A rank reads one line and nothing else: at sizes past the caches the miss is the cost, and the
// counters that other layouts keep elsewhere are a second one. Space: 64 bits for every 448 (14.3%
// over). With 16-bit counts it would be 3.3% and a second level of counts; bit vectors are a small
// part of this engine, so the simple one was kept.

#ifndef DENTATE_SUCCINCT_RANK_LINE_H_
#define DENTATE_SUCCINCT_RANK_LINE_H_

#include <cstddef>
#include <cstdint>

#include "succinct/kernels.h"

namespace dentate::succinct {

struct alignas(64) RankLine {
  static constexpr std::size_t kWords = 7;
  static constexpr std::size_t kBits = kWords * 64;

  std::uint64_t ones_before;
  std::uint64_t words[kWords];
};
static_assert(sizeof(RankLine) == 64, "a line is one cache line");
static_assert(RankLine::kBits == 448, "the drawing above");

// Ones among the first `bit_count` bits of the line. Here and below words are read by relaxed
// atomic loads: a writer may be filling the rest of the line.
inline std::size_t OnesInLine(const RankLine& line, std::size_t bit_count) noexcept {
  return ActiveKernels().count_ones(line.words, static_cast<std::uint32_t>(bit_count));
}

// Bits of value kBit before line number `index`.
template <bool kBit>
std::size_t BitsBefore(const RankLine& line, std::size_t index) noexcept {
  return kBit ? line.ones_before : index * RankLine::kBits - line.ones_before;
}

// Position of the bit of value kBit number k, k from 0. It lies in the lines [low, high), and
// line_at(i) is line i. Halving: log2(high - low) lines.
template <bool kBit, typename LineAt>
std::size_t SelectBetween(LineAt line_at, std::size_t low, std::size_t high,
                          std::size_t k) noexcept {
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    if (BitsBefore<kBit>(line_at(middle), middle) <= k) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const Kernels& kernels = ActiveKernels();
  const RankLine& line = line_at(low);
  std::size_t rest = k - BitsBefore<kBit>(line, low);
  for (std::size_t w = 0;; ++w) {
    const std::uint64_t ones = __atomic_load_n(&line.words[w], __ATOMIC_RELAXED);
    const std::uint64_t word = kBit ? ones : ~ones;
    const std::size_t count = kernels.count_ones(&word, 64);
    if (rest < count || w + 1 == RankLine::kWords) {
      return low * RankLine::kBits + w * 64 +
             kernels.select_in_word(word, static_cast<std::uint32_t>(rest));
    }
    rest -= count;
  }
}

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_RANK_LINE_H_
