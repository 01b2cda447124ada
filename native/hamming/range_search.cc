#include "hamming/range_search.h"

#include <cassert>

#include "hamming/scan.h"

namespace dentate::hamming {
namespace {

class Append final : public Collector {
 public:
  Append(std::uint32_t radius, std::vector<std::uint32_t>& ids,
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

void RangeSearch(const SignatureColumns& columns, std::span<const std::uint64_t> query,
                 std::uint32_t radius, std::size_t limit_rows, std::vector<std::uint32_t>& ids,
                 std::vector<std::uint16_t>& distances) {
  assert(query.size() == columns.words());
  ids.clear();
  distances.clear();
  Append collector(radius, ids, distances);
  const ScanQuery scan{query.data(), radius, &collector};
  Scan(columns, 0, limit_rows, {&scan, 1}, {});
}

}  // namespace dentate::hamming
