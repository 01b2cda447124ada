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

#include "succinct/x86_line_ops.h"

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
