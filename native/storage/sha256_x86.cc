// SHA-256 by the SHA extensions of x86-64.
//
//   sha256rnds2   two rounds on the state, kept as { a b e f } and { c d g h }; latency 4
//   sha256msg1/2  the next four words of the message schedule
//
// Bottleneck: the chain of 32 sha256rnds2 a block, about 2 cycles a byte.
//
// Source: Intel, "Intel SHA Extensions", 2013.

#include "storage/sha256_kernels.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

namespace dentate::storage::sha256 {

#define DENTATE_TARGET_SHA __attribute__((target("sha,sse4.1,ssse3")))

bool HasShaInstructions() noexcept {
  constexpr unsigned kSha = 1U << 29;  // EBX of leaf 7
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __builtin_cpu_supports("sse4.1") != 0 && __builtin_cpu_supports("ssse3") != 0 &&
         __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & kSha) != 0;
}

DENTATE_TARGET_SHA void CompressSha(State& state, const std::uint8_t* blocks, std::size_t count) {
  // Lanes from the highest down, as the instructions name them.
  const __m128i dcba = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data()));
  const __m128i hgfe = _mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data() + 4));
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
  const __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

  const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  for (; count > 0; --count, blocks += kBlockBytes) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[4];  // the 16 newest of the message schedule
#pragma GCC unroll 16
    for (std::size_t i = 0; i < 16; ++i) {
      __m128i& word = words[i % 4];
      if (i < 4) {
        const auto* bytes = reinterpret_cast<const __m128i*>(blocks + 16 * i);
        word = _mm_shuffle_epi8(_mm_loadu_si128(bytes), big_endian);
      } else {
        const __m128i last = words[(i + 3) % 4];
        const __m128i seven_back = _mm_alignr_epi8(last, words[(i + 2) % 4], 4);
        const __m128i sum =
            _mm_add_epi32(_mm_sha256msg1_epu32(word, words[(i + 1) % 4]), seven_back);
        word = _mm_sha256msg2_epu32(sum, last);
      }
      const auto* constants = reinterpret_cast<const __m128i*>(kConstants.data() + 4 * i);
      const __m128i added = _mm_add_epi32(word, _mm_loadu_si128(constants));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }

  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace dentate::storage::sha256

#endif
