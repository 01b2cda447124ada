// One query with AVX-512, a cache line a step:
//
//   vmovups      zmm, m512       16 of its values
//   vfmadd231ps  zmm, zmm, m512  times a row's, into one of four chains
//
// Panels: 6 x 64, 8 x 48, 12 x 32 or 12 x 16 products in registers.
//
//   vmovups       zmm, m512      16 queries' values, M times for each j
//   vbroadcastss  zmm, m32       a row's value, once for each row
//   vfmadd231ps   zmm, zmm, zmm  R * M of them, in chains that don't wait for each other
//   vcmpps        k, zmm, m512   16 products against what is worth a look
//
// Bottleneck: the two units that multiply, at width 32 and more; at width 16 the two ports that
// load.

#if defined(__x86_64__)

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // in GCC's own header (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wuninitialized"        // the same
#endif

#include <immintrin.h>

#include "accelerate/cosine_kernels.h"

#define DENTATE_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#define DENTATE_INLINE_AVX512 DENTATE_TARGET_AVX512 inline __attribute__((always_inline))

namespace dentate::accelerate {
namespace {

constexpr std::size_t kLine = 16;  // floats in a cache line, and queries in a register

DENTATE_TARGET_AVX512 void Products(const float* query, const float* rows, std::size_t stride,
                                    std::size_t count, float* products) {
  constexpr std::size_t kChains = 4;
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    __m512 sums[kChains];
    for (__m512& sum : sums) sum = _mm512_setzero_ps();
    std::size_t j = 0;
    for (; j + kChains * kLine <= stride; j += kChains * kLine) {
      for (std::size_t c = 0; c < kChains; ++c) {
        const float* at = row + j + c * kLine;
        sums[c] =
            _mm512_fmadd_ps(_mm512_loadu_ps(query + j + c * kLine), _mm512_loadu_ps(at), sums[c]);
      }
    }
    for (; j < stride; j += kLine) {
      sums[0] = _mm512_fmadd_ps(_mm512_loadu_ps(query + j), _mm512_loadu_ps(row + j), sums[0]);
    }
    products[i] = _mm512_reduce_add_ps(
        _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])));
  }
}

// Adds `depth` values of kRows rows to their products. Those lie in
// `sums`, kRegisters * 16 a row; a first call starts from zero.
template <std::size_t kRows, std::size_t kRegisters>
DENTATE_INLINE_AVX512 void Tile(const float* panel, const float* rows, std::size_t stride,
                                std::size_t depth, bool first, float* sums) {
  constexpr std::size_t kWidth = kRegisters * kLine;
  __m512 total[kRows][kRegisters];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (std::size_t m = 0; m < kRegisters; ++m) {
      total[r][m] = first ? _mm512_setzero_ps() : _mm512_loadu_ps(sums + r * kWidth + m * kLine);
    }
  }
  for (std::size_t j = 0; j < depth; j += kLine) {
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kRows; ++r) {
      __builtin_prefetch(rows + (kBlockRows + r) * stride + j, 0, 2);
    }
    for (std::size_t at = j; at < j + kLine; ++at) {
      __m512 queries[kRegisters];
#pragma GCC unroll 4
      for (std::size_t m = 0; m < kRegisters; ++m) {
        queries[m] = _mm512_loadu_ps(panel + at * kWidth + m * kLine);
      }
#pragma GCC unroll 12
      for (std::size_t r = 0; r < kRows; ++r) {
        const __m512 value = _mm512_set1_ps(rows[r * stride + at]);
#pragma GCC unroll 4
        for (std::size_t m = 0; m < kRegisters; ++m) {
          total[r][m] = _mm512_fmadd_ps(value, queries[m], total[r][m]);
        }
      }
    }
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (std::size_t m = 0; m < kRegisters; ++m) {
      _mm512_storeu_ps(sums + r * kWidth + m * kLine, total[r][m]);
    }
  }
}

DENTATE_INLINE_AVX512 std::size_t Pick(const float* sums, std::size_t width, std::size_t count,
                                       const float* inverses, const float* least, Hit* hits) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const __m512 inverse = _mm512_set1_ps(inverses[i]);
    for (std::size_t first = 0; first < width; first += kLine) {
      const float* of_row = sums + i * width + first;
      const __m512 cosines = _mm512_mul_ps(_mm512_loadu_ps(of_row), inverse);
      unsigned mask = _mm512_cmp_ps_mask(cosines, _mm512_loadu_ps(least + first), _CMP_GE_OQ);
      for (; mask != 0; mask &= mask - 1) {
        const std::size_t query = first + static_cast<std::size_t>(__builtin_ctz(mask));
        hits[found++] = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(query),
                         sums[i * width + query] * inverses[i]};
      }
    }
  }
  return found;
}

template <std::size_t kRows, std::size_t kRegisters>
DENTATE_TARGET_AVX512 std::size_t Block(const float* panel, const float* rows, std::size_t stride,
                                        std::size_t count, const float* inverses,
                                        const float* least, Hit* hits) {
  constexpr std::size_t kWidth = kRegisters * kLine;
  static_assert(kBlockRows % kRows == 0);
  alignas(64) float sums[kBlockRows * kWidth];
  constexpr std::size_t kDepth = kPanelFloats / kWidth / kLine * kLine;
  for (std::size_t j = 0; j < stride; j += kDepth) {
    const std::size_t depth = stride - j < kDepth ? stride - j : kDepth;
    for (std::size_t i = 0; i < count; i += kRows) {
      Tile<kRows, kRegisters>(panel + j * kWidth, rows + i * stride + j, stride, depth, j == 0,
                              sums + i * kWidth);
    }
  }
  return Pick(sums, kWidth, count, inverses, least, hits);
}

std::size_t Hits(const float* panel, std::size_t width, const float* rows, std::size_t stride,
                 std::size_t count, const float* inverses, const float* least, Hit* hits) {
  switch (width / kLine) {
    case 4:
      return Block<6, 4>(panel, rows, stride, count, inverses, least, hits);
    case 3:
      return Block<8, 3>(panel, rows, stride, count, inverses, least, hits);
    case 2:
      return Block<12, 2>(panel, rows, stride, count, inverses, least, hits);
    default:
      return Block<12, 1>(panel, rows, stride, count, inverses, least, hits);
  }
}

}  // namespace

const CosineKernels kAvx512CosineKernels = {Isa::kAvx512, Products, Hits};

}  // namespace dentate::accelerate

#endif  // defined(__x86_64__)
