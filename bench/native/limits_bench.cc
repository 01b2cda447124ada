// What this machine can do at most: how fast it reads memory, and multiplies and adds. The
// accelerator bench divides by it.
//
//   limits_bench BYTES...
//
// One line of JSON a figure: bytes a second, for a plain read of each of the sizes, and
// floating-point operations a second (a multiply-add is two), each on one thread and on all. The
// best of several rounds, with the widest vectors that the CPU has. Each thread reads a slice of
// its own.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "core/cpu.h"
#include "limit_loops.h"

namespace dentate::bench {
namespace {

constexpr double kSecondsEach = 0.15;
constexpr int kRoundsAtLeast = 4;
constexpr std::uint64_t kFmaSteps = 400'000;

// What the loops made, so that none can be left out.
std::atomic<std::uint64_t> sink{0};

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
}  // namespace dentate::bench

int main(int argc, char** argv) { return dentate::bench::Main(argc, argv); }
