#include "hamming/scan.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dentate::hamming {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{128} << 10;  // an eighth of a 1 MiB L2 cache
constexpr std::size_t kFirstBlockRows = 256;
constexpr std::size_t kMinBlockRows = 64;  // of signatures so long that kBlockBytes holds few
constexpr std::size_t kVerifiedShare = 64;

struct State {
  Probe probe;
  Collector* collector;
};

}  // namespace

std::size_t PrefixWords(std::size_t words, std::uint32_t radius) noexcept {
  // A random row differs from the query in 32 of each word's 64 bits, give or take 4. A prefix of p
  // words is 3.3 standard deviations from its mean, and leaves 0.05% of the rows, at
  // 32 p - 3.3 * 4 * sqrt(p): 18 bits for one word, 45 for two.
  constexpr double kDeviations = 3.3 * 4;
  for (std::size_t prefix = 1; prefix < words; ++prefix) {
    const auto mean = 32.0 * static_cast<double>(prefix);
    if (radius <= mean - kDeviations * std::sqrt(static_cast<double>(prefix))) return prefix;
  }
  return words;
}

bool Scan(const ColumnsView& columns, std::size_t begin, std::size_t end,
          std::span<const ScanQuery> queries, const Cancelled& cancelled, const Kernels& kernels) {
  const std::size_t words = columns.words();
  const std::size_t block_rows =
      std::max(kMinBlockRows, kBlockBytes / (words * sizeof(std::uint64_t)));
  std::vector<State> states;
  for (const ScanQuery& query : queries) {
    const Probe probe{query.words, words, PrefixWords(words, query.radius), query.radius};
    states.push_back({probe, query.collector});
  }
  std::vector<std::uint32_t> ids(block_rows + kOutputSlack);
  std::vector<std::uint16_t> distances(block_rows + kOutputSlack);

  std::size_t limit = std::min(kFirstBlockRows, block_rows);
  for (std::size_t row = begin; row < end;) {
    if (cancelled && cancelled()) return false;
    const auto run = columns.RunAt(row, std::min(end, row + limit));
    const Block block{run.columns, run.stride, run.rows, static_cast<std::uint32_t>(row)};
    for (State& state : states) {
      Probe& probe = state.probe;
      const Found found = kernels.range(block, probe, ids.data(), distances.data());
      if (found.verified * kVerifiedShare > run.rows) probe.prefix = words;
      if (found.matches == 0) continue;
      const std::uint32_t radius =
          state.collector->Take({ids.data(), found.matches}, {distances.data(), found.matches});
      if (radius != probe.radius) {
        probe.radius = radius;
        probe.prefix = PrefixWords(words, radius);
      }
    }
    row += run.rows;
    limit = std::min(limit * 2, block_rows);
  }
  return true;
}

}  // namespace dentate::hamming
