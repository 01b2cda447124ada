// The succinct structures' kernels: one table per instruction set.
//
// A table is chosen once by core/cpu.h (DENTATE_KERNEL forces one by name). The baseline object has
// no POPCNT, so even one query goes through the table, as a whole: an indirect call for each query,
// none inside. An object that asks many questions keeps the reference that ActiveKernels() returns.
//
//   table   single queries   batches, one line                      building a line
//   scalar  SWAR             as single queries                      plain C++, 1 symbol
//   avx2    POPCNT, BMI2     byte-shuffle popcount, 4 words at once MOVMSKPS, 8 symbols
//   avx512  POPCNT, BMI2     VPOPCNTQ, 4 words at once              VPTESTMD, 16 symbols
//
// Single queries are chains of dependent cache misses: a vector popcount adds latency to each link
// (8-10% slower, measured with a prototype), so they use POPCNT. Batches are bound by instructions
// and memory parallelism instead.

#ifndef DENTATE_SUCCINCT_KERNELS_H_
#define DENTATE_SUCCINCT_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "succinct/huffman_view.h"
#include "succinct/quad_view.h"

namespace dentate::succinct {

struct Kernels {
  static constexpr std::uint32_t kNotFound = 0xffffffff;

  const char* name;  // "scalar", "avx2", "avx512": also what DENTATE_KERNEL accepts.

  // Ones among the first `bit_count` bits of `words`. Words are read by relaxed atomic loads, so a
  // writer may be setting bits at and after `bit_count` meanwhile.
  // REQUIRES: bit_count <= 448, a line of RankLine.
  std::uint32_t (*count_ones)(const std::uint64_t* words, std::uint32_t bit_count);

  // Position of the one bit number k, k from 0. REQUIRES: k < popcount(word).
  std::uint32_t (*select_in_word)(std::uint64_t word, std::uint32_t k);

  // Packs digit (symbol >> shift) & 3 of 224 symbols into words 1..7 of a line, and returns how
  // many of each digit there are, 16 bits each, digit 0 lowest.
  std::uint64_t (*pack_line)(const std::uint32_t* symbols, std::uint32_t shift,
                             std::uint64_t* line);

  // Queries on a sealed matrix; wavelet_matrix.h says what each answers. A symbol with bits above
  // the view's levels occurs nowhere. REQUIRES: positions < size (access), <= size (rank).
  std::uint32_t (*access)(const QuadView& view, std::uint32_t i);
  std::uint32_t (*rank)(const QuadView& view, std::uint32_t symbol, std::uint32_t i);
  std::uint32_t (*select)(const QuadView& view, std::uint32_t symbol, std::uint32_t k);
  // The run of `symbol` in the order after the last level: its size is the symbol's count.
  Interval (*run)(const QuadView& view, std::uint32_t symbol);
  void (*access_many)(const QuadView& view, const std::uint32_t* positions, std::size_t count,
                      std::uint32_t* out);
  void (*rank_many)(const QuadView& view, const std::uint32_t* symbols,
                    const std::uint32_t* positions, std::size_t count, std::uint32_t* out);
  void (*select_many)(const QuadView& view, const std::uint32_t* symbols, const std::uint32_t* ks,
                      std::size_t count, std::uint32_t* out);
  // Replaces ascending positions of `symbol` after the last level by its positions in the text.
  void (*lift)(const QuadView& view, std::uint32_t symbol, std::uint32_t* positions,
               std::size_t count);
  // Symbols [start, start + count), level by level; scratch holds 6 * count.
  void (*access_span)(const QuadView& view, std::uint32_t start, std::uint32_t count,
                      std::uint32_t* scratch, std::uint32_t* out);
  // Where the four digits of level `level` in `interval` go on the next level.
  void (*children)(const QuadView& view, std::uint32_t level, Interval interval, Interval* out);

  // Queries on a Huffman-shaped matrix (huffman_matrix.h). Symbols [start, start + count); scratch
  // holds 8 * count.
  void (*huffman_span)(const HuffmanView& view, std::uint32_t start, std::uint32_t count,
                       std::uint32_t* scratch, std::uint32_t* out);
  // Replaces ascending positions of `symbol` after its last level by its positions in the text.
  void (*huffman_lift)(const HuffmanView& view, std::uint32_t symbol, std::uint32_t* positions,
                       std::size_t count);
  // Occurrences of `symbol` in the interval.
  std::uint32_t (*huffman_count)(const HuffmanView& view, std::uint32_t symbol, Interval interval);
};

// The table in use, constant for the life of the process; any thread.
const Kernels& ActiveKernels() noexcept;

// Every table this CPU can run, fastest first; the last is always scalar.
std::span<const Kernels* const> SupportedKernels() noexcept;

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_KERNELS_H_
