#include "succinct/live_wavelet_tree.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "succinct/live_batch.h"
#include "succinct/live_kernels.h"
#include "succinct/live_leaf.h"
#include "succinct/word_bits.h"

namespace dentate::succinct {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kRelease = std::memory_order_release;

// Lines of a node's second and later blocks to begin with: a node that has several is large.
constexpr unsigned kFirstLinesOfLaterBlock = 32;

std::uint32_t LeafCapacity(const LiveLeaf& leaf, unsigned bits) noexcept {
  return std::min((leaf.units * 8 - 1) * (64U >> LaneLog(bits)), kLeafSymbols);
}

unsigned MaxLeafUnits(unsigned bits) noexcept { return kLeafUnits << (LaneLog(bits) - 3); }

std::uintptr_t Tagged(LiveLeaf* leaf) noexcept {
  return reinterpret_cast<std::uintptr_t>(leaf) | 1;
}

// Whether block b > 0 of the node has been begun.
bool HasBlock(const LiveNode& node, std::uint32_t b) noexcept {
  const QuadBlock* blocks = node.blocks.load(kRelaxed);
  return blocks != nullptr && b < 2U << node.directory_units_log &&
         blocks[b].lines.load(kRelaxed) != nullptr;
}

void CopyLines(QuadLine* to, const QuadLine* from, unsigned count) noexcept {
  for (unsigned i = 0; i < count; ++i) {
    auto* line = new (to + i) QuadLine;
    for (unsigned w = 0; w < kLineWords; ++w) {
      line->words[w].store(from[i].words[w].load(kRelaxed), kRelaxed);
    }
  }
}

}  // namespace

std::uint32_t LiveWaveletTree::Append(std::span<const std::uint32_t> symbols) {
  const std::uint32_t size = size_.load(kRelaxed);
  std::size_t done = 0;
  try {
    while (done < symbols.size()) {
      const std::size_t end = std::min<std::size_t>(symbols.size(), done + kGroup);
      PrefetchPaths(symbols.subspan(done, end - done));
      for (; done < end; ++done) {
        AppendOne(symbols[done]);
        arena_.Reclaim();  // not once a call: a long one would hold on to all it outgrew
      }
    }
  } catch (const std::bad_alloc&) {
    while (done > 0) TakeBack(symbols[--done]);
    throw;
  }
  const auto fresh = static_cast<std::uint32_t>(size + symbols.size());
  size_.store(fresh, kRelease);
  return fresh;
}

// Asks for what AppendOne will touch, of a group of symbols at once, level by level: their paths
// are independent, so that the group waits for memory once a level.
void LiveWaveletTree::PrefetchPaths(std::span<const std::uint32_t> symbols) const noexcept {
  std::array<const LiveNode*, kGroup> nodes;
  std::array<std::uint8_t, kGroup> at;                              // which symbol each goes on for
  std::array<std::pair<const LiveLeaf*, unsigned>, kGroup> leaves;  // and the bits that are left
  std::size_t going = 0;
  std::size_t leaf_count = 0;
  const std::uintptr_t root = root_.load(kRelaxed);
  if (root == 0 || IsLeaf(root)) return;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    nodes[going] = AsNode(root);
    at[going++] = static_cast<std::uint8_t>(i);
  }
  for (unsigned bits = 2 * levels_; bits > 0 && going > 0;) {
    bits -= 2;
    const std::size_t count = std::exchange(going, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const LiveNode& node = *nodes[i];
      __builtin_prefetch(Locate(node, node.size.load(kRelaxed)).line, 1);
      const std::uintptr_t child = node.child[symbols[at[i]] >> bits & 3].load(kRelaxed);
      if (child == 0) continue;
      if (IsLeaf(child)) {
        __builtin_prefetch(AsLeaf(child), 1);
        leaves[leaf_count++] = {AsLeaf(child), bits};
      } else {
        nodes[going] = AsNode(child);
        at[going] = at[i];
        __builtin_prefetch(nodes[going++], 1);
      }
    }
  }
  for (std::size_t i = 0; i < leaf_count; ++i) {
    const auto& [leaf, left] = leaves[i];
    __builtin_prefetch(leaf->words() + (leaf->size.load(kRelaxed) >> (6 - LaneLog(left))), 1);
  }
}

