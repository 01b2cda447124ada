#include "succinct/huffman_shape.h"

#include <algorithm>
#include <cassert>

namespace dentate::succinct {
namespace {

// Ends by Huffman's method with four children a node, when no count is taken for less than `least`.
// The lightest ones wait in two queues, symbols and nodes, each of which ascends by itself.
std::vector<std::uint32_t> EndsAtLeast(std::span<const std::uint32_t> counts, std::uint64_t least) {
  const std::size_t symbols = counts.size();
  // With symbols of no weight every node has four children. They are merged first, so they are the
  // deepest.
  const std::size_t missing = symbols <= 1 ? 4 - symbols : (4 - symbols % 3) % 3;
  const std::size_t leaves = symbols + missing;
  const std::size_t nodes = (leaves - 1) / 3;
  std::vector<std::uint64_t> weights(nodes);  // of the nodes, as they are made
  std::vector<std::uint32_t> leaf_parents(leaves), node_parents(nodes);
  std::size_t leaf = 0;  // the missing ones, then the symbols from the last one on
  std::size_t node = 0;
  const auto weight_of_leaf = [&](std::size_t i) -> std::uint64_t {
    return i < missing ? 0 : std::max<std::uint64_t>(counts[leaves - 1 - i], least);
  };
  for (std::size_t made = 0; made < nodes; ++made) {
    for (int child = 0; child < 4; ++child) {
      if (leaf < leaves && (node == made || weight_of_leaf(leaf) <= weights[node])) {
        weights[made] += weight_of_leaf(leaf);
        leaf_parents[leaf++] = static_cast<std::uint32_t>(made);
      } else {
        weights[made] += weights[node];
        node_parents[node++] = static_cast<std::uint32_t>(made);
      }
    }
  }
  std::vector<std::uint32_t> levels(nodes);  // the last node is the root
  for (std::size_t i = nodes - 1; i-- > 0;) levels[i] = levels[node_parents[i]] + 1;
  std::vector<std::uint32_t> ends(*std::max_element(levels.begin(), levels.end()) + 1);
  for (std::size_t i = missing; i < leaves; ++i) ++ends[levels[leaf_parents[i]]];
  return ends;
}

}  // namespace

std::vector<std::uint32_t> HuffmanEnds(std::span<const std::uint32_t> counts) {
  if (counts.empty()) return {};
  assert(std::is_sorted(counts.rbegin(), counts.rend()));
  // The higher the least weight, the flatter the tree; all equal, it has ceil(log4 n) levels.
  for (std::uint64_t least = 1;; least *= 2) {
    std::vector<std::uint32_t> ends = EndsAtLeast(counts, least);
    if (ends.size() <= kMaxHuffmanLevels) return ends;
  }
}

}  // namespace dentate::succinct
