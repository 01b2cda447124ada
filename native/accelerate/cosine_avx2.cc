// One query with AVX2 and FMA, half a cache line a step:
//
//   vmovups      ymm, m256       8 of its values
//   vfmadd231ps  ymm, ymm, m256  times a row's, into one of four chains
//
// Panels: 6 rows x 16 queries in 12 of the 16 registers.
//
//   vmovups       ymm, m256      8 queries' values, twice for each j
//   vbroadcastss  ymm, m32       a row's value, once for each row
//   vfmadd231ps   ymm, ymm, ymm  12 of them, in chains that don't wait for each other
//   vcmpps, vmovmskps            8 products against what is worth a look
//
// Bottleneck: the two units that multiply.

#if defined(__x86_64__)

#include <immintrin.h>

#include "accelerate/cosine_kernels.h"

#define DENTATE_TARGET_AVX2 __attribute__((target("avx2,fma")))
#define DENTATE_INLINE_AVX2 DENTATE_TARGET_AVX2 inline __attribute__((always_inline))

namespace dentate::accelerate {
namespace {

constexpr std::size_t kRows = 6;       // of a tile
constexpr std::size_t kLanes = 8;      // queries in a register
constexpr std::size_t kRegisters = 2;  // of queries
constexpr std::size_t kLine = 16;      // floats in a cache line
static_assert(kLanes * kRegisters == kPanelLanes && kBlockRows % kRows == 0);

DENTATE_INLINE_AVX2 float SumOf(__m256 eight) {
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_shuffle_ps(four, four, 1)));
}

DENTATE_TARGET_AVX2 void Products(const float* query, const float* rows, std::size_t stride,
                                  std::size_t count, float* products) {
  constexpr std::size_t kChains = 4;
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    __m256 sums[kChains];
    for (__m256& sum : sums) sum = _mm256_setzero_ps();
    std::size_t j = 0;
    for (; j + kChains * kLanes <= stride; j += kChains * kLanes) {
      for (std::size_t c = 0; c < kChains; ++c) {
        sums[c] = _mm256_fmadd_ps(_mm256_loadu_ps(query + j + c * kLanes),
                                  _mm256_loadu_ps(row + j + c * kLanes), sums[c]);
      }
    }
    for (; j < stride; j += kLanes) {
      sums[0] = _mm256_fmadd_ps(_mm256_loadu_ps(query + j), _mm256_loadu_ps(row + j), sums[0]);
    }
    products[i] =
        SumOf(_mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3])));
  }
}

// Adds `depth` values of kRows rows to their products with 16 queries; a first call starts from
// zero.
DENTATE_INLINE_AVX2 void Tile(const float* panel, std::size_t width, const float* rows,
                              std::size_t stride, std::size_t depth, bool first, float* sums) {
  __m256 total[kRows][kRegisters];
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t m = 0; m < kRegisters; ++m) {
      total[r][m] = first ? _mm256_setzero_ps() : _mm256_loadu_ps(sums + r * width + m * kLanes);
    }
  }
  for (std::size_t j = 0; j < depth; j += kLine) {
#pragma GCC unroll 6
    for (std::size_t r = 0; r < kRows; ++r) {
      __builtin_prefetch(rows + (kBlockRows + r) * stride + j, 0, 2);
    }
    for (std::size_t at = j; at < j + kLine; ++at) {
      const __m256 low = _mm256_loadu_ps(panel + at * width);
      const __m256 high = _mm256_loadu_ps(panel + at * width + kLanes);
#pragma GCC unroll 6
      for (std::size_t r = 0; r < kRows; ++r) {
        const __m256 value = _mm256_set1_ps(rows[r * stride + at]);
        total[r][0] = _mm256_fmadd_ps(value, low, total[r][0]);
        total[r][1] = _mm256_fmadd_ps(value, high, total[r][1]);
      }
    }
  }
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t m = 0; m < kRegisters; ++m) {
      _mm256_storeu_ps(sums + r * width + m * kLanes, total[r][m]);
    }
  }
}

DENTATE_TARGET_AVX2 std::size_t Hits(const float* panel, std::size_t width, const float* rows,
                                     std::size_t stride, std::size_t count, const float* inverses,
                                     const float* least, Hit* hits) {
  alignas(64) float sums[kBlockRows * kPanelQueries];
  const std::size_t most = kPanelFloats / width / kLine * kLine;
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
    const __m256 inverse = _mm256_set1_ps(inverses[i]);
    for (std::size_t first = 0; first < width; first += kLanes) {
      const __m256 cosines = _mm256_mul_ps(_mm256_loadu_ps(sums + i * width + first), inverse);
      const __m256 is_hit = _mm256_cmp_ps(cosines, _mm256_loadu_ps(least + first), _CMP_GE_OQ);
      auto mask = static_cast<unsigned>(_mm256_movemask_ps(is_hit));
      for (; mask != 0; mask &= mask - 1) {
        const std::size_t query = first + static_cast<std::size_t>(__builtin_ctz(mask));
        hits[found++] = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(query),
                         sums[i * width + query] * inverses[i]};
      }
    }
  }
  return found;
}

}  // namespace

const CosineKernels kAvx2CosineKernels = {Isa::kAvx2, Products, Hits};

}  // namespace dentate::accelerate

#endif  // defined(__x86_64__)
