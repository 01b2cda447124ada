// A sealed wavelet matrix as the kernels see it: pointers into its bytes, and no code.
//
// The text's symbols are cut into L digits of two bits, highest first. Level k holds digit k of
// every symbol; level 0 in the order of the text, level k + 1 sorted stably by level k's digit:
//
//   level 0   digits of the text, in its order
//   level 1   | of those whose digit 0 was 0 | ... 1 | ... 2 | ... 3 |   each in level 0's order
//
// so that the symbol at position i of level k, if its digit there is d, stands at position
// next(k, d, i) = (digits below d in all of level k) + (digits d in [0, i)) of level k + 1. All
// operations are made of next() and its inverse. After the last level equal symbols are one run.
//
// A level is a row of lines of 64 bytes, one cache line each:
//
//   word    0                     1 .. 3         4 .. 6         7
//        +-----------------------+--------------+--------------+-------------------------+
//        | c3 | c2 | c1 | c0     | low bits of  | high bits of | high 223..192 | low     |
//        +-----------------------+--------------+--------------+-------------------------+
//   bits  63 .. 16 .. 0            digits 0..191  digits 0..191   63..32          31..0
//
//   c_d     digits d in the lines before this one of its block of 256 lines
//   supers  four u32 a block: next(k, d, first position of the block)
//
// Hence next(k, d, i) = supers[i / 224 / 256][d] + c_d of line i / 224 + the digits d among the
// first i % 224 of that line: one cache line, as the supers (16 bytes for 57,344 symbols) stay in
// L1 or L2.
//
// Space. 64 bytes for 224 digits: 2.29 bits a digit, where two planes and a 6.25% rank support each
// take 2.13. In exchange a level costs one miss where two binary levels cost two or four.
//
// Sources: F. Claude, G. Navarro, A. Ordóñez, "The wavelet matrix", Inf. Syst. 2015; M. Ceregini,
// F. Kurpicz, R. Venturini, "Faster Wavelet Trees with Quad Vectors", 2023.

#ifndef DENTATE_SUCCINCT_QUAD_VIEW_H_
#define DENTATE_SUCCINCT_QUAD_VIEW_H_

#include <cstdint>

namespace dentate::succinct {

struct QuadView {
  const std::uint64_t* lines;    // level k from k * line_count * 8
  const std::uint32_t* supers;   // level k from k * super_count * 4
  const std::uint32_t* samples;  // level k from k * sample_count
  std::uint32_t size;
  std::uint32_t levels;
  std::uint32_t line_count;
  std::uint32_t super_count;
  std::uint32_t sample_count;
  // The starts (symbol_starts.h); start_high is null when the matrix has none.
  std::uint32_t start_low_bits;
  const std::uint64_t* start_high;
  const std::uint64_t* start_low;
  const std::uint32_t* start_samples;
  const std::uint32_t* start_long_blocks;
};

// A half-open run of positions on one level.
struct Interval {
  std::uint32_t start;
  std::uint32_t end;
  std::uint32_t size() const noexcept { return end - start; }
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_QUAD_VIEW_H_
