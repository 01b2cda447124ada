// Appending: sustained speed (CPU time of the calling thread) in calls of several sizes, and the
// latency of each call of one symbol.

#ifndef DENTATE_BENCH_WAVELET_APPEND_H_
#define DENTATE_BENCH_WAVELET_APPEND_H_

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wavelet/measure.h"

namespace dentate::bench {

// Times this thread was preempted so far.
inline long Preemptions() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

// Appends the text in calls of `call` symbols; prints millions of symbols a second.
template <typename Structure>
void MeasureAppend(const std::string& name, Structure& structure,
                   std::span<const std::uint32_t> text, std::size_t call) {
  const double start = CpuNs();
  for (std::size_t i = 0; i < text.size(); i += call) {
    structure.Append(text.subspan(i, std::min(call, text.size() - i)));
  }
  const double ns = CpuNs() - start;
  PrintRow(name, "append-" + std::to_string(call), static_cast<double>(text.size()) * 1e3 / ns,
           "Msymbols/s");
}

// Appends one symbol a call and prints percentiles of the calls' times, the clock's own time (about
// 20 ns) included. On a shared machine the slowest calls are those the thread was preempted in: the
// kernel counts these, and append-max-undisturbed leaves them out.
template <typename Structure>
void MeasureAppendLatency(const std::string& name, Structure& structure,
                          std::span<const std::uint32_t> text) {
  constexpr std::uint32_t kSlowNs = 20000;
  std::vector<std::uint32_t> times;
  times.reserve(text.size());
  std::uint32_t longest_undisturbed = 0;
  std::uint32_t longest_fast = 0;
  long preemptions = Preemptions();
  double before = WallNs();
  for (std::size_t i = 0; i < text.size(); ++i) {
    structure.Append(text.subspan(i, 1));
    double after = WallNs();
    const auto ns = static_cast<std::uint32_t>(after - before);
    times.push_back(ns);
    if (ns > kSlowNs) {
      const long now = Preemptions();
      if (now == preemptions) longest_undisturbed = std::max(longest_undisturbed, ns);
      preemptions = now;
      after = WallNs();
    } else {
      longest_fast = std::max(longest_fast, ns);
    }
    before = after;
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return static_cast<double>(
        times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))]);
  };
  PrintRow(name, "append-p50", at(0.5), "ns");
  PrintRow(name, "append-p99", at(0.99), "ns");
  PrintRow(name, "append-p99.9", at(0.999), "ns");
  PrintRow(name, "append-max", at(1), "ns");
  PrintRow(name, "append-max-undisturbed", std::max(longest_fast, longest_undisturbed), "ns");
}

}  // namespace dentate::bench

#endif  // DENTATE_BENCH_WAVELET_APPEND_H_
