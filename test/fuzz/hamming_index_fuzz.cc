// Any bytes as a serialized HammingIndex: refused, or an index that serializes to the same bytes
// and answers alike whether hashed or not.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "hamming/hamming_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using dentate::hamming::HammingIndex;
  using dentate::hamming::Matches;
  std::shared_ptr<HammingIndex> index;
  if (!HammingIndex::Deserialize({data, size}, index).ok()) return 0;
  const std::size_t rows = index->columns().size();
  std::vector<std::uint8_t> bytes(index->SerializedBytes(rows));
  index->SerializeTo(rows, bytes);
  if (!std::equal(bytes.begin(), bytes.end(), data, data + size)) std::abort();
  if (rows == 0) return 0;

  const std::size_t words = index->columns().words();
  std::vector<std::uint64_t> query(words);
  for (std::size_t w = 0; w < words; ++w) query[w] = *index->columns().WordAt(rows / 2, w);
  const auto radius = static_cast<std::uint32_t>(rows % (words * 16));
  const auto hashes = dentate::hamming::MultiIndex::Build(index->columns(), rows, {});
  std::vector<Matches> scanned;
  if (!index->Within(query, radius, {}, scanned).ok()) std::abort();
  // Looking up a large ball in the hashes would take for ever.
  if (radius > words * 8) return 0;
  Matches hashed;
  hashes->SearchAlways(query.data(), radius, hashed);
  if (hashed.ids != scanned[0].ids || hashed.distances != scanned[0].distances) std::abort();
  return 0;
}
