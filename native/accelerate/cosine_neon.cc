// One query with NEON: fmla, in four chains.
//
// Panels: 6 rows x 16 queries in 24 of the 32 registers.
//
//   ldr     q         4 queries' values, four times for each j
//   fmla    v.4s, v.4s, v.s[0]   24 of them; a row's value is a lane of a register
//   fcmge   v.4s      4 products against what is worth a look
//
// Bottleneck: the units that multiply.

#if defined(__aarch64__)

#include <arm_neon.h>

#include "accelerate/cosine_kernels.h"

namespace dentate::accelerate {
namespace {

constexpr std::size_t kRows = 6;       // of a tile
constexpr std::size_t kLanes = 4;      // queries in a register
constexpr std::size_t kRegisters = 4;  // of queries
static_assert(kLanes * kRegisters == kPanelLanes && kBlockRows % kRows == 0);

void Products(const float* query, const float* rows, std::size_t stride, std::size_t count,
              float* products) {
  constexpr std::size_t kChains = 4;
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    float32x4_t sums[kChains];
    for (float32x4_t& sum : sums) sum = vdupq_n_f32(0);
    for (std::size_t j = 0; j < stride; j += kChains * kLanes) {
      for (std::size_t c = 0; c < kChains; ++c) {
        sums[c] =
            vfmaq_f32(sums[c], vld1q_f32(query + j + c * kLanes), vld1q_f32(row + j + c * kLanes));
      }
    }
    products[i] = vaddvq_f32(vaddq_f32(vaddq_f32(sums[0], sums[1]), vaddq_f32(sums[2], sums[3])));
  }
}

// Adds `depth` values of kRows rows to their products with 16 queries; a first call starts from
// zero.
inline __attribute__((always_inline)) void Tile(const float* panel, std::size_t width,
                                                const float* rows, std::size_t stride,
                                                std::size_t depth, bool first, float* sums) {
  float32x4_t total[kRows][kRegisters];
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (std::size_t m = 0; m < kRegisters; ++m) {
      total[r][m] = first ? vdupq_n_f32(0) : vld1q_f32(sums + r * width + m * kLanes);
    }
  }
  for (std::size_t j = 0; j < depth; ++j) {
    float32x4_t queries[kRegisters];
#pragma GCC unroll 4
    for (std::size_t m = 0; m < kRegisters; ++m) {
      queries[m] = vld1q_f32(panel + j * width + m * kLanes);
    }
#pragma GCC unroll 6
    for (std::size_t r = 0; r < kRows; ++r) {
      const float value = rows[r * stride + j];
#pragma GCC unroll 4
      for (std::size_t m = 0; m < kRegisters; ++m) {
        total[r][m] = vfmaq_n_f32(total[r][m], queries[m], value);
      }
    }
  }
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (std::size_t m = 0; m < kRegisters; ++m) {
      vst1q_f32(sums + r * width + m * kLanes, total[r][m]);
    }
  }
}

std::size_t Hits(const float* panel, std::size_t width, const float* rows, std::size_t stride,
                 std::size_t count, const float* inverses, const float* least, Hit* hits) {
  alignas(64) float sums[kBlockRows * kPanelQueries];
  const std::size_t most = kPanelFloats / width;
  for (std::size_t j = 0; j < stride; j += most) {
    const std::size_t depth = stride - j < most ? stride - j : most;
    for (std::size_t i = 0; i < count; i += kRows) {
      for (std::size_t q = 0; q < width; q += kPanelLanes) {
        Tile(panel + j * width + q, width, rows + i * stride + j, stride, depth, j == 0,
             sums + i * width + q);
      }
    }
  }
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t first = 0; first < width; first += kLanes) {
      const float32x4_t cosines = vmulq_n_f32(vld1q_f32(sums + i * width + first), inverses[i]);
      if (vmaxvq_u32(vcgeq_f32(cosines, vld1q_f32(least + first))) == 0) continue;
      for (std::size_t query = first; query < first + kLanes; ++query) {
        const float cosine = sums[i * width + query] * inverses[i];
        if (cosine < least[query]) continue;
        hits[found++] = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(query), cosine};
      }
    }
  }
  return found;
}

}  // namespace

const CosineKernels kNeonCosineKernels = {Isa::kNeon, Products, Hits};

}  // namespace dentate::accelerate

#endif  // defined(__aarch64__)
