#include "hamming/range_search.h"

#include <atomic>
#include <cassert>

#include "hamming/parallel.h"
#include "hamming/scan.h"

namespace dentate::hamming {
namespace {

class Appender final : public Collector {
 public:
  Appender(std::uint32_t radius, std::vector<std::uint32_t>& ids,
           std::vector<std::uint16_t>& distances)
      : radius_(radius), ids_(ids), distances_(distances) {}

  std::uint32_t Take(std::span<const std::uint32_t> ids,
                     std::span<const std::uint16_t> distances) override {
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    distances_.insert(distances_.end(), distances.begin(), distances.end());
    return radius_;
  }

 private:
  const std::uint32_t radius_;
  std::vector<std::uint32_t>& ids_;
  std::vector<std::uint16_t>& distances_;
};

}  // namespace

void RangeSearch(const ColumnsView& columns, std::span<const std::uint64_t> query,
                 std::uint32_t radius, std::size_t begin, std::size_t end,
                 std::vector<std::uint32_t>& ids, std::vector<std::uint16_t>& distances) {
  assert(query.size() == columns.words());
  ids.clear();
  distances.clear();
  Appender appender(radius, ids, distances);
  const ScanQuery scan{query.data(), radius, &appender};
  Scan(columns, begin, end, {&scan, 1}, {});
}

bool RangeSearchMany(const ColumnsView& columns, std::span<const std::uint64_t* const> queries,
                     std::uint32_t radius, std::size_t begin, std::size_t end,
                     const SearchOptions& options, std::span<Matches* const> matches) {
  assert(queries.size() == matches.size());
  const std::size_t row_bytes = columns.words() * sizeof(std::uint64_t);
  const std::size_t parts = PartCount((end - begin) * row_bytes * queries.size(), options.threads);
  // The first part writes in place; the others are appended when all are done.
  std::vector<Matches> later((parts - 1) * queries.size());
  std::atomic<bool> complete{true};
  ForEachPart(begin, end, parts, [&](std::size_t part, std::size_t from, std::size_t to) {
    std::vector<Appender> appenders;
    std::vector<ScanQuery> scans;
    appenders.reserve(queries.size());
    for (std::size_t q = 0; q < queries.size(); ++q) {
      Matches& out = part == 0 ? *matches[q] : later[(part - 1) * queries.size() + q];
      appenders.emplace_back(radius, out.ids, out.distances);
      scans.push_back({queries[q], radius, &appenders.back()});
    }
    if (!Scan(columns, from, to, scans, options.cancelled)) complete = false;
  });
  for (std::size_t i = 0; i < later.size(); ++i) {
    Matches& out = *matches[i % queries.size()];
    out.ids.insert(out.ids.end(), later[i].ids.begin(), later[i].ids.end());
    out.distances.insert(out.distances.end(), later[i].distances.begin(), later[i].distances.end());
  }
  return complete;
}

}  // namespace dentate::hamming
