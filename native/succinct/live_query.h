// Single queries of a live tree: one descent, and for select the way back up.

#ifndef DENTATE_SUCCINCT_LIVE_QUERY_H_
#define DENTATE_SUCCINCT_LIVE_QUERY_H_

#include <cstdint>

#include "succinct/live_leaf.h"
#include "succinct/live_select.h"
#include "succinct/live_wavelet_tree.h"

namespace dentate::succinct {

// What is left of a symbol below a node that stands for all but its lowest `bits`.
inline std::uint32_t RestOf(std::uint32_t symbol, unsigned bits) noexcept {
  return static_cast<std::uint32_t>(symbol & ((std::uint64_t{1} << bits) - 1));
}

template <typename Bits>
std::uint32_t LiveAccess(const LiveWaveletTree& tree, std::uint32_t position) {
  std::uint32_t symbol = 0;
  std::uintptr_t child = tree.root();
  for (unsigned bits = 2 * tree.levels();;) {
    if (IsLeaf(child)) {
      return static_cast<std::uint32_t>(std::uint64_t{symbol} << bits) |
             WithLanes(bits, [&]<typename L>() { return L::Get(*AsLeaf(child), position); });
    }
    const LiveNode& node = *AsNode(child);
    const LinePlace place = Locate(node, position);
    const unsigned digit = LineDigit(*place.line, place.offset);
    symbol = symbol << 2 | digit;
    bits -= 2;
    if (bits == 0) return symbol;
    position = place.Before(digit) + LineRank<Bits>(*place.line, digit, place.offset);
    child = node.child[digit].load(std::memory_order_acquire);
  }
}

template <typename Bits>
std::uint32_t LiveRank(const LiveWaveletTree& tree, std::uint32_t symbol, std::uint32_t position) {
  std::uintptr_t child = tree.root();
  for (unsigned bits = 2 * tree.levels(); bits > 0 && position > 0;) {
    if (child == 0) return 0;
    if (IsLeaf(child)) {
      return WithLanes(bits, [&]<typename L>() {
        return L::template Rank<Bits>(*AsLeaf(child), RestOf(symbol, bits), position);
      });
    }
    const LiveNode& node = *AsNode(child);
    bits -= 2;
    const unsigned digit = symbol >> bits & 3;
    position = NodeRank<Bits>(node, digit, position);
    child = node.child[digit].load(std::memory_order_acquire);
  }
  return position;
}

// The nodes on the way to a symbol, from the root, and what lies at its end.
struct LivePath {
  const LiveNode* nodes[LiveWaveletTree::kMaxLevels];
  unsigned depth;      // nodes on it
  unsigned bits;       // of the symbol that are left at the end
  std::uintptr_t end;  // a leaf, or 0: nothing there, or (bits = 0) below the last level
  std::uint32_t size;  // of the leaf

  bool found() const noexcept { return bits == 0 || end != 0; }
  unsigned Digit(std::uint32_t symbol, unsigned level) const noexcept {
    return symbol >> (bits + 2 * (depth - 1 - level)) & 3;
  }
  // Symbols below node `level` + 1: how many digits on the path node `level` has.
  template <typename Bits>
  std::uint32_t Total(std::uint32_t symbol, unsigned level) const noexcept {
    if (level + 1 < depth) return nodes[level + 1]->size.load(std::memory_order_acquire);
    return bits > 0 ? size : DigitsBelow<Bits>(*nodes[level], Digit(symbol, level), true);
  }
};

inline LivePath FindPath(const LiveWaveletTree& tree, std::uint32_t symbol) noexcept {
  LivePath path;
  path.depth = 0;
  path.bits = 2 * tree.levels();
  path.end = tree.root();
  path.size = 0;
  while (path.bits > 0 && path.end != 0 && !IsLeaf(path.end)) {
    const LiveNode* node = AsNode(path.end);
    path.nodes[path.depth++] = node;
    path.bits -= 2;
    path.end = node->child[symbol >> path.bits & 3].load(std::memory_order_acquire);
  }
  if (IsLeaf(path.end)) path.size = AsLeaf(path.end)->size.load(std::memory_order_acquire);
  return path;
}

template <typename Bits>
std::uint32_t LiveSelect(const LiveWaveletTree& tree, std::uint32_t symbol, std::uint32_t k) {
  const LivePath path = FindPath(tree, symbol);
  if (!path.found()) return LiveWaveletTree::kNotFound;
  std::uint32_t position = k;
  if (path.bits > 0) {
    position = WithLanes(path.bits, [&]<typename L>() {
      return L::template Select<Bits>(*AsLeaf(path.end), RestOf(symbol, path.bits), k, path.size);
    });
    if (position == path.size) return LiveWaveletTree::kNotFound;
  }
  for (unsigned level = path.depth; level-- > 0;) {
    position = NodeSelect<Bits>(*path.nodes[level], path.Digit(symbol, level), position,
                                path.Total<Bits>(symbol, level));
    if (position == LiveWaveletTree::kNotFound) break;
  }
  return position;
}

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_QUERY_H_
