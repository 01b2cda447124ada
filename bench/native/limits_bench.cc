// What this machine can do at most: how fast it reads memory, and multiplies and adds. The
// accelerator bench divides by it.
//
//   limits_bench BYTES...
//
// One line of JSON a figure: bytes a second, for a plain read of each of the sizes, and
// floating-point operations a second (a multiply-add is two), each on one thread and on all. The
// best of several rounds, with the widest vectors that the CPU has. Each thread reads a slice of
// its own.

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // in GCC's own header (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wuninitialized"        // the same
#endif
#include <immintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "core/cpu.h"

namespace dentate {
namespace {

constexpr double kSecondsEach = 0.15;
constexpr int kRoundsAtLeast = 4;
constexpr std::uint64_t kFmaSteps = 400'000;

// What the loops made, so that none can be left out.
std::atomic<std::uint64_t> sink{0};

struct Loops {
  // The sum of `count` words.
  std::uint64_t (*read)(const std::uint64_t* words, std::size_t count);
  // `steps` times as many operations as are returned by `operations`, in chains that hide latency.
  float (*multiply_add)(std::uint64_t steps);
  std::uint64_t operations;
};

std::uint64_t ReadScalar(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += words[i + lane];
  }
  for (; i < count; ++i) sums[0] += words[i];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

float MultiplyAddScalar(std::uint64_t steps) {
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
constexpr int kChains = 10;

__attribute__((target("avx2,fma"))) std::uint64_t ReadAvx2(const std::uint64_t* words,
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

__attribute__((target("avx2,fma"))) float MultiplyAddAvx2(std::uint64_t steps) {
  const __m256 half = _mm256_set1_ps(0.5f);
  const __m256 one = _mm256_set1_ps(1.0f);
  __m256 sums[kChains] = {};
  for (std::uint64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 10
    for (int chain = 0; chain < kChains; ++chain) {
      sums[chain] = _mm256_fmadd_ps(sums[chain], half, one);
    }
  }
  float sum = 0;
  for (const __m256 each : sums) sum += _mm256_cvtss_f32(each);
  return sum;
}

__attribute__((target("avx512f"))) std::uint64_t ReadAvx512(const std::uint64_t* words,
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

__attribute__((target("avx512f"))) float MultiplyAddAvx512(std::uint64_t steps) {
  const __m512 half = _mm512_set1_ps(0.5f);
  const __m512 one = _mm512_set1_ps(1.0f);
  __m512 sums[kChains] = {};
  for (std::uint64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 10
    for (int chain = 0; chain < kChains; ++chain) {
      sums[chain] = _mm512_fmadd_ps(sums[chain], half, one);
    }
  }
  float sum = 0;
  for (const __m512 each : sums) sum += _mm512_cvtss_f32(each);
  return sum;
}

#endif  // defined(__x86_64__)

Loops LoopsOf(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx512) return {ReadAvx512, MultiplyAddAvx512, 2 * 16 * kChains};
  if (isa == Isa::kAvx2) return {ReadAvx2, MultiplyAddAvx2, 2 * 8 * kChains};
#endif
  return {ReadScalar, MultiplyAddScalar, 2 * 16};
}

// The best of some rounds, in seconds, of `work(thread)` on each of the threads at once.
template <typename Work>
double BestSeconds(unsigned threads, const Work& work) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  double total = 0;
  for (int round = 0; round < kRoundsAtLeast || total < kSecondsEach; ++round) {
    std::atomic<unsigned> ready{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> others;
    for (unsigned thread = 1; thread < threads; ++thread) {
      others.emplace_back([&, thread] {
        ++ready;
        while (!go) std::this_thread::yield();
        work(thread);
      });
    }
    while (ready + 1 < threads) std::this_thread::yield();
    const auto start = Clock::now();
    go = true;
    work(0);
    for (std::thread& other : others) other.join();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::min(best, seconds);
    total += seconds;
  }
  return best;
}

void Print(const char* what, std::uint64_t bytes, unsigned threads, double value) {
  std::printf("{\"limit\":\"%s\",\"bytes\":%llu,\"threads\":%u,\"value\":%.6g}\n", what,
              static_cast<unsigned long long>(bytes), threads, value);
}

void MeasureRead(const Loops& loops, std::uint64_t bytes, unsigned threads) {
  const std::size_t count = bytes / sizeof(std::uint64_t);
  const std::vector<std::uint64_t> words(count, 1);
  // Small sizes are read several times a round: a round must be longer than starting a thread.
  const std::uint64_t repeats = std::max<std::uint64_t>(1, (std::uint64_t{64} << 20) / bytes);
  const double seconds = BestSeconds(threads, [&](unsigned thread) {
    const std::size_t begin = count * thread / threads;
    const std::size_t end = count * (thread + 1) / threads;
    for (std::uint64_t i = 0; i < repeats; ++i)
      sink += loops.read(words.data() + begin, end - begin);
  });
  Print("read", bytes, threads, static_cast<double>(bytes * repeats) / seconds);
}

void MeasureMultiplyAdd(const Loops& loops, unsigned threads) {
  const double seconds = BestSeconds(threads, [&](unsigned) {
    sink += static_cast<std::uint64_t>(loops.multiply_add(kFmaSteps));
  });
  Print("multiply-add", 0, threads,
        static_cast<double>(loops.operations * kFmaSteps * threads) / seconds);
}

int Main(int argc, char** argv) {
  const Loops loops = LoopsOf(ActiveIsa());
  const unsigned all = std::max(1U, std::thread::hardware_concurrency());
  for (const unsigned threads : {1U, all}) {
    MeasureMultiplyAdd(loops, threads);
    for (int i = 1; i < argc; ++i) {
      MeasureRead(loops, std::max(64ULL, std::strtoull(argv[i], nullptr, 10)), threads);
    }
    if (all == 1) break;
  }
  return 0;
}

}  // namespace
}  // namespace dentate

int main(int argc, char** argv) { return dentate::Main(argc, argv); }
