#include "hamming/nearest_search.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <vector>

#include "hamming/parallel.h"
#include "hamming/scan.h"
#include "hamming/top_k.h"

namespace dentate::hamming {
namespace {

// The k least of the keys, decoded. REQUIRES: keys hold each row once.
void Decode(std::vector<std::uint64_t>& keys, std::size_t k, Matches& matches) {
  if (keys.size() > k) {
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(k), keys.end());
    keys.resize(k);
  }
  std::sort(keys.begin(), keys.end());
  matches.ids.resize(keys.size());
  matches.distances.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    matches.ids[i] = TopK::IdOf(keys[i]);
    matches.distances[i] = TopK::DistanceOf(keys[i]);
  }
}

}  // namespace

bool NearestSearchMany(const ColumnsView& columns, std::span<const std::uint64_t* const> queries,
                       std::size_t k, std::size_t end, const SearchOptions& options,
                       std::span<Matches* const> matches) {
  assert(queries.size() == matches.size());
  const std::size_t row_bytes = columns.words() * sizeof(std::uint64_t);
  const std::size_t parts = PartCount(end * row_bytes * queries.size(), options.threads);
  const auto farthest = static_cast<std::uint32_t>(columns.words() * 64);
  std::vector<TopK> nearest(parts * queries.size(), TopK(k, farthest));
  std::atomic<bool> complete{true};
  ForEachPart(0, end, parts, [&](std::size_t part, std::size_t from, std::size_t to) {
    std::vector<ScanQuery> scans;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      scans.push_back({queries[q], farthest, &nearest[part * queries.size() + q]});
    }
    if (!Scan(columns, from, to, scans, options.cancelled)) complete = false;
  });
  if (!complete) return false;
  std::vector<std::uint64_t> keys;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    keys.clear();
    for (std::size_t part = 0; part < parts; ++part) {
      const auto kept = nearest[part * queries.size() + q].keys();
      keys.insert(keys.end(), kept.begin(), kept.end());
    }
    Decode(keys, k, *matches[q]);
  }
  return true;
}

}  // namespace dentate::hamming
