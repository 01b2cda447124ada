// Dot products with AVX-512 VNNI, 32 values a step.
//
//   vpmovsxbw  zmm, m256    32 int8 of the row to int16
//   vpdpwssd   zmm, m512    32 products with the query, summed in pairs, into 16 int32
//
// Two accumulators hide the latency of vpdpwssd (5 cycles); the tail is one masked step.
// Bottleneck: loads from beyond L2. Lanes hold at most the whole sum, which fits in an int32
// (dot.h).
//
// Windows, 32 values a step: rows widened as above, vpmullw by their weights, vpaddw; then one
// vpdpwssd with the query and one with itself.
//
// Scaled additions, 16 values a step, as kernel_avx2.cc does them: vpmovsxbd, then vpdpwssd with
// (factor, 0), which also adds.

#if defined(__x86_64__)

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // in GCC's own header (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wuninitialized"        // the same
#endif

#include <immintrin.h>

#include "vectors/kernels.h"

#define DENTATE_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

namespace dentate::vectors {
namespace {

DENTATE_TARGET_AVX512 inline __m512i Step(__m512i sum, const std::int16_t* query,
                                          const std::int8_t* row) {
  const __m512i wide =
      _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)));
  return _mm512_dpwssd_epi32(sum, wide, _mm512_loadu_si512(query));
}

DENTATE_TARGET_AVX512 void Dots(const std::int16_t* query, const std::int8_t* rows,
                                std::size_t dimensions, std::size_t count, std::int32_t* dots) {
  const std::size_t tail = dimensions % 32;
  const auto mask = static_cast<__mmask32>((std::uint64_t{1} << tail) - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int8_t* row = rows + i * dimensions;
    __m512i even = _mm512_setzero_si512();
    __m512i odd = _mm512_setzero_si512();
    std::size_t j = 0;
    for (; j + 64 <= dimensions; j += 64) {
      even = Step(even, query + j, row + j);
      odd = Step(odd, query + j + 32, row + j + 32);
    }
    for (; j + 32 <= dimensions; j += 32) even = Step(even, query + j, row + j);
    if (tail != 0) {
      const __m512i wide = _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(mask, row + j));
      odd = _mm512_dpwssd_epi32(odd, wide, _mm512_maskz_loadu_epi16(mask, query + j));
    }
    dots[i] = _mm512_reduce_add_epi32(_mm512_add_epi32(even, odd));
  }
}

DENTATE_TARGET_AVX512 void Window(const std::int16_t* query, const std::int8_t* const* rows,
                                  const std::int16_t* weights, std::size_t count,
                                  std::size_t dimensions, std::int32_t* inner,
                                  std::int32_t* squared) {
  __m512i with_query = _mm512_setzero_si512();
  __m512i with_itself = _mm512_setzero_si512();
  for (std::size_t j = 0; j < dimensions; j += 32) {
    const std::size_t left = dimensions - j;
    const auto mask =
        left >= 32 ? ~__mmask32{0} : static_cast<__mmask32>((std::uint64_t{1} << left) - 1);
    __m512i sum = _mm512_setzero_si512();
    for (std::size_t i = 0; i < count; ++i) {
      const __m512i wide = _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(mask, rows[i] + j));
      sum = _mm512_add_epi16(sum, _mm512_mullo_epi16(wide, _mm512_set1_epi16(weights[i])));
    }
    with_query = _mm512_dpwssd_epi32(with_query, sum, _mm512_maskz_loadu_epi16(mask, query + j));
    with_itself = _mm512_dpwssd_epi32(with_itself, sum, sum);
  }
  *inner = _mm512_reduce_add_epi32(with_query);
  *squared = _mm512_reduce_add_epi32(with_itself);
}

DENTATE_TARGET_AVX512 void AddScaled(const std::int8_t* row, std::int16_t factor,
                                     std::size_t dimensions, std::int32_t* sum) {
  const __m512i factors = _mm512_set1_epi32(static_cast<std::uint16_t>(factor));
  std::size_t j = 0;
  for (; j + 16 <= dimensions; j += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + j));
    const __m512i before = _mm512_loadu_si512(sum + j);
    _mm512_storeu_si512(sum + j, _mm512_dpwssd_epi32(before, _mm512_cvtepi8_epi32(bytes), factors));
  }
  if (j < dimensions) {
    const auto mask = static_cast<__mmask16>((1U << (dimensions - j)) - 1);
    const __m512i wide = _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(mask, row + j));
    const __m512i before = _mm512_maskz_loadu_epi32(mask, sum + j);
    _mm512_mask_storeu_epi32(sum + j, mask, _mm512_dpwssd_epi32(before, wide, factors));
  }
}

}  // namespace

const Kernels kAvx512Kernels = {Isa::kAvx512, Dots, Window, AddScaled};

}  // namespace dentate::vectors

#endif  // defined(__x86_64__)
