#include "succinct/live_source.h"

#include <algorithm>
#include <atomic>

#include "succinct/live_kernels.h"
#include "succinct/live_leaf.h"

namespace dentate::succinct {

void LiveSource::Split(unsigned level, const Node& node, std::array<Node, 4>& children) const {
  children = {};
  if (Size(node) == 0) return;
  const unsigned bits = 2 * (level_count() - level);  // left before this digit
  if (node.child != kSlice && !IsLeaf(node.child)) {
    const LiveNode& inner = *AsNode(node.child);
    const auto node_ranks = ActiveLiveKernels().node_ranks;
    const auto starts = node_ranks(inner, node.start);
    const auto ends = node_ranks(inner, node.end);
    for (unsigned digit = 0; digit < 4; ++digit) {
      if (starts[digit] == ends[digit]) continue;
      children[digit] = {inner.child[digit].load(std::memory_order_acquire), starts[digit],
                         ends[digit]};
    }
    return;
  }
  const Node slice = node.child == kSlice ? node : SortLeaf(bits, node);
  const auto first = sorted_.begin() + slice.start;
  const auto last = sorted_.begin() + slice.end;
  std::uint32_t start = slice.start;
  for (unsigned digit = 0; digit < 4; ++digit) {
    const auto end = std::partition_point(first, last, [bits, digit](std::uint32_t symbol) {
      return (symbol >> (bits - 2) & 3) <= digit;
    });
    const auto end_index = static_cast<std::uint32_t>(end - sorted_.begin());
    if (end_index > start) children[digit] = {kSlice, start, end_index};
    start = end_index;
  }
}

LiveSource::Node LiveSource::SortLeaf(unsigned bits, const Node& node) const {
  const auto first = static_cast<std::uint32_t>(sorted_.size());
  WithLanes(bits, [&]<typename L>() {
    for (std::uint32_t i = node.start; i < node.end; ++i) {
      sorted_.push_back(L::Get(*AsLeaf(node.child), i));
    }
  });
  std::sort(sorted_.begin() + first, sorted_.end());
  return {kSlice, first, static_cast<std::uint32_t>(sorted_.size())};
}

}  // namespace dentate::succinct
