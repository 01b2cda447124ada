// POPCNT, BMI2 and AVX2 kernels: Haswell (2013), Zen (2017) and later.
//
//   instruction   latency  use
//   POPCNT        3        ones of a word; four to seven of them run in parallel
//   BZHI          1        the masked last word
//   PDEP, TZCNT   3, 1     select in a word (PDEP is 18 and more on Zen 1 and 2: still right)
//   VPSHUFB       1        popcount of 16 bytes by nibbles, in batches (after W. Mula)
//   VPSADBW       3        sums the bytes' counts: at most 8 * 8 a word, no overflow
//   VMOVMSKPS     5        the sign bits of 8 symbols: one bit of each, when a line is packed

#if defined(__x86_64__)

#include <immintrin.h>

#include "succinct/kernels.h"
#include "succinct/symbol_starts.h"

#define DENTATE_KERNEL __attribute__((target("avx2,popcnt,bmi,bmi2")))
#define DENTATE_KERNEL_INLINE DENTATE_KERNEL static inline __attribute__((always_inline))

namespace dentate::succinct {
namespace {

#include "succinct/x86_line_ops.h"

DENTATE_KERNEL_INLINE std::uint32_t BatchLineRank(const std::uint64_t* line, std::uint32_t digit,
                                                  std::uint32_t offset) {
  const __m256i ones_of_nibble =
      _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                       0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  const __m256i match = MatchLanes(line, digit, offset);
  const __m256i low = _mm256_shuffle_epi8(ones_of_nibble, _mm256_and_si256(match, nibble));
  const __m256i high =
      _mm256_shuffle_epi8(ones_of_nibble, _mm256_and_si256(_mm256_srli_epi16(match, 4), nibble));
  return SumLanes(_mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256()));
}

#include "succinct/quad_ops.h"

#include "succinct/huffman_ops.h"  // needs it

DENTATE_KERNEL std::uint64_t PackLine(const std::uint32_t* symbols, std::uint32_t shift,
                                      std::uint64_t* line) {
  std::uint64_t low[4] = {};
  std::uint64_t high[4] = {};
  const __m128i low_to_sign = _mm_cvtsi32_si128(static_cast<int>(31 - shift));
  const __m128i high_to_sign = _mm_cvtsi32_si128(static_cast<int>(30 - shift));
  for (std::uint32_t i = 0; i < kLineDigits; i += 8) {
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(symbols + i));
    const auto low_bits = static_cast<std::uint64_t>(
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sll_epi32(eight, low_to_sign))));
    const auto high_bits = static_cast<std::uint64_t>(
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sll_epi32(eight, high_to_sign))));
    low[i / 64] |= low_bits << i % 64;
    high[i / 64] |= high_bits << i % 64;
  }
  return StoreLine(low, high, line);
}

}  // namespace

const Kernels kAvx2Kernels = {"avx2",     CountOnes, SelectInWord, PackLine,    Access,      Rank,
                              Select,     Run,       AccessMany,   RankMany,    SelectMany,  Lift,
                              AccessSpan, Children,  HuffmanSpan,  HuffmanLift, HuffmanCount};

}  // namespace dentate::succinct

#endif
