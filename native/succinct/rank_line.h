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

namespace dentate::succinct {

struct alignas(64) RankLine {
  static constexpr std::size_t kWords = 7;
  static constexpr std::size_t kBits = kWords * 64;

  std::uint64_t ones_before;
  std::uint64_t words[kWords];
};
static_assert(sizeof(RankLine) == 64, "a line is one cache line");
static_assert(RankLine::kBits == 448, "the drawing above");

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_RANK_LINE_H_
