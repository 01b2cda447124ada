// Many queries at once: all of them take one step before any takes the next.
//
// A descent is a chain of cache misses, each address depending on the last, and a core can wait for
// a dozen of them at a time if they belong to different chains. So a group of queries goes down (or
// up) level by level, each level in two passes: the first computes addresses and prefetches, the
// second reads. At 1e7 symbols that takes a third of the time of single queries.

#ifndef DENTATE_SUCCINCT_LIVE_BATCH_H_
#define DENTATE_SUCCINCT_LIVE_BATCH_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "succinct/live_query.h"

namespace dentate::succinct {

// Queries in step. More than the misses a core can have in flight; what they touch fits in L1.
inline constexpr unsigned kGroup = 64;

// The words of a leaf below symbol `end`, with the header before them.
inline void PrefetchLeaf(const LiveLeaf& leaf, unsigned bits, std::uint32_t end) noexcept {
  const auto* byte = reinterpret_cast<const char*>(&leaf);
  const std::size_t bytes = sizeof(LiveLeaf) + (std::size_t{end} << (LaneLog(bits) - 3));
  for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(byte + at);
}

// The word of a leaf that holds symbol `i`.
inline void PrefetchLane(const LiveLeaf& leaf, unsigned bits, std::uint32_t i) noexcept {
  __builtin_prefetch(reinterpret_cast<const char*>(leaf.words()) +
                     (std::size_t{i} << (LaneLog(bits) - 3)));
}

struct BatchQuery {
  std::uintptr_t child;
  std::uint32_t position;
  std::uint32_t symbol;
  std::uint32_t index;  // of the answer
};

template <typename Bits>
void LiveRankGroup(const LiveWaveletTree& tree, std::span<const std::uint32_t> symbols,
                   std::span<const std::uint32_t> positions, std::uint32_t* out) {
  std::array<BatchQuery, kGroup> going;
  std::array<BatchQuery, kGroup> at_leaf;
  std::array<unsigned, kGroup> leaf_bits;
  std::array<LinePlace, kGroup> places;
  unsigned count = 0;
  unsigned leaves = 0;
  unsigned bits = 2 * tree.levels();
  const auto go_on = [&](BatchQuery query) {
    if (query.position == 0 || (bits > 0 && query.child == 0)) {
      out[query.index] = 0;
    } else if (bits == 0) {
      out[query.index] = query.position;
    } else if (IsLeaf(query.child)) {
      PrefetchLeaf(*AsLeaf(query.child), bits, query.position);
      leaf_bits[leaves] = bits;
      at_leaf[leaves++] = query;
    } else {
      __builtin_prefetch(AsNode(query.child));
      going[count++] = query;
    }
  };
  const std::uintptr_t root = tree.root();
  for (std::uint32_t i = 0; i < symbols.size(); ++i) go_on({root, positions[i], symbols[i], i});
  while (count > 0) {
    for (unsigned i = 0; i < count; ++i) {
      places[i] = Locate(*AsNode(going[i].child), going[i].position);
      __builtin_prefetch(places[i].line);
    }
    bits -= 2;
    const unsigned before = count;
    count = 0;
    for (unsigned i = 0; i < before; ++i) {
      BatchQuery query = going[i];
      const unsigned digit = query.symbol >> bits & 3;
      query.position =
          places[i].Before(digit) + LineRank<Bits>(*places[i].line, digit, places[i].offset);
      query.child = AsNode(query.child)->child[digit].load(std::memory_order_acquire);
      go_on(query);
    }
  }
  for (unsigned i = 0; i < leaves; ++i) {
    const BatchQuery& query = at_leaf[i];
    out[query.index] = WithLanes(leaf_bits[i], [&]<typename L>() {
      return L::template Rank<Bits>(*AsLeaf(query.child), RestOf(query.symbol, leaf_bits[i]),
                                    query.position);
    });
  }
}

template <typename Bits>
void LiveAccessGroup(const LiveWaveletTree& tree, std::span<const std::uint32_t> positions,
                     std::uint32_t* out) {
  std::array<BatchQuery, kGroup> going;
  std::array<BatchQuery, kGroup> at_leaf;
  std::array<unsigned, kGroup> leaf_bits;
  std::array<LinePlace, kGroup> places;
  unsigned count = 0;
  unsigned leaves = 0;
  unsigned bits = 2 * tree.levels();
  const auto go_on = [&](BatchQuery query) {
    if (bits == 0) {
      out[query.index] = query.symbol;
    } else if (IsLeaf(query.child)) {
      PrefetchLane(*AsLeaf(query.child), bits, query.position);
      leaf_bits[leaves] = bits;
      at_leaf[leaves++] = query;
    } else {
      __builtin_prefetch(AsNode(query.child));
      going[count++] = query;
    }
  };
  const std::uintptr_t root = tree.root();
  for (std::uint32_t i = 0; i < positions.size(); ++i) go_on({root, positions[i], 0, i});
  while (count > 0) {
    for (unsigned i = 0; i < count; ++i) {
      places[i] = Locate(*AsNode(going[i].child), going[i].position);
      __builtin_prefetch(places[i].line);
    }
    bits -= 2;
    const unsigned before = count;
    count = 0;
    for (unsigned i = 0; i < before; ++i) {
      BatchQuery query = going[i];
      const LinePlace& place = places[i];
      const unsigned digit = LineDigit(*place.line, place.offset);
      query.symbol = query.symbol << 2 | digit;
      query.position = place.Before(digit) + LineRank<Bits>(*place.line, digit, place.offset);
      query.child = AsNode(query.child)->child[digit].load(std::memory_order_acquire);
      go_on(query);
    }
  }
  for (unsigned i = 0; i < leaves; ++i) {
    const BatchQuery& query = at_leaf[i];
    out[query.index] = static_cast<std::uint32_t>(std::uint64_t{query.symbol} << leaf_bits[i]) |
                       WithLanes(leaf_bits[i], [&]<typename L>() {
                         return L::Get(*AsLeaf(query.child), query.position);
                       });
  }
}

// Goes up from positions at the end of each query's path, a level at a time.
template <typename Bits>
void LiveSelectGroup(const LiveWaveletTree& tree, std::span<const std::uint32_t> symbols,
                     std::span<const std::uint32_t> ks, std::uint32_t* out) {
  std::array<LivePath, kGroup> paths;
  std::array<SelectState, kGroup> states;
  std::array<std::uint32_t, kGroup> going;
  unsigned deepest = 0;
  for (unsigned i = 0; i < symbols.size(); ++i) {
    paths[i] = FindPath(tree, symbols[i]);
    const LivePath& path = paths[i];
    if (path.bits > 0 && path.end != 0) PrefetchLeaf(*AsLeaf(path.end), path.bits, path.size);
    deepest = std::max(deepest, path.depth);
  }
  for (unsigned i = 0; i < symbols.size(); ++i) {
    const LivePath& path = paths[i];
    out[i] = path.found() ? ks[i] : LiveWaveletTree::kNotFound;
    if (path.bits == 0 || path.end == 0) continue;
    out[i] = WithLanes(path.bits, [&]<typename L>() {
      return L::template Select<Bits>(*AsLeaf(path.end), RestOf(symbols[i], path.bits), ks[i],
                                      path.size);
    });
    if (out[i] == path.size) out[i] = LiveWaveletTree::kNotFound;
  }
  // All reach the root in the same step, so that those of one level share what they touch.
  for (unsigned level = deepest; level-- > 0;) {
    unsigned count = 0;
    for (unsigned i = 0; i < symbols.size(); ++i) {
      if (level >= paths[i].depth || out[i] == LiveWaveletTree::kNotFound) continue;
      states[count] = StartSelect(*paths[i].nodes[level], paths[i].Digit(symbols[i], level), out[i],
                                  paths[i].template Total<Bits>(symbols[i], level));
      __builtin_prefetch(&states[count].line[states[count].guess]);
      going[count++] = i;
    }
    for (unsigned j = 0; j < count; ++j) {
      AdjustSelect(states[j], paths[going[j]].Digit(symbols[going[j]], level));
      __builtin_prefetch(&states[j].line[states[j].guess]);
    }
    for (unsigned j = 0; j < count; ++j) {
      out[going[j]] =
          FinishSelect<Bits>(states[j], paths[going[j]].Digit(symbols[going[j]], level));
    }
  }
}

// Occurrences from, from + 1, ... in ascending order, at most out.size(); returns how many. Some
// may lie beyond the published size.
template <typename Bits>
std::size_t LiveOccurrences(const LiveWaveletTree& tree, std::uint32_t symbol, std::uint32_t from,
                            std::span<std::uint32_t> out) {
  const LivePath path = FindPath(tree, symbol);
  if (!path.found()) return 0;
  std::size_t count = 0;
  if (path.bits > 0) {
    count = WithLanes(path.bits, [&]<typename L>() {
      return L::template Occurrences<Bits>(*AsLeaf(path.end), RestOf(symbol, path.bits), from,
                                           path.size, out);
    });
  } else {
    const std::uint32_t total = path.Total<Bits>(symbol, path.depth - 1);
    count = from < total ? std::min<std::size_t>(total - from, out.size()) : 0;
    for (std::size_t i = 0; i < count; ++i) out[i] = from + static_cast<std::uint32_t>(i);
  }
  std::array<SelectState, kGroup> states;
  for (unsigned level = path.depth; level-- > 0;) {
    const LiveNode& node = *path.nodes[level];
    const unsigned digit = path.Digit(symbol, level);
    const std::uint32_t total = path.Total<Bits>(symbol, level);
    std::uint32_t block = 0;
    for (std::size_t done = 0; done < count; done += kGroup) {
      const auto group = out.subspan(done, std::min<std::size_t>(kGroup, count - done));
      for (std::size_t i = 0; i < group.size(); ++i) {
        states[i] = StartSelect(node, digit, group[i], total, block);
        block = states[i].first / kBlockDigits;
        __builtin_prefetch(&states[i].line[states[i].guess]);
      }
      for (std::size_t i = 0; i < group.size(); ++i) {
        AdjustSelect(states[i], digit);
        __builtin_prefetch(&states[i].line[states[i].guess]);
      }
      for (std::size_t i = 0; i < group.size(); ++i) {
        group[i] = FinishSelect<Bits>(states[i], digit);
      }
    }
  }
  return count;
}

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_BATCH_H_
