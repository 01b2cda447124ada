// An AtomIndex from any bytes: refused, or one that clusters, searches, removes and is written
// again without a fault.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atoms/atom_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dentate::atoms;
  std::shared_ptr<AtomIndex> index;
  if (!AtomIndex::Deserialize({data, size}, index).ok()) return 0;
  const auto bytes = index->Serialize();
  std::shared_ptr<AtomIndex> copy;
  if (!AtomIndex::Deserialize(bytes, copy).ok() || copy->Serialize() != bytes) __builtin_trap();
  std::vector<float> vector(index->options().dimensions, 1);
  std::vector<Scored> nearest;
  for (const By by : {By::kFirstSingularVector, By::kCentroid, By::kSubspace, By::kBestMember}) {
    if (!index->Nearest(vector, 3, by, nearest)) __builtin_trap();
    for (const Scored& scored : nearest) {
      // A cosine, but for rounding; of a subspace at most the rounding of sixteen.
      if (!(scored.score >= -1.01 && scored.score <= 1.01)) __builtin_trap();
      for (const std::uint32_t member : index->MembersOf(scored.number)) index->Remove(member);
    }
  }
  return 0;
}
