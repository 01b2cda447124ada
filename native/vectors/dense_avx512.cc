// Dense rows with AVX-512 and VNNI, four rows at a time: a row's additions depend on each other,
// and four rows hide their latency (4 cycles).
//
//   float    vmulps, vaddps   zmm      16 lanes in one register
//   int8     vpxord    zmm, zmm        the row with 128 added, as an unsigned byte
//            vpdpbusd  zmm, zmm        times the query, in fours, to the accumulator; it doesn't
//                                      saturate. 128 times the query's sum is taken off at the end
//   double   vcvtps2pd, vmulpd, vaddpd 8 lanes in one register
//
// Limit: a lane holds at most 255 * 127 * 8192 / 16, the sum before the subtraction fits an int32.
// Bottleneck: loads from beyond L2.

#if defined(__x86_64__)

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // in GCC's own header (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wuninitialized"        // the same
#endif

#include <immintrin.h>

#include "vectors/dense_kernels.h"

#define DENTATE_TARGET_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))
#define DENTATE_INLINE_AVX512 DENTATE_TARGET_AVX512 inline __attribute__((always_inline))

namespace dentate::vectors {
namespace {

constexpr std::size_t kRows = 4;  // at a time
// How far ahead int8 rows are fetched, in the order in which they lie: four short rows at once are
// four streams, which the processor alone follows a fifth more slowly than one.
constexpr std::size_t kPrefetchBytes = 4096;
static_assert(std::int64_t{255} * 127 * std::int64_t{kMaxStride} <= INT32_MAX);

// 16 lanes as four: l and l + 8, then l and l + 4.
DENTATE_INLINE_AVX512 __m128 FourOf(__m512 sixteen) {
  const __m256 eight =
      _mm256_add_ps(_mm512_castps512_ps256(sixteen), _mm512_extractf32x8_ps(sixteen, 1));
  return _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
}

template <std::size_t kCount>
DENTATE_INLINE_AVX512 void FloatRows(const float* query, const float* rows, std::size_t stride,
                                     __m128* four) {
  __m512 sums[kCount];
  for (std::size_t r = 0; r < kCount; ++r) sums[r] = _mm512_setzero_ps();
  for (std::size_t j = 0; j < stride; j += kFloatLanes) {
    const __m512 values = _mm512_loadu_ps(query + j);
    for (std::size_t r = 0; r < kCount; ++r) {
      sums[r] =
          _mm512_add_ps(sums[r], _mm512_mul_ps(values, _mm512_loadu_ps(rows + r * stride + j)));
    }
  }
  for (std::size_t r = 0; r < kCount; ++r) four[r] = FourOf(sums[r]);
}

DENTATE_TARGET_AVX512 void FloatDots(const float* query, const float* rows, std::size_t stride,
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
DENTATE_INLINE_AVX512 void ByteRows(const std::int8_t* query, const std::int8_t* rows,
                                    std::size_t stride, __m512i* sums) {
  const __m512i bias = _mm512_set1_epi8(static_cast<char>(0x80));
  for (std::size_t r = 0; r < kCount; ++r) sums[r] = _mm512_setzero_si512();
  for (std::size_t j = 0; j < stride; j += kByteLanes) {
    const __m512i values = _mm512_loadu_si512(query + j);
    for (std::size_t r = 0; r < kCount; ++r) {
      _mm_prefetch(
          reinterpret_cast<const char*>(rows + kCount * j + r * kByteLanes) + kPrefetchBytes,
          _MM_HINT_T0);
      const __m512i biased = _mm512_xor_si512(_mm512_loadu_si512(rows + r * stride + j), bias);
      sums[r] = _mm512_dpbusd_epi32(sums[r], biased, values);
    }
  }
}

// Adds the lanes of four rows, row r to lane r.
DENTATE_INLINE_AVX512 __m128i SumsOf(const __m512i* rows) {
  const __m512i first = _mm512_add_epi32(_mm512_unpacklo_epi32(rows[0], rows[1]),
                                         _mm512_unpackhi_epi32(rows[0], rows[1]));
  const __m512i second = _mm512_add_epi32(_mm512_unpacklo_epi32(rows[2], rows[3]),
                                          _mm512_unpackhi_epi32(rows[2], rows[3]));
  const __m512i sixteen =
      _mm512_add_epi32(_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second));
  const __m256i eight =
      _mm256_add_epi32(_mm512_castsi512_si256(sixteen), _mm512_extracti64x4_epi64(sixteen, 1));
  return _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
}

// 128 times the sum of `query`: its dot product with a row of zeros, to which 128 was added.
DENTATE_INLINE_AVX512 std::int32_t BiasOf(const std::int8_t* query, std::size_t stride) {
  const __m512i bias = _mm512_set1_epi8(static_cast<char>(0x80));
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t j = 0; j < stride; j += kByteLanes) {
    sum = _mm512_dpbusd_epi32(sum, bias, _mm512_loadu_si512(query + j));
  }
  return _mm512_reduce_add_epi32(sum);
}

DENTATE_TARGET_AVX512 void ByteDots(const std::int8_t* query, const std::int8_t* rows,
                                    std::size_t stride, std::size_t count, std::int32_t* dots) {
  const std::int32_t bias = BiasOf(query, stride);
  std::size_t i = 0;
  for (; i + kRows <= count; i += kRows) {
    __m512i sums[kRows];
    ByteRows<kRows>(query, rows + i * stride, stride, sums);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dots + i),
                     _mm_sub_epi32(SumsOf(sums), _mm_set1_epi32(bias)));
  }
  for (; i < count; ++i) {
    __m512i sums;
    ByteRows<1>(query, rows + i * stride, stride, &sums);
    dots[i] = _mm512_reduce_add_epi32(sums) - bias;
  }
}