void LiveWaveletTree::AppendOne(std::uint32_t symbol) {
  LiveNode* path[kMaxLevels];
  unsigned depth = 0;
  try {
    std::atomic<std::uintptr_t>* slot = &root_;
    for (unsigned bits = 2 * levels_; bits > 0;) {
      const std::uintptr_t child = slot->load(kRelaxed);
      LiveNode* node = AsNode(child);
      if (child == 0 && bits == 2) {
        node = NewNode(0);
        slot->store(reinterpret_cast<std::uintptr_t>(node), kRelease);
      } else if (child == 0 || IsLeaf(child)) {
        LiveLeaf* leaf = AsLeaf(child);
        if (leaf == nullptr || leaf->size.load(kRelaxed) == LeafCapacity(*leaf, bits)) {
          const bool largest = leaf != nullptr && leaf->units >= MaxLeafUnits(bits);
          leaf = largest ? nullptr : GrowLeaf(*slot, leaf, bits);
        }
        if (leaf != nullptr) {
          const std::uint32_t size = leaf->size.load(kRelaxed);
          const auto rest = static_cast<std::uint32_t>(symbol & ((std::uint64_t{1} << bits) - 1));
          WithLanes(bits, [&]<typename Lanes>() { Lanes::Put(*leaf, size, rest); });
          leaf->size.store(size + 1, kRelease);
          return;
        }
        node = SplitLeaf(*slot, AsLeaf(child), bits);
      }
      bits -= 2;
      const unsigned digit = symbol >> bits & 3;
      AppendDigit(*node, digit);
      path[depth++] = node;
      slot = &node->child[digit];
    }
  } catch (const std::bad_alloc&) {
    for (; depth > 0; --depth) path[depth - 1]->size.fetch_sub(1, kRelaxed);
    throw;
  }
}

// Undoes AppendOne for the symbol that was appended last. What it allocated stays for the next
// time.
void LiveWaveletTree::TakeBack(std::uint32_t symbol) noexcept {
  std::uintptr_t child = root_.load(kRelaxed);
  for (unsigned bits = 2 * levels_; bits > 0;) {
    if (IsLeaf(child)) {
      AsLeaf(child)->size.fetch_sub(1, kRelaxed);
      return;
    }
    LiveNode& node = *AsNode(child);
    node.size.fetch_sub(1, kRelaxed);
    bits -= 2;
    child = node.child[symbol >> bits & 3].load(kRelaxed);
  }
}

void LiveWaveletTree::AppendDigit(LiveNode& node, unsigned digit) {
  const std::uint32_t size = node.size.load(kRelaxed);
  const LinePlace place = Locate(node, size);
  LinePut(const_cast<QuadLine&>(*place.line), place.offset, digit);
  // The next line begins as soon as this one is full, so that a rank at `size` has a line to read.
  if (place.offset + 1 == kLineDigits) BeginLine(node, size + 1);
  node.size.store(size + 1, kRelease);
}

