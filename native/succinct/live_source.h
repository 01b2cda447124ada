// A live tree as a source of range_query.h: how an interval of positions splits by the next digit.
//
// An interval of an inner node splits by eight ranks. An interval of a leaf is copied once, sorted,
// and from then on is a slice of the copies, whose children are slices too: a leaf has up to eight
// digits left, and each is then a binary search instead of a scan.
//
// Threads. One query's; inside its EpochGuard. Space: the symbols of the leaves it entered.

#ifndef DENTATE_SUCCINCT_LIVE_SOURCE_H_
#define DENTATE_SUCCINCT_LIVE_SOURCE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "succinct/live_wavelet_tree.h"

namespace dentate::succinct {

class LiveSource {
 public:
  struct Node {
    std::uintptr_t child = 0;  // of the tree, or kSlice
    std::uint32_t start = 0;
    std::uint32_t end = 0;
  };

  explicit LiveSource(const LiveWaveletTree& tree) noexcept : tree_(&tree) {}

  // REQUIRES: start <= end <= a size() this thread has loaded.
  Node Root(std::uint32_t start, std::uint32_t end) const noexcept {
    return {tree_->root(), start, end};
  }

  unsigned level_count() const noexcept { return tree_->levels(); }
  static std::uint32_t Size(const Node& node) noexcept { return node.end - node.start; }
  void Split(unsigned level, const Node& node, std::array<Node, 4>& children) const;

 private:
  static constexpr std::uintptr_t kSlice = 2;  // no address, no leaf

  Node SortLeaf(unsigned bits, const Node& node) const;

  const LiveWaveletTree* tree_;
  mutable std::vector<std::uint32_t> sorted_;  // the rests of the leaves' symbols, slice by slice
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_SOURCE_H_
