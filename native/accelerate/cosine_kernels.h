// Products of a table's rows with one query, and with a panel of queries: the inner loops of cosine
// search, one table of functions for each instruction set.
//
// One query: a row after the other, in the order in which they lie, which is one stream for the
// processor to fetch ahead of. Bottleneck: memory. Four rows at a time take a tenth longer (EPYC,
// Zen 5).
//
// A panel holds up to kPanelQueries queries side by side, so that a vector register holds one value
// of several of them; its width is a multiple of kPanelLanes, and unused columns are zeros:
//
//   value j of query q = panel[j * width + q]
//
// A tile of R rows times M registers of queries is kept in R * M accumulators: for each j, M loads
// of the panel and R broadcasts of a row's value give R * M fused multiply-adds.
//
//   avx512    width 64:  6 rows x 4 registers of 16     24 accumulators of 32, 10 loads
//             width 48:  8 x 3,  width 32:  12 x 2,  width 16:  12 x 1
//   avx2      6 rows x 2 registers of 8, for each 16 queries     12 of 16, 8 loads
//   neon      6 rows x 4 registers of 4, for each 16 queries     24 of 32, 10 loads
//   scalar    plain loops
//
// The values are taken kPanelFloats / width at a time, for all rows of a block, so that this part
// of the panel (16 KiB) stays in the first-level cache; what a tile has summed so far waits in a
// buffer of the block's products meanwhile (12 KiB). The rows of the block after it are prefetched.
//
// Error: of a sum of `stride` products, in any order, at most stride * 2^-24 * sum |q[j] r[j]|.
// Kernels may differ from each other within that.

#ifndef DENTATE_ACCELERATE_COSINE_KERNELS_H_
#define DENTATE_ACCELERATE_COSINE_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "core/cpu.h"

namespace dentate::accelerate {

inline constexpr std::size_t kPanelQueries = 64;
inline constexpr std::size_t kPanelLanes = 16;
inline constexpr std::size_t kBlockRows = 48;
inline constexpr std::size_t kPanelFloats = 4096;  // of a panel at a time
// Of a table, past whose last row zeros must follow up to a multiple of this many rows.
inline constexpr std::size_t kTileRows = 24;
static_assert(kBlockRows % kTileRows == 0);
static_assert(kTileRows % 6 == 0 && kTileRows % 8 == 0 && kTileRows % 12 == 0, "whole tiles");

// The query `query` of the panel and the row `row` of the block have this cosine, about.
struct Hit {
  std::uint16_t row;
  std::uint16_t query;
  float cosine;
};

struct CosineKernels {
  Isa isa;

  // products[i], for i in [0, count), is the sum over j < stride of query[j] * rows[i * stride +
  // j]. REQUIRES: stride is a multiple of 16.
  void (*products)(const float* query, const float* rows, std::size_t stride, std::size_t count,
                   float* products);

  // Writes those of rows [0, count) and columns [0, width) whose product times inverses[row] is at
  // least least[column], in ascending order of rows, and returns how many. REQUIRES: count <=
  // kBlockRows; stride is a multiple of 16; rows up to a multiple of kTileRows are readable; room
  // for count * width hits.
  std::size_t (*hits)(const float* panel, std::size_t width, const float* rows, std::size_t stride,
                      std::size_t count, const float* inverses, const float* least, Hit* hits);
};

// The kernels of `isa`. REQUIRES: this CPU has it.
const CosineKernels& CosineKernelsFor(Isa isa) noexcept;

// Those of ActiveIsa().
const CosineKernels& ActiveCosineKernels() noexcept;

extern const CosineKernels kScalarCosineKernels;
#if defined(__x86_64__)
extern const CosineKernels kAvx2CosineKernels;
extern const CosineKernels kAvx512CosineKernels;
#elif defined(__aarch64__)
extern const CosineKernels kNeonCosineKernels;
#endif

}  // namespace dentate::accelerate

#endif  // DENTATE_ACCELERATE_COSINE_KERNELS_H_