// Makes room for and begins the line of position `size`, a multiple of kLineDigits above 0.
void LiveWaveletTree::BeginLine(LiveNode& node, std::uint32_t size) {
  const LinePlace last = Locate(node, size - 1);
  auto before = LineRanks<PortableBits>(*last.line, kLineDigits);
  const std::uint32_t index = size / kLineDigits;
  const std::uint32_t block = index / kBlockLines;
  const std::uint32_t at = index % kBlockLines;
  for (unsigned digit = 0; digit < 4; ++digit) before[digit] += LineCount(*last.line, digit);

  if (at == 0) {
    QuadBlock* blocks = node.blocks.load(kRelaxed);
    const unsigned capacity = blocks == nullptr ? 0 : 2U << node.directory_units_log;
    if (block >= capacity) {
      const unsigned units_log = blocks == nullptr ? 0U : node.directory_units_log + 1U;
      const auto memory = arena_.Allocate(1U << units_log);
      auto* fresh = static_cast<QuadBlock*>(memory.data);
      for (std::uint32_t b = 0; b < (2U << units_log); ++b) {
        new (fresh + b) QuadBlock{};
        if (b == 0 || b >= capacity) continue;
        for (unsigned digit = 0; digit < 4; ++digit) {
          fresh[b].before[digit].store(blocks[b].before[digit].load(kRelaxed), kRelaxed);
        }
        fresh[b].lines.store(blocks[b].lines.load(kRelaxed), kRelaxed);
      }
      node.blocks.store(fresh, kRelease);
      if (blocks != nullptr) arena_.Retire({blocks, capacity / 2});
      node.directory_units_log = static_cast<std::uint16_t>(units_log);
      blocks = fresh;
    }
    for (unsigned digit = 0; digit < 4; ++digit) {
      if (last.block != nullptr) before[digit] += last.block->before[digit].load(kRelaxed);
      blocks[block].before[digit].store(before[digit], kRelaxed);
    }
    QuadLine* lines = blocks[block].lines.load(kRelaxed);
    if (lines == nullptr) {  // else it is left from an append that was taken back
      const auto memory = arena_.Allocate(kFirstLinesOfLaterBlock);
      lines = static_cast<QuadLine*>(memory.data);
      node.last_capacity = static_cast<std::uint16_t>(memory.units);
    }
    LineBegin(*new (lines) QuadLine, {});
    blocks[block].lines.store(lines, kRelease);
    return;
  }

  std::atomic<QuadLine*>& slot = block == 0 ? node.lines : node.blocks.load(kRelaxed)[block].lines;
  QuadLine* lines = slot.load(kRelaxed);
  // A later block can be left from an append that was taken back; then this one is full-size.
  if (at >= node.last_capacity && !HasBlock(node, block + 1)) {
    const auto memory = arena_.Allocate(node.last_capacity + 1U);
    auto* fresh = static_cast<QuadLine*>(memory.data);
    CopyLines(fresh, lines, at);
    slot.store(fresh, kRelease);
    arena_.Retire({lines, node.last_capacity});
    node.last_capacity = static_cast<std::uint16_t>(memory.units);
    lines = fresh;
  }
  LineBegin(*new (lines + at) QuadLine, before);
}

LiveNode* LiveWaveletTree::NewNode(std::uint32_t expected_size) {
  const auto node_memory = arena_.Allocate(1);
  const unsigned lines = std::min(expected_size / kLineDigits + 1, kBlockLines);
  const auto line_memory = arena_.Allocate(lines);
  auto* node = new (node_memory.data) LiveNode{};
  node->last_capacity = static_cast<std::uint16_t>(line_memory.units);
  auto* first = new (line_memory.data) QuadLine;
  LineBegin(*first, {});
  node->lines.store(first, kRelaxed);
  return node;
}

LiveLeaf* LiveWaveletTree::NewLeaf(unsigned units, bool heap) {
  const auto memory = heap ? arena_.AllocateHeap(units) : arena_.Allocate(units);
  auto* leaf = new (memory.data) LiveLeaf{};
  leaf->units = memory.units;
  return leaf;
}

// A larger copy of the leaf (null: a first, small one), put in its place.
LiveLeaf* LiveWaveletTree::GrowLeaf(std::atomic<std::uintptr_t>& slot, LiveLeaf* leaf,
                                    unsigned bits) {
  const bool heap = &slot == &root_;
  const unsigned old_units = leaf == nullptr ? 0 : leaf->units;
  const unsigned units =
      leaf == nullptr ? 1 : std::min(heap ? 2 * old_units : old_units + 1, MaxLeafUnits(bits));
  LiveLeaf* fresh = NewLeaf(units, heap);
  for (unsigned w = 0; w + 1 < fresh->units * 8; ++w) {
    const bool old = leaf != nullptr && w + 1 < old_units * 8;
    new (fresh->words() + w) std::atomic<std::uint64_t>(old ? leaf->words()[w].load(kRelaxed) : 0);
  }
  if (leaf != nullptr) fresh->size.store(leaf->size.load(kRelaxed), kRelaxed);
  slot.store(Tagged(fresh), kRelease);
  if (leaf != nullptr) arena_.Retire({leaf, old_units});
  return fresh;
}

