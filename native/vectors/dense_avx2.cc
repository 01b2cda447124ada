// Dense rows with AVX2, four rows at a time: a row's additions depend on each other, and four rows
// hide their latency (4 cycles).
//
//   float    vmulps, vaddps            16 lanes in two registers; 8 accumulators of the 16
//   registers int8     vpsignb   ymm, ymm        the row, negated where the query is negative
//            vpmaddubsw ymm, ymm       |query| times that, in pairs: 2 * 127 * 127 fits an int16
//            vpmaddwd, vpaddd          in fours, to the accumulator
//   double   vcvtps2pd, vmulpd, vaddpd 8 lanes in two registers
//
// Bottleneck: loads from beyond L2.

#if defined(__x86_64__)

#include <immintrin.h>

#include "vectors/dense_kernels.h"

#define DENTATE_TARGET_AVX2 __attribute__((target("avx2")))
#define DENTATE_INLINE_AVX2 DENTATE_TARGET_AVX2 inline __attribute__((always_inline))

namespace dentate::vectors {
namespace {

constexpr std::size_t kRows = 4;  // at a time

// Lanes 0..7 and 8..15 as four: l and l + 8, then l and l + 4.
DENTATE_INLINE_AVX2 __m128 FourOf(__m256 low, __m256 high) {
  const __m256 eight = _mm256_add_ps(low, high);
  return _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
}

template <std::size_t kCount>
DENTATE_INLINE_AVX2 void FloatRows(const float* query, const float* rows, std::size_t stride,
                                   __m128* four) {
  __m256 low[kCount];
  __m256 high[kCount];
  for (std::size_t r = 0; r < kCount; ++r) low[r] = high[r] = _mm256_setzero_ps();
  for (std::size_t j = 0; j < stride; j += kFloatLanes) {
    const __m256 query_low = _mm256_loadu_ps(query + j);
    const __m256 query_high = _mm256_loadu_ps(query + j + 8);
    for (std::size_t r = 0; r < kCount; ++r) {
      const float* at = rows + r * stride + j;
      low[r] = _mm256_add_ps(low[r], _mm256_mul_ps(query_low, _mm256_loadu_ps(at)));
      high[r] = _mm256_add_ps(high[r], _mm256_mul_ps(query_high, _mm256_loadu_ps(at + 8)));
    }
  }
  for (std::size_t r = 0; r < kCount; ++r) four[r] = FourOf(low[r], high[r]);
}

DENTATE_TARGET_AVX2 void FloatDots(const float* query, const float* rows, std::size_t stride,
                                   std::size_t count, float* dots) {
  std::size_t i = 0;
  for (; i + kRows <= count; i += kRows) {
    __m128 four[kRows];
    FloatRows<kRows>(query, rows + i * stride, stride, four);
    // A column holds one lane of each row: l and l + 2, then the last two.
    _MM_TRANSPOSE4_PS(four[0], four[1], four[2], four[3]);
    _mm_storeu_ps(dots + i, _mm_add_ps(_mm_add_ps(four[0], four[2]), _mm_add_ps(four[1], four[3])));
  }
  for (; i < count; ++i) {
    __m128 four;
    FloatRows<1>(query, rows + i * stride, stride, &four);
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    dots[i] = _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
  }
}

template <std::size_t kCount>
DENTATE_INLINE_AVX2 void ByteRows(const std::int8_t* query, const std::int8_t* rows,
                                  std::size_t stride, __m128i* four) {
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i sums[kCount];
  for (std::size_t r = 0; r < kCount; ++r) sums[r] = _mm256_setzero_si256();
  for (std::size_t j = 0; j < stride; j += 32) {
    const __m256i signs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query + j));
    const __m256i sizes = _mm256_abs_epi8(signs);
    for (std::size_t r = 0; r < kCount; ++r) {
      const auto* at = reinterpret_cast<const __m256i*>(rows + r * stride + j);
      const __m256i signed_row = _mm256_sign_epi8(_mm256_loadu_si256(at), signs);
      const __m256i pairs = _mm256_maddubs_epi16(sizes, signed_row);
      sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(pairs, ones));
    }
  }
  for (std::size_t r = 0; r < kCount; ++r) {
    four[r] = _mm_add_epi32(_mm256_castsi256_si128(sums[r]), _mm256_extracti128_si256(sums[r], 1));
  }
}

