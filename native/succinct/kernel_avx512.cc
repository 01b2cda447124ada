// Kernels for AVX-512 with VPOPCNTDQ: Ice Lake (2019), Zen 4 (2022) and later.
//
//   instruction   latency  use
//   POPCNT        3        ones of a word; four to seven of them run in parallel
//   BZHI          1        the masked last word
//   PDEP, TZCNT   3, 1     select in a word
//   VPOPCNTQ      3        popcount of the four words of a line at once, in batches
//   VPTESTMD      3        one bit each of 16 symbols, when a line is packed
//
// Lines are 64 bytes, but a 512-bit register holds no more of one line than a 256-bit register
// after the low and high bits are brought together, so the queries use the latter (AVX-512VL).

#if defined(__x86_64__)

#include <immintrin.h>

#include "succinct/kernels.h"
#include "succinct/symbol_starts.h"

#define DENTATE_KERNEL                                                             \
  __attribute__((                                                                  \
      target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx2,popcnt,bmi," \
             "bmi2")))
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
  return SumLanes(_mm256_popcnt_epi64(MatchLanes(line, digit, offset)));
}

#include "succinct/quad_ops.h"

#include "succinct/huffman_ops.h"  // needs it

DENTATE_KERNEL std::uint64_t PackLine(const std::uint32_t* symbols, std::uint32_t shift,
                                      std::uint64_t* line) {
  std::uint64_t low[4] = {};
  std::uint64_t high[4] = {};
  const __m512i low_bit = _mm512_set1_epi32(static_cast<int>(std::uint32_t{1} << shift));
  const __m512i high_bit = _mm512_set1_epi32(static_cast<int>(std::uint32_t{2} << shift));
  for (std::uint32_t i = 0; i < kLineDigits; i += 16) {
    const __m512i sixteen = _mm512_loadu_si512(symbols + i);
    low[i / 64] |= std::uint64_t{_mm512_test_epi32_mask(sixteen, low_bit)} << i % 64;
    high[i / 64] |= std::uint64_t{_mm512_test_epi32_mask(sixteen, high_bit)} << i % 64;
  }
  return StoreLine(low, high, line);
}

}  // namespace

const Kernels kAvx512Kernels = {"avx512",   CountOnes, SelectInWord, PackLine,    Access,      Rank,
                                Select,     Run,       AccessMany,   RankMany,    SelectMany,  Lift,
                                AccessSpan, Children,  HuffmanSpan,  HuffmanLift, HuffmanCount};

}  // namespace dentate::succinct

#endif