// Puts a node with up to four leaves (or, for the last digit, nodes) in the place of a full leaf.
LiveNode* LiveWaveletTree::SplitLeaf(std::atomic<std::uintptr_t>& slot, LiveLeaf* leaf,
                                     unsigned bits) {
  const std::uint32_t size = leaf->size.load(kRelaxed);
  const unsigned child_bits = bits - 2;
  const std::uint32_t child_mask = (std::uint32_t{1} << child_bits) - 1;
  const auto get = [&](std::uint32_t i) {
    return WithLanes(bits, [&]<typename Lanes>() { return Lanes::Get(*leaf, i); });
  };
  std::array<std::uint32_t, 4> counts{};
  for (std::uint32_t i = 0; i < size; ++i) ++counts[get(i) >> child_bits];

  LiveNode* node = NewNode(size);
  std::array<LiveLeaf*, 4> leaves{};
  std::array<LiveNode*, 4> nodes{};
  for (unsigned digit = 0; digit < 4; ++digit) {
    if (counts[digit] == 0) continue;
    if (child_bits == 2) {
      nodes[digit] = NewNode(counts[digit]);
      node->child[digit].store(reinterpret_cast<std::uintptr_t>(nodes[digit]), kRelaxed);
    } else {
      const std::size_t bytes = sizeof(LiveLeaf) + (counts[digit] << (LaneLog(child_bits) - 3));
      const auto units = static_cast<unsigned>(bytes / LiveArena::kUnitBytes) + 1;
      leaves[digit] = NewLeaf(std::min(units, MaxLeafUnits(child_bits)), false);
      for (unsigned w = 0; w + 1 < leaves[digit]->units * 8; ++w) {
        new (leaves[digit]->words() + w) std::atomic<std::uint64_t>(0);
      }
      node->child[digit].store(Tagged(leaves[digit]), kRelaxed);
    }
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t symbol = get(i);
    const unsigned digit = symbol >> child_bits;
    AppendDigit(*node, digit);
    if (nodes[digit] != nullptr) {
      AppendDigit(*nodes[digit], symbol & child_mask);
    } else {
      LiveLeaf& child = *leaves[digit];
      const std::uint32_t at = child.size.load(kRelaxed);
      WithLanes(child_bits, [&]<typename Lanes>() { Lanes::Put(child, at, symbol & child_mask); });
      child.size.store(at + 1, kRelaxed);
    }
  }
  slot.store(reinterpret_cast<std::uintptr_t>(node), kRelease);
  arena_.Retire({leaf, leaf->units});
  return node;
}

std::uint32_t LiveWaveletTree::Access(std::uint32_t position) const {
  return ActiveLiveKernels().access(*this, position);
}

void LiveWaveletTree::AccessMany(std::span<const std::uint32_t> positions,
                                 std::uint32_t* out) const {
  const auto access = ActiveLiveKernels().access_group;
  for (std::size_t i = 0; i < positions.size(); i += kGroup) {
    access(*this, positions.subspan(i, std::min<std::size_t>(kGroup, positions.size() - i)),
           out + i);
  }
}

void LiveWaveletTree::AccessRange(std::uint32_t start, std::uint32_t end,
                                  std::uint32_t* out) const {
  ActiveLiveKernels().access_range(*this, start, end, out);
}

std::uint32_t LiveWaveletTree::Rank(std::uint32_t symbol, std::uint32_t position) const {
  return ActiveLiveKernels().rank(*this, symbol, position);
}

void LiveWaveletTree::RankMany(std::span<const std::uint32_t> symbols,
                               std::span<const std::uint32_t> positions, std::uint32_t* out) const {
  const auto rank = ActiveLiveKernels().rank_group;
  for (std::size_t i = 0; i < symbols.size(); i += kGroup) {
    const std::size_t count = std::min<std::size_t>(kGroup, symbols.size() - i);
    rank(*this, symbols.subspan(i, count), positions.subspan(i, count), out + i);
  }
}

std::uint32_t LiveWaveletTree::Select(std::uint32_t symbol, std::uint32_t k) const {
  return ActiveLiveKernels().select(*this, symbol, k);
}

void LiveWaveletTree::SelectMany(std::span<const std::uint32_t> symbols,
                                 std::span<const std::uint32_t> ks, std::uint32_t* out) const {
  const auto select = ActiveLiveKernels().select_group;
  for (std::size_t i = 0; i < symbols.size(); i += kGroup) {
    const std::size_t count = std::min<std::size_t>(kGroup, symbols.size() - i);
    select(*this, symbols.subspan(i, count), ks.subspan(i, count), out + i);
  }
}

std::size_t LiveWaveletTree::Occurrences(std::uint32_t symbol, std::uint32_t from,
                                         std::span<std::uint32_t> out) const {
  return ActiveLiveKernels().occurrences(*this, symbol, from, out);
}

}  // namespace dentate::succinct
