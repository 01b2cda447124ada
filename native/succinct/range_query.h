// Range queries over anything that is a wavelet tree underneath: quantile, count, top-k, distinct,
// intersection.
//
// All are walks down the implicit 4-ary tree of symbol prefixes. A node is a prefix and how many of
// the range's symbols begin with it; a source knows how a node looks and how it splits:
//
//   struct Source {
//     using Node = ...;                                    // copyable; what finds the symbols
//     unsigned level_count() const;                        // digits of two bits a symbol has
//     std::uint32_t Size(const Node&) const;               // symbols in the node
//     void Split(unsigned level, const Node&, std::array<Node, 4>&) const;  // by digit `level`
//   };
//
// so that one matrix (a node is an interval) and a text in several parts (a node is an interval in
// each) share these functions.
//
// Cost, L = levels: quantile and count O(L) splits; distinct and intersection O(distinct * L);
// top-k best first, at most as many splits as there are nodes at least as frequent as the k-th
// symbol. Ascending by symbol unless said otherwise.
//
// Source: T. Gagie, G. Navarro, S. Puglisi, "New algorithms on wavelet trees and applications to
// information retrieval", TCS 2012.

#ifndef DENTATE_SUCCINCT_RANGE_QUERY_H_
#define DENTATE_SUCCINCT_RANGE_QUERY_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dentate::succinct {

struct SymbolCount {
  std::uint32_t symbol;
  std::uint32_t count;
  bool operator==(const SymbolCount&) const = default;
};

// The k-th smallest symbol of the node, k from 0; nothing when it has no more than k.
template <typename Source>
std::optional<std::uint32_t> Quantile(const Source& source, typename Source::Node node,
                                      std::uint32_t k) {
  if (k >= source.Size(node)) return std::nullopt;
  std::uint32_t symbol = 0;
  std::array<typename Source::Node, 4> children;
  for (unsigned level = 0; level < source.level_count(); ++level) {
    source.Split(level, node, children);
    std::uint32_t digit = 0;
    while (k >= source.Size(children[digit])) k -= source.Size(children[digit++]);
    symbol = symbol << 2 | digit;
    node = children[digit];
  }
  return symbol;
}

// How many symbols of the node are below `bound`.
template <typename Source>
std::uint32_t CountBelow(const Source& source, typename Source::Node node, std::uint64_t bound) {
  const unsigned levels = source.level_count();
  if (bound >> (2 * levels) != 0) return source.Size(node);
  std::uint32_t count = 0;
  std::array<typename Source::Node, 4> children;
  for (unsigned level = 0; level < levels && source.Size(node) > 0; ++level) {
    source.Split(level, node, children);
    const auto digit = static_cast<std::uint32_t>(bound >> (2 * (levels - 1 - level)) & 3);
    for (std::uint32_t below = 0; below < digit; ++below) count += source.Size(children[below]);
    node = children[digit];
  }
  return count;
}

// Calls visit(symbol, count) for each different symbol of the node, ascending.
template <typename Source, typename Visit>
void ForEachDistinct(const Source& source, const typename Source::Node& node, Visit visit) {
  struct Pending {
    typename Source::Node node;
    std::uint32_t prefix;
    unsigned level;
  };
  std::vector<Pending> stack;
  if (source.Size(node) > 0) stack.push_back({node, 0, 0});
  std::array<typename Source::Node, 4> children;
  while (!stack.empty()) {
    const Pending top = stack.back();
    stack.pop_back();
    if (top.level == source.level_count()) {
      visit(top.prefix, source.Size(top.node));
      continue;
    }
    source.Split(top.level, top.node, children);
    for (std::uint32_t digit = 4; digit-- > 0;) {
      if (source.Size(children[digit]) == 0) continue;
      stack.push_back({children[digit], top.prefix << 2 | digit, top.level + 1});
    }
  }
}

template <typename Source>
std::vector<SymbolCount> Distinct(const Source& source, const typename Source::Node& node) {
  std::vector<SymbolCount> symbols;
  ForEachDistinct(source, node, [&](std::uint32_t symbol, std::uint32_t count) {
    symbols.push_back({symbol, count});
  });
  return symbols;
}

// The k most frequent symbols, most frequent first, ties by the lower symbol.
template <typename Source>
std::vector<SymbolCount> TopK(const Source& source, const typename Source::Node& node,
                              std::size_t k) {
  struct Pending {
    typename Source::Node node;
    std::uint32_t size;
    std::uint32_t prefix;
    unsigned level;
    std::uint32_t first;  // the lowest symbol below the node
  };
  // A heap by size, then by the lowest symbol below, then the inner node first: whatever stands at
  // the top as a leaf has no better one left.
  const auto worse = [](const Pending& a, const Pending& b) {
    if (a.size != b.size) return a.size < b.size;
    if (a.first != b.first) return a.first > b.first;
    return a.level > b.level;
  };
  std::vector<SymbolCount> best;
  std::vector<Pending> heap;
  if (source.Size(node) > 0 && k > 0) heap.push_back({node, source.Size(node), 0, 0, 0});
  std::array<typename Source::Node, 4> children;
  const unsigned levels = source.level_count();
  while (!heap.empty() && best.size() < k) {
    std::pop_heap(heap.begin(), heap.end(), worse);
    const Pending top = heap.back();
    heap.pop_back();
    if (top.level == levels) {
      best.push_back({top.prefix, top.size});
      continue;
    }
    source.Split(top.level, top.node, children);
    for (std::uint32_t digit = 0; digit < 4; ++digit) {
      const std::uint32_t size = source.Size(children[digit]);
      if (size == 0) continue;
      const std::uint32_t prefix = top.prefix << 2 | digit;
      const unsigned below = levels - 1 - top.level;
      heap.push_back({children[digit], size, prefix, top.level + 1,
                      static_cast<std::uint32_t>(std::uint64_t{prefix} << (2 * below))});
      std::push_heap(heap.begin(), heap.end(), worse);
    }
  }
  return best;
}

// The symbols that occur in every one of the nodes, ascending; none for no nodes.
template <typename Source>
std::vector<std::uint32_t> Intersect(const Source& source,
                                     std::span<const typename Source::Node> nodes) {
  using Node = typename Source::Node;
  struct Pending {
    std::vector<Node> nodes;
    std::uint32_t prefix;
    unsigned level;
  };
  const auto all_occur = [&](std::span<const Node> some) {
    return !some.empty() && std::all_of(some.begin(), some.end(),
                                        [&](const Node& node) { return source.Size(node) > 0; });
  };
  std::vector<std::uint32_t> symbols;
  std::vector<Pending> stack;
  if (all_occur(nodes)) stack.push_back({{nodes.begin(), nodes.end()}, 0, 0});
  while (!stack.empty()) {
    const Pending top = std::move(stack.back());
    stack.pop_back();
    if (top.level == source.level_count()) {
      symbols.push_back(top.prefix);
      continue;
    }
    std::vector<std::array<Node, 4>> split(top.nodes.size());
    for (std::size_t i = 0; i < split.size(); ++i) source.Split(top.level, top.nodes[i], split[i]);
    for (std::uint32_t digit = 4; digit-- > 0;) {
      std::vector<Node> children;
      children.reserve(split.size());
      for (const auto& four : split) children.push_back(four[digit]);
      if (!all_occur(children)) continue;
      stack.push_back({std::move(children), top.prefix << 2 | digit, top.level + 1});
    }
  }
  return symbols;
}

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_RANGE_QUERY_H_