template <std::size_t kCount>
DENTATE_INLINE_AVX512 void DoubleRows(const double* query, const float* rows, std::size_t stride,
                                      double* dots) {
  __m512d sums[kCount];
  for (std::size_t r = 0; r < kCount; ++r) sums[r] = _mm512_setzero_pd();
  for (std::size_t j = 0; j < stride; j += kDoubleLanes) {
    const __m512d values = _mm512_loadu_pd(query + j);
    for (std::size_t r = 0; r < kCount; ++r) {
      const __m512d row = _mm512_cvtps_pd(_mm256_loadu_ps(rows + r * stride + j));
      sums[r] = _mm512_add_pd(sums[r], _mm512_mul_pd(values, row));
    }
  }
  for (std::size_t r = 0; r < kCount; ++r) {
    const __m256d four =
        _mm256_add_pd(_mm512_castpd512_pd256(sums[r]), _mm512_extractf64x4_pd(sums[r], 1));
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    dots[r] = _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
}

DENTATE_TARGET_AVX512 void Project(const double* query, const float* rows, std::size_t stride,
                                   std::size_t count, double* dots) {
  std::size_t i = 0;
  for (; i + kRows <= count; i += kRows) {
    DoubleRows<kRows>(query, rows + i * stride, stride, dots + i);
  }
  for (; i < count; ++i) DoubleRows<1>(query, rows + i * stride, stride, dots + i);
}

template <std::size_t kCount>
DENTATE_INLINE_AVX512 void AddRows(const double* weights, const float* rows, std::size_t stride,
                                   double* sum) {
  for (std::size_t j = 0; j < stride; j += kDoubleLanes) {
    __m512d total = _mm512_loadu_pd(sum + j);
    for (std::size_t r = 0; r < kCount; ++r) {
      const __m512d row = _mm512_cvtps_pd(_mm256_loadu_ps(rows + r * stride + j));
      total = _mm512_add_pd(total, _mm512_mul_pd(_mm512_set1_pd(weights[r]), row));
    }
    _mm512_storeu_pd(sum + j, total);
  }
}

DENTATE_TARGET_AVX512 void Accumulate(const double* weights, const float* rows, std::size_t stride,
                                      std::size_t count, double* sum) {
  std::size_t i = 0;
  for (; i + kRows <= count; i += kRows) {
    AddRows<kRows>(weights + i, rows + i * stride, stride, sum);
  }
  for (; i < count; ++i) AddRows<1>(weights + i, rows + i * stride, stride, sum);
}

}  // namespace

const DenseKernels kAvx512DenseKernels = {Isa::kAvx512, FloatDots, ByteDots, Project, Accumulate};

}  // namespace dentate::vectors

#endif  // defined(__x86_64__)
