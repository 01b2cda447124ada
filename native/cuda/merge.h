// The best keys of several tiles: each tile gives its own, in order.

#ifndef DENTATE_CUDA_MERGE_H_
#define DENTATE_CUDA_MERGE_H_

#include <cstdint>
#include <span>
#include <vector>

namespace dentate::cuda {

// The lists of several queries; each is kept at its best `k`, ascending.
class BestKeys {
 public:
  BestKeys(std::size_t queries, std::size_t k) : k_(k), lists_(queries) {}

  // Adds a tile's keys, ascending, to query's. O(k + keys).
  void Merge(std::size_t query, std::span<const std::uint64_t> keys);
  // The same for keys in any order, which are changed. O(keys + k log k).
  void MergeUnordered(std::size_t query, std::span<std::uint64_t> keys);

  std::span<const std::uint64_t> Of(std::size_t query) const { return lists_[query]; }

 private:
  const std::size_t k_;
  std::vector<std::vector<std::uint64_t>> lists_;
  std::vector<std::uint64_t> merged_;
};

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_MERGE_H_
