// Time, medians, and rows of JSON.

#ifndef DENTATE_BENCH_WAVELET_MEASURE_H_
#define DENTATE_BENCH_WAVELET_MEASURE_H_

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

namespace dentate::bench {

inline double ToNs(const timespec& time) {
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// CPU time of the calling thread: what was done while it was preempted does not count.
inline double CpuNs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return ToNs(time);
}

inline double WallNs() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return ToNs(time);
}

// Zero that the compiler can't know to be zero: added to a query it makes that query wait for the
// answer it is computed from, as a chain of real queries would.
inline std::uint32_t Zero(std::uint32_t answer) {
  // AND, since the CPU takes XOR of a register with itself for a constant and does not wait.
  asm volatile("andl $0, %0" : "+r"(answer) : : "cc");
  return answer;
}

// Ends the run when an answer is wrong: a fast wrong answer is no result.
inline void Require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wavelet_bench: wrong answer: %s\n", what);
  std::exit(1);
}

inline void PrintRow(const std::string& name, const std::string& metric, double value,
                     const char* unit) {
  std::printf("{\"name\":\"%s\",\"metric\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"}\n", name.c_str(),
              metric.c_str(), value, unit);
  std::fflush(stdout);
}

inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Rounds of the same measure of several structures, taken in turn so that what disturbs the machine
// disturbs all of them.
class Rounds {
 public:
  void Add(const std::string& name, const std::string& metric, double ns) {
    auto& values = values_[name][metric];
    if (values.empty()) order_.push_back({name, metric});
    values.push_back(ns);
  }
  double MedianOf(const std::string& name, const std::string& metric) const {
    const auto structure = values_.find(name);
    if (structure == values_.end()) return 0;
    const auto values = structure->second.find(metric);
    return values == structure->second.end() ? 0 : Median(values->second);
  }
  // Medians and minima of all, then `name`'s medians over `base`'s where both have the metric.
  void Print(const std::string& suffix, const std::string& base) const {
    for (const auto& [name, metric] : order_) {
      const auto& values = values_.at(name).at(metric);
      PrintRow(name + suffix, metric, Median(values), "ns");
      PrintRow(name + suffix, metric + "-min", *std::min_element(values.begin(), values.end()),
               "ns");
    }
    for (const auto& [name, metric] : order_) {
      const double other = MedianOf(base, metric);
      if (name != base && other > 0) {
        PrintRow(name + suffix, metric + "/" + base, MedianOf(name, metric) / other, "ratio");
      }
    }
  }

 private:
  std::map<std::string, std::map<std::string, std::vector<double>>> values_;
  std::vector<std::pair<std::string, std::string>> order_;
};

}  // namespace dentate::bench

#endif  // DENTATE_BENCH_WAVELET_MEASURE_H_
