// Reading a whole interval of a live tree, level by level.
//
// The symbols of an interval that share a prefix lie side by side in their node, in the order in
// which they were appended. So the interval becomes a list of tasks, each an interval of one node,
// and a level turns it into the next list: read the digits, count how many come before, and hand
// every child its share. `order` says which output each position of a task belongs to; splitting a
// task partitions it stably. As in live_batch.h, a level is one pass that prefetches and one that
// reads.

#ifndef DENTATE_SUCCINCT_LIVE_RANGE_H_
#define DENTATE_SUCCINCT_LIVE_RANGE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "succinct/live_batch.h"

namespace dentate::succinct {

// Symbols read together: the working arrays then fit in L2.
inline constexpr std::uint32_t kRangeChunk = 16384;

template <typename Bits>
class LiveRangeReader {
 public:
  LiveRangeReader(const LiveWaveletTree& tree, std::uint32_t largest)
      : tree_(tree), order_(largest), next_order_(largest), digits_(largest) {}

  // out[j] = symbol at start + j, for j < count. REQUIRES: count <= largest.
  void Read(std::uint32_t start, std::uint32_t count, std::uint32_t* out) {
    for (std::uint32_t j = 0; j < count; ++j) {
      out[j] = 0;
      order_[j] = j;
    }
    tasks_.assign(1, {tree_.root(), start, count, 0});
    for (unsigned bits = 2 * tree_.levels(); !tasks_.empty(); bits -= 2) {
      for (Task& task : tasks_) {
        if (IsLeaf(task.child)) {
          PrefetchLane(*AsLeaf(task.child), bits, task.start);
        } else {
          __builtin_prefetch(Locate(*AsNode(task.child), task.start).line);
        }
      }
      next_tasks_.clear();
      next_count_ = 0;
      for (const Task& task : tasks_) {
        if (IsLeaf(task.child)) {
          ReadLeaf(task, bits, out);
        } else if (task.count == 1) {
          ReadOne(task, bits - 2, out);
        } else {
          ReadNode(task, bits - 2, out);
        }
      }
      std::swap(tasks_, next_tasks_);
      std::swap(order_, next_order_);
    }
  }

 private:
  struct Task {
    std::uintptr_t child;
    std::uint32_t start;
    std::uint32_t count;
    std::uint32_t first;  // in order_
  };

  void Push(const LiveNode& node, unsigned digit, std::uint32_t start, std::uint32_t count) {
    const std::uintptr_t child = node.child[digit].load(std::memory_order_acquire);
    if (!IsLeaf(child)) __builtin_prefetch(AsNode(child));
    next_tasks_.push_back({child, start, count, next_count_});
    next_count_ += count;
  }

  void ReadLeaf(const Task& task, unsigned bits, std::uint32_t* out) {
    const LiveLeaf& leaf = *AsLeaf(task.child);
    WithLanes(bits, [&]<typename L>() {
      for (std::uint32_t j = 0; j < task.count; ++j) {
        out[order_[task.first + j]] |= L::Get(leaf, task.start + j);
      }
    });
  }

  void ReadOne(const Task& task, unsigned bits, std::uint32_t* out) {
    const LiveNode& node = *AsNode(task.child);
    const LinePlace place = Locate(node, task.start);
    const unsigned digit = LineDigit(*place.line, place.offset);
    out[order_[task.first]] |= digit << bits;
    if (bits == 0) return;
    next_order_[next_count_] = order_[task.first];
    Push(node, digit, place.Before(digit) + LineRank<Bits>(*place.line, digit, place.offset), 1);
  }

  void ReadNode(const Task& task, unsigned bits, std::uint32_t* out) {
    const LiveNode& node = *AsNode(task.child);
    std::array<std::uint32_t, 4> counts{};
    for (std::uint32_t j = 0; j < task.count;) {
      const LinePlace place = Locate(node, task.start + j);
      const std::uint32_t end = std::min(task.count, j + kLineDigits - place.offset);
      for (unsigned offset = place.offset; j < end; ++j, ++offset) {
        const unsigned digit = LineDigit(*place.line, offset);
        digits_[j] = static_cast<std::uint8_t>(digit);
        out[order_[task.first + j]] |= digit << bits;
        ++counts[digit];
      }
    }
    if (bits == 0) return;
    const auto ranks = NodeRanks<Bits>(node, task.start);
    std::array<std::uint32_t, 4> next{};
    for (unsigned digit = 0; digit < 4; ++digit) {
      next[digit] = next_count_;
      if (counts[digit] > 0) Push(node, digit, ranks[digit], counts[digit]);
    }
    for (std::uint32_t j = 0; j < task.count; ++j) {
      next_order_[next[digits_[j]]++] = order_[task.first + j];
    }
  }

  const LiveWaveletTree& tree_;
  std::vector<Task> tasks_;
  std::vector<Task> next_tasks_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> next_order_;
  std::vector<std::uint8_t> digits_;
  std::uint32_t next_count_ = 0;
};

template <typename Bits>
void LiveAccessRange(const LiveWaveletTree& tree, std::uint32_t start, std::uint32_t end,
                     std::uint32_t* out) {
  if (start >= end) return;
  LiveRangeReader<Bits> reader(tree, std::min(end - start, kRangeChunk));
  for (std::uint32_t at = start; at < end; at += std::min(end - at, kRangeChunk)) {
    reader.Read(at, std::min(end - at, kRangeChunk), out + (at - start));
  }
}

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_RANGE_H_
