// Dot products with AVX2, 16 values a step.
//
//   vpmovsxbw  ymm, m128    16 int8 of the row to int16
//   vpmaddwd   ymm, m256    16 products with the query, summed in pairs to 8 int32
//   vpaddd                  into the accumulator
//
// Two accumulators hide the latency of vpmaddwd (5 cycles). Bottleneck: loads from beyond L2.
// Lanes hold at most the whole sum, which fits in an int32 (dot.h).
//
// Windows, 16 values a step: rows widened as above, vpmullw by their weights, vpaddw; then one
// vpmaddwd with the query and one with itself. Five rows of 192 values take 240 operations.
//
// Scaled additions, 8 values a step: a value widened to an int32 is a pair of int16, its own low
// half and a sign; vpmaddwd with (factor, 0) is then the product, in one operation where vpmulld
// takes two.
//
//   vpmovsxbd  ymm, m64     8 int8 of the row to int32
//   vpmaddwd   ymm, ymm     8 products
//   vpaddd     ymm, m256    to the sum
//
// Bottleneck: the two ports that load.

#if defined(__x86_64__)

#include <immintrin.h>

#include "vectors/kernels.h"

#define DENTATE_TARGET_AVX2 __attribute__((target("avx2")))

namespace dentate::vectors {
namespace {

DENTATE_TARGET_AVX2 inline __m256i Step(__m256i sum, const std::int16_t* query,
                                        const std::int8_t* row) {
  const __m256i wide = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
  const __m256i weights = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query));
  return _mm256_add_epi32(sum, _mm256_madd_epi16(wide, weights));
}

DENTATE_TARGET_AVX2 inline std::int32_t SumOf(__m256i eight) {
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1));
  return _mm_cvtsi128_si32(four);
}

DENTATE_TARGET_AVX2 void Dots(const std::int16_t* query, const std::int8_t* rows,
                              std::size_t dimensions, std::size_t count, std::int32_t* dots) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int8_t* row = rows + i * dimensions;
    __m256i even = _mm256_setzero_si256();
    __m256i odd = _mm256_setzero_si256();
    std::size_t j = 0;
    for (; j + 32 <= dimensions; j += 32) {
      even = Step(even, query + j, row + j);
      odd = Step(odd, query + j + 16, row + j + 16);
    }
    for (; j + 16 <= dimensions; j += 16) even = Step(even, query + j, row + j);
    std::int32_t sum = SumOf(_mm256_add_epi32(even, odd));
    for (; j < dimensions; ++j) {
      sum += static_cast<std::int32_t>(query[j]) * static_cast<std::int32_t>(row[j]);
    }
    dots[i] = sum;
  }
}

DENTATE_TARGET_AVX2 void Window(const std::int16_t* query, const std::int8_t* const* rows,
                                const std::int16_t* weights, std::size_t count,
                                std::size_t dimensions, std::int32_t* inner,
                                std::int32_t* squared) {
  __m256i with_query = _mm256_setzero_si256();
  __m256i with_itself = _mm256_setzero_si256();
  std::size_t j = 0;
  for (; j + 16 <= dimensions; j += 16) {
    __m256i sum = _mm256_setzero_si256();
    for (std::size_t i = 0; i < count; ++i) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[i] + j));
      const __m256i weight = _mm256_set1_epi16(weights[i]);
      sum = _mm256_add_epi16(sum, _mm256_mullo_epi16(_mm256_cvtepi8_epi16(bytes), weight));
    }
    const __m256i probe = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(query + j));
    with_query = _mm256_add_epi32(with_query, _mm256_madd_epi16(sum, probe));
    with_itself = _mm256_add_epi32(with_itself, _mm256_madd_epi16(sum, sum));
  }
  *inner = SumOf(with_query);
  *squared = SumOf(with_itself);
  for (; j < dimensions; ++j) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += static_cast<std::int32_t>(weights[i]) * static_cast<std::int32_t>(rows[i][j]);
    }
    *inner += sum * static_cast<std::int32_t>(query[j]);
    *squared += sum * sum;
  }
}

DENTATE_TARGET_AVX2 void AddScaled(const std::int8_t* row, std::int16_t factor,
                                   std::size_t dimensions, std::int32_t* sum) {
  const __m256i factors = _mm256_set1_epi32(static_cast<std::uint16_t>(factor));
  std::size_t j = 0;
  for (; j + 8 <= dimensions; j += 8) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + j));
    const __m256i products = _mm256_madd_epi16(_mm256_cvtepi8_epi32(bytes), factors);
    auto* const at = reinterpret_cast<__m256i*>(sum + j);
    _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at), products));
  }
  for (; j < dimensions; ++j) {
    sum[j] += static_cast<std::int32_t>(factor) * static_cast<std::int32_t>(row[j]);
  }
}

}  // namespace

const Kernels kAvx2Kernels = {Isa::kAvx2, Dots, Window, AddScaled};

}  // namespace dentate::vectors

#endif  // defined(__x86_64__)
