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

DENTATE_KERNEL_INLINE std::uint32_t Popcount(std::uint64_t word) {
  return static_cast<std::uint32_t>(_mm_popcnt_u64(word));
}

DENTATE_KERNEL static inline std::uint32_t SelectInWord(std::uint64_t word, std::uint32_t k) {
  return static_cast<std::uint32_t>(_tzcnt_u64(_pdep_u64(std::uint64_t{1} << k, word)));
}

DENTATE_KERNEL_INLINE std::uint64_t LowMask(std::uint32_t n) {
  return _bzhi_u64(~std::uint64_t{0}, n);
}

DENTATE_KERNEL std::uint32_t CountOnes(const std::uint64_t* words, std::uint32_t bit_count) {
  std::uint32_t ones = 0;
  for (; bit_count >= 64; bit_count -= 64) {
    ones += Popcount(__atomic_load_n(words++, __ATOMIC_RELAXED));
  }
  if (bit_count == 0) return ones;  // else *words may lie past the line
  return ones + Popcount(_bzhi_u64(__atomic_load_n(words, __ATOMIC_RELAXED), bit_count));
}

// Digits `digit` among the first `offset` of a line. Lane 0 holds digits 192..223, lanes 1..3 the
// others:  [ word 7 | word 1 | word 2 | word 3 ] for the low bits, and for the high bits
// [ word 7 >> 32 | word 4 | word 5 | word 6 ].
DENTATE_KERNEL_INLINE __m256i MatchLanes(const std::uint64_t* line, std::uint32_t digit,
                                         std::uint32_t offset) {
  const __m256i front = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line));
  const __m256i back = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line + 4));
  const __m256i turned = _mm256_permute4x64_epi64(back, 0b10'01'00'11);
  const __m256i low = _mm256_blend_epi32(front, turned, 0b00000011);
  const __m256i high = _mm256_srlv_epi64(turned, _mm256_setr_epi64x(32, 0, 0, 0));
  const __m256i flip_low = _mm256_set1_epi64x(static_cast<long long>(std::uint64_t{digit & 1} - 1));
  const __m256i flip_high =
      _mm256_set1_epi64x(static_cast<long long>(std::uint64_t{digit >> 1} - 1));
  // A lane keeps its lowest offset - base bits: none when that is negative, all from 64 on (a shift
  // by 64 or more gives zero).
  const __m256i rest =
      _mm256_sub_epi32(_mm256_set1_epi64x(offset), _mm256_setr_epi64x(192, 0, 64, 128));
  const __m256i kept = _mm256_and_si256(_mm256_max_epi32(rest, _mm256_setzero_si256()),
                                        _mm256_set1_epi64x(0xffffffff));
  const __m256i dropped = _mm256_sllv_epi64(_mm256_set1_epi64x(-1), kept);
  const __m256i both =
      _mm256_and_si256(_mm256_xor_si256(low, flip_low), _mm256_xor_si256(high, flip_high));
  return _mm256_andnot_si256(dropped, both);
}

DENTATE_KERNEL_INLINE std::uint32_t SumLanes(__m256i counts) {
  const __m128i half =
      _mm_add_epi64(_mm256_castsi256_si128(counts), _mm256_extracti128_si256(counts, 1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(half) + _mm_extract_epi32(half, 2));
}

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