DENTATE_TARGET_AVX2 void ByteDots(const std::int8_t* query, const std::int8_t* rows,
                                  std::size_t stride, std::size_t count, std::int32_t* dots) {
  std::size_t i = 0;
  for (; i + kRows <= count; i += kRows) {
    __m128i four[kRows];
    ByteRows<kRows>(query, rows + i * stride, stride, four);
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(dots + i),
        _mm_hadd_epi32(_mm_hadd_epi32(four[0], four[1]), _mm_hadd_epi32(four[2], four[3])));
  }
  for (; i < count; ++i) {
    __m128i four;
    ByteRows<1>(query, rows + i * stride, stride, &four);
    four = _mm_hadd_epi32(four, four);
    dots[i] = _mm_cvtsi128_si32(_mm_hadd_epi32(four, four));
  }
}

template <std::size_t kCount>
DENTATE_INLINE_AVX2 void DoubleRows(const double* query, const float* rows, std::size_t stride,
                                    double* dots) {
  __m256d low[kCount];
  __m256d high[kCount];
  for (std::size_t r = 0; r < kCount; ++r) low[r] = high[r] = _mm256_setzero_pd();
  for (std::size_t j = 0; j < stride; j += kDoubleLanes) {
    const __m256d query_low = _mm256_loadu_pd(query + j);
    const __m256d query_high = _mm256_loadu_pd(query + j + 4);
    for (std::size_t r = 0; r < kCount; ++r) {
      const float* at = rows + r * stride + j;
      const __m256d row_low = _mm256_cvtps_pd(_mm_loadu_ps(at));
      const __m256d row_high = _mm256_cvtps_pd(_mm_loadu_ps(at + 4));
      low[r] = _mm256_add_pd(low[r], _mm256_mul_pd(query_low, row_low));
      high[r] = _mm256_add_pd(high[r], _mm256_mul_pd(query_high, row_high));
    }
  }
  for (std::size_t r = 0; r < kCount; ++r) {
    const __m256d four = _mm256_add_pd(low[r], high[r]);
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    dots[r] = _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
}

DENTATE_TARGET_AVX2 void Project(const double* query, const float* rows, std::size_t stride,
                                 std::size_t count, double* dots) {
  std::size_t i = 0;
  for (; i + kRows <= count; i += kRows) {
    DoubleRows<kRows>(query, rows + i * stride, stride, dots + i);
  }
  for (; i < count; ++i) DoubleRows<1>(query, rows + i * stride, stride, dots + i);
}

template <std::size_t kCount>
DENTATE_INLINE_AVX2 void AddRows(const double* weights, const float* rows, std::size_t stride,
                                 double* sum) {
  for (std::size_t j = 0; j < stride; j += 4) {
    __m256d total = _mm256_loadu_pd(sum + j);
    for (std::size_t r = 0; r < kCount; ++r) {
      const __m256d row = _mm256_cvtps_pd(_mm_loadu_ps(rows + r * stride + j));
      total = _mm256_add_pd(total, _mm256_mul_pd(_mm256_set1_pd(weights[r]), row));
    }
    _mm256_storeu_pd(sum + j, total);
  }
}

DENTATE_TARGET_AVX2 void Accumulate(const double* weights, const float* rows, std::size_t stride,
                                    std::size_t count, double* sum) {
  std::size_t i = 0;
  for (; i + kRows <= count; i += kRows) {
    AddRows<kRows>(weights + i, rows + i * stride, stride, sum);
  }
  for (; i < count; ++i) AddRows<1>(weights + i, rows + i * stride, stride, sum);
}

}  // namespace

const DenseKernels kAvx2DenseKernels = {Isa::kAvx2, FloatDots, ByteDots, Project, Accumulate};

}  // namespace dentate::vectors

#endif  // defined(__x86_64__)
