// Loops that do nothing but what a machine is limited by, with the widest vectors that the CPU has:
// what benches hold their work against.

#ifndef DENTATE_BENCH_NATIVE_LIMIT_LOOPS_H_
#define DENTATE_BENCH_NATIVE_LIMIT_LOOPS_H_

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // in GCC's own header (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wuninitialized"        // the same
#endif
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

#include "core/cpu.h"

namespace dentate::bench {

struct Loops {
  // The sum of `count` words.
  std::uint64_t (*read)(const std::uint64_t* words, std::size_t count);
  // `steps` times as many operations as are returned by `operations`, in chains that hide latency.
  float (*multiply_add)(std::uint64_t steps);
  std::uint64_t operations;
};

inline std::uint64_t ReadScalar(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += words[i + lane];
  }
  for (; i < count; ++i) sums[0] += words[i];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

inline float MultiplyAddScalar(std::uint64_t steps) {
  float sums[16] = {};
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (float& sum : sums) sum = sum * 0.5f + 1.0f;
  }
  float sum = 0;
  for (const float each : sums) sum += each;
  return sum;
}

#if defined(__x86_64__)

// Ten chains: two multiply-adds a cycle, each of which takes four or five.
inline constexpr std::uint64_t kChains = 10;

__attribute__((target("avx2,fma"))) inline std::uint64_t ReadAvx2(const std::uint64_t* words,
                                                                  std::size_t count) {
  __m256i sums[4] = {};
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const auto* at = reinterpret_cast<const __m256i*>(words + i + 4 * lane);
      sums[lane] = _mm256_add_epi64(sums[lane], _mm256_loadu_si256(at));
    }
  }
  const __m256i sum =
      _mm256_add_epi64(_mm256_add_epi64(sums[0], sums[1]), _mm256_add_epi64(sums[2], sums[3]));
  return static_cast<std::uint64_t>(_mm256_extract_epi64(sum, 0)) +
         static_cast<std::uint64_t>(_mm256_extract_epi64(sum, 3)) +
         ReadScalar(words + i, count - i);
}

__attribute__((target("avx2,fma"))) inline float MultiplyAddAvx2(std::uint64_t steps) {
  const __m256 half = _mm256_set1_ps(0.5f);
  const __m256 one = _mm256_set1_ps(1.0f);
  __m256 sums[kChains] = {};
  for (std::uint64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 10
    for (std::uint64_t chain = 0; chain < kChains; ++chain) {
      sums[chain] = _mm256_fmadd_ps(sums[chain], half, one);
    }
  }
  float sum = 0;
  for (const __m256 each : sums) sum += _mm256_cvtss_f32(each);
  return sum;
}

__attribute__((target("avx512f"))) inline std::uint64_t ReadAvx512(const std::uint64_t* words,
                                                                   std::size_t count) {
  __m512i sums[4] = {};
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      sums[lane] = _mm512_add_epi64(sums[lane], _mm512_loadu_si512(words + i + 8 * lane));
    }
  }
  const __m512i sum =
      _mm512_add_epi64(_mm512_add_epi64(sums[0], sums[1]), _mm512_add_epi64(sums[2], sums[3]));
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(sum)) +
         ReadScalar(words + i, count - i);
}

__attribute__((target("avx512f"))) inline float MultiplyAddAvx512(std::uint64_t steps) {
  const __m512 half = _mm512_set1_ps(0.5f);
  const __m512 one = _mm512_set1_ps(1.0f);
  __m512 sums[kChains] = {};
  for (std::uint64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 10
    for (std::uint64_t chain = 0; chain < kChains; ++chain) {
      sums[chain] = _mm512_fmadd_ps(sums[chain], half, one);
    }
  }
  float sum = 0;
  for (const __m512 each : sums) sum += _mm512_cvtss_f32(each);
  return sum;
}

#endif  // defined(__x86_64__)

inline Loops LoopsOf(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx512) return {ReadAvx512, MultiplyAddAvx512, 32 * kChains};
  if (isa == Isa::kAvx2) return {ReadAvx2, MultiplyAddAvx2, 16 * kChains};
#endif
  return {ReadScalar, MultiplyAddScalar, 32};
}

}  // namespace dentate::bench

#endif  // DENTATE_BENCH_NATIVE_LIMIT_LOOPS_H_
