// The live part of a dynamic wavelet matrix: a 4-ary wavelet tree that only grows at its ends.
//
// A wavelet matrix keeps one bit vector a level, sorted stably by the digits above it. Appending a
// symbol inserts into the middle of every level but the first. Cut each level where its prefix
// groups meet, and give every group a vector of its own, and the same digits form a wavelet *tree*,
// in which a new symbol adds exactly one digit at the end of each node on its path:
//
//   symbols 2 7 1 4 (4 bits, two digits)       level 0: 0 1 0 1
//     2 = 02  7 = 13  1 = 01  4 = 10           level 1: node 0: 2 1    node 1: 3 0
//
// The nodes of a level, laid one after another, are the matrix's level: sealing writes just that.
//
// Lazy leaves. A node is made only when its subtree has about 1,024 symbols; until then they lie in
// a leaf as plain integers of 1, 2 or 4 bytes, as wide as the bits that are left. Most symbols of a
// large alphabet are rare, so that leaves spare most nodes. live_node.h draws both.
//
// Cost. append: one digit a level, at most 16, and no copy of the past but for what outgrew its
// size class (at most 16 KiB at once) and leaf splits (1,024 symbols at once, about 5 us). access,
// rank: one cache line a level. select: as many, and a search in each node.
//
// Invariants.
//  1. A node's `size` is the sum of its children's sizes (except below the last level, where there
//     are none), but for the symbols that Append has not published yet.
//  2. Append writes a path from the root downwards, and a leaf's or node's size after its digits: a
//     reader that sees a size (acquire) sees the paths of all the symbols it counts.
//
// Threads. One writer; any number of readers, each inside an EpochGuard from before it loads size()
// until after its last query. A reader loads size() once, and asks for positions up to it; select
// is bounded by the caller, since it may find symbols that are not published yet.

#ifndef DENTATE_SUCCINCT_LIVE_WAVELET_TREE_H_
#define DENTATE_SUCCINCT_LIVE_WAVELET_TREE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "succinct/live_arena.h"
#include "succinct/live_node.h"

namespace dentate::succinct {

class LiveWaveletTree {
 public:
  static constexpr std::uint32_t kNotFound = 0xffffffff;
  static constexpr unsigned kMaxLevels = 16;

  // REQUIRES: 1 <= symbol_bits <= 32.
  explicit LiveWaveletTree(unsigned symbol_bits) noexcept
      : symbol_bits_(symbol_bits), levels_((symbol_bits + 1) / 2) {}

  unsigned symbol_bits() const noexcept { return symbol_bits_; }
  unsigned levels() const noexcept { return levels_; }
  std::uint32_t size() const noexcept { return size_.load(std::memory_order_acquire); }

  // Appends and publishes all at once; returns the new size. Writer only. Throws std::bad_alloc,
  // and then nothing has been appended. REQUIRES: each symbol < 2^symbol_bits, size() + count <
  // 2^32.
  std::uint32_t Append(std::span<const std::uint32_t> symbols);

  // Makes an Append that would need more memory than this fail. Writer only.
  void LimitBytes(std::size_t bytes) noexcept { arena_.LimitBytes(bytes); }

  // REQUIRES, for all of these: an EpochGuard; positions at most a size() this thread has loaded
  // (below it for access); symbols < 2^symbol_bits; parallel spans of one length. Batches go level
  // by level (live_batch.h), ranges too (live_range.h).
  std::uint32_t Access(std::uint32_t position) const;
  void AccessMany(std::span<const std::uint32_t> positions, std::uint32_t* out) const;
  void AccessRange(std::uint32_t start, std::uint32_t end, std::uint32_t* out) const;
  std::uint32_t Rank(std::uint32_t symbol, std::uint32_t position) const;
  void RankMany(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> positions,
                std::uint32_t* out) const;
  // kNotFound where there is none. Like Occurrences, may find positions that are not published yet.
  std::uint32_t Select(std::uint32_t symbol, std::uint32_t k) const;
  void SelectMany(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> ks,
                  std::uint32_t* out) const;
  // Positions of the occurrences from, from + 1, ..., ascending; returns how many were written.
  std::size_t Occurrences(std::uint32_t symbol, std::uint32_t from,
                          std::span<std::uint32_t> out) const;

  // Bytes taken from the system. Any thread.
  std::size_t SizeInBytes() const noexcept { return sizeof(*this) + arena_.SizeInBytes(); }

  // For the algorithms that walk the tree themselves.
  std::uintptr_t root() const noexcept { return root_.load(std::memory_order_acquire); }

 private:
  void PrefetchPaths(std::span<const std::uint32_t> symbols) const noexcept;
  void AppendOne(std::uint32_t symbol);
  void TakeBack(std::uint32_t symbol) noexcept;
  void AppendDigit(LiveNode& node, unsigned digit);
  void BeginLine(LiveNode& node, std::uint32_t size);
  LiveNode* NewNode(std::uint32_t expected_size);
  LiveLeaf* NewLeaf(unsigned units, bool heap);
  LiveLeaf* GrowLeaf(std::atomic<std::uintptr_t>& slot, LiveLeaf* leaf, unsigned bits);
  LiveNode* SplitLeaf(std::atomic<std::uintptr_t>& slot, LiveLeaf* leaf, unsigned bits);

  const unsigned symbol_bits_;
  const unsigned levels_;
  std::atomic<std::uintptr_t> root_{0};
  std::atomic<std::uint32_t> size_{0};
  LiveArena arena_;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_WAVELET_TREE_H_
