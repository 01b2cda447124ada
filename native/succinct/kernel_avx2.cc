// POPCNT, BMI2 and AVX2 kernels: Haswell (2013), Zen (2017) and later.
//
//   instruction  latency  use
//   POPCNT       3        ones of a word; four or seven of them run in parallel
//   BZHI         1        the masked last word
//   PDEP + TZCNT 3 + 1    select in a word (18 and slow on Zen 1 and 2, still right)

#if defined(__x86_64__)

#include <immintrin.h>

#include "succinct/kernels.h"

#define DENTATE_TARGET_AVX2 __attribute__((target("avx2,popcnt,bmi,bmi2")))

namespace dentate::succinct {
namespace {

DENTATE_TARGET_AVX2 std::uint32_t CountOnes(const std::uint64_t* words, std::uint32_t bit_count) {
  std::uint64_t ones = 0;
  for (; bit_count >= 64; bit_count -= 64) {
    ones += static_cast<std::uint64_t>(_mm_popcnt_u64(__atomic_load_n(words++, __ATOMIC_RELAXED)));
  }
  if (bit_count == 0) return static_cast<std::uint32_t>(ones);  // else *words may lie past the line
  const std::uint64_t last = _bzhi_u64(__atomic_load_n(words, __ATOMIC_RELAXED), bit_count);
  return static_cast<std::uint32_t>(ones + static_cast<std::uint64_t>(_mm_popcnt_u64(last)));
}

DENTATE_TARGET_AVX2 std::uint32_t SelectInWord(std::uint64_t word, std::uint32_t k) {
  return static_cast<std::uint32_t>(_tzcnt_u64(_pdep_u64(std::uint64_t{1} << k, word)));
}

}  // namespace

const Kernels kAvx2Kernels = {"avx2", CountOnes, SelectInWord};

}  // namespace dentate::succinct

#endif
