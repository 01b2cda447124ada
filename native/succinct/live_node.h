// The two kinds of node of a live tree, and how a position becomes an address in them.
//
// An inner node holds one digit of two bits for each symbol that passed through it, in quad lines
// (quad_line.h), and up to four children. A leaf holds the rest of its symbols as plain integers.
//
//   Node, one cache line                        Leaf, from 64 bytes to 4 KiB
//   +--------------------------------------+    +------+----------+---------------------------+
//   | child[4] | lines | blocks | size | ..|    | size | capacity | symbols of 1, 2 or 4 bytes|
//   +--------------------------------------+    +------+----------+---------------------------+
//                 |        |
//                 |        +--> Block[1], Block[2], ...  (only where there is more than one block)
//                 |              before[4] | lines ---> up to 256 lines
//                 +--> block 0: up to 256 lines
//
// Block 0 has nothing before it, so small nodes need no directory. A full block never moves. The
// newest one does, from one size class to the next (at most 14 KiB are copied), and so does the
// directory when it doubles; what they leave behind is retired (live_arena.h).
//
// A child is a pointer whose lowest bit says that it is a leaf; 0 where no symbol went that way.
//
// Threads. Everything a reader loads is atomic. Positions below the published size of the tree are
// in any buffer that a reader can find after it loaded that size: a buffer is filled before its
// pointer is stored with release, and the size is published after that.

#ifndef DENTATE_SUCCINCT_LIVE_NODE_H_
#define DENTATE_SUCCINCT_LIVE_NODE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "succinct/quad_line.h"

namespace dentate::succinct {

struct QuadBlock {
  std::array<std::atomic<std::uint32_t>, 4> before;  // digits d in the blocks before this one
  std::atomic<QuadLine*> lines;
  std::uint64_t unused;
};
static_assert(sizeof(QuadBlock) == 32, "two blocks a cache line");

struct alignas(64) LiveNode {
  std::array<std::atomic<std::uintptr_t>, 4> child;
  std::atomic<QuadLine*> lines;
  std::atomic<QuadBlock*> blocks;
  std::atomic<std::uint32_t> size;  // digits
  // Writer only.
  std::uint16_t last_capacity;        // lines that fit in the newest block
  std::uint16_t directory_units_log;  // the directory takes 2^this units of 64 bytes
};
static_assert(sizeof(LiveNode) == 64, "a node is a cache line");

struct LiveLeaf {
  std::atomic<std::uint32_t> size;
  std::uint32_t units;  // of the whole leaf, in cache lines; writer only
  // followed by `units * 8 - 1` words
  std::atomic<std::uint64_t>* words() noexcept {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(this + 1);
  }
  const std::atomic<std::uint64_t>* words() const noexcept {
    return reinterpret_cast<const std::atomic<std::uint64_t>*>(this + 1);
  }
};
static_assert(sizeof(LiveLeaf) == 8, "a leaf's header is one word");

// A leaf holds at most so many symbols and then splits; of one byte each, they fill 16 cache lines
// together with the header. The limit is the same for wider ones, since a leaf of narrower symbols
// may get all of them when it splits.
inline constexpr unsigned kLeafSymbols = 1016;
inline constexpr unsigned kLeafUnits = 16;
static_assert(kLeafSymbols + sizeof(LiveLeaf) == std::size_t{kLeafUnits} * 64);

// log2 of the bits a leaf's symbol takes when `bits` of it are left: 3, 4 or 5.
inline unsigned LaneLog(unsigned bits) noexcept { return bits <= 8 ? 3 : bits <= 16 ? 4 : 5; }

inline bool IsLeaf(std::uintptr_t child) noexcept { return (child & 1) != 0; }
inline LiveNode* AsNode(std::uintptr_t child) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a tagged pointer
  return reinterpret_cast<LiveNode*>(child);
}
inline LiveLeaf* AsLeaf(std::uintptr_t child) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a tagged pointer
  return reinterpret_cast<LiveLeaf*>(child & ~std::uintptr_t{1});
}

// Where position i of a node lies. Line i / 224 exists for every i <= size.
struct LinePlace {
  const QuadLine* line;
  const QuadBlock* block;  // null in block 0
  unsigned offset;

  std::uint32_t Before(unsigned digit) const noexcept {
    return LineCount(*line, digit) +
           (block == nullptr ? 0 : block->before[digit].load(std::memory_order_relaxed));
  }
};

inline LinePlace Locate(const LiveNode& node, std::uint32_t position) noexcept {
  const std::uint32_t index = position / kLineDigits;
  const unsigned offset = position % kLineDigits;
  if (index < kBlockLines) {
    return {node.lines.load(std::memory_order_acquire) + index, nullptr, offset};
  }
  const QuadBlock* block = node.blocks.load(std::memory_order_acquire) + index / kBlockLines;
  return {block->lines.load(std::memory_order_acquire) + index % kBlockLines, block, offset};
}

// Digits d before `position`. REQUIRES: position <= a published size.
template <typename Bits>
std::uint32_t NodeRank(const LiveNode& node, unsigned digit, std::uint32_t position) noexcept {
  const LinePlace place = Locate(node, position);
  return place.Before(digit) + LineRank<Bits>(*place.line, digit, place.offset);
}

// All four at once.
template <typename Bits>
std::array<std::uint32_t, 4> NodeRanks(const LiveNode& node, std::uint32_t position) noexcept {
  const LinePlace place = Locate(node, position);
  auto ranks = LineRanks<Bits>(*place.line, place.offset);
  for (unsigned digit = 0; digit < 4; ++digit) ranks[digit] += place.Before(digit);
  return ranks;
}

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_NODE_H_
