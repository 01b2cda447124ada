// Select inside one node: where is the digit d that has k others before it?
//
// In three steps, so that a batch can prefetch between them:
//
//   StartSelect    bisects the blocks' counts and guesses the line by interpolation    no line read
//   AdjustSelect   reads the guessed line's count and corrects the guess once          one line
//   FinishSelect   steps to the right line, twice as far each time, and looks inside   usually one
//
// Digits are spread evenly enough that the first guess is off by about two lines and the second by
// less than one. In the worst case it is a bisection.

#ifndef DENTATE_SUCCINCT_LIVE_SELECT_H_
#define DENTATE_SUCCINCT_LIVE_SELECT_H_

#include <algorithm>
#include <cstdint>

#include "succinct/live_node.h"

namespace dentate::succinct {

struct SelectState {
  const QuadLine* line;  // the first of the block
  std::uint32_t lines;   // in the block
  std::uint32_t first;   // the block's first position
  std::uint32_t size;    // of the node
  std::uint32_t k;       // within the block
  std::uint32_t digits;  // in the block, and how many of them are d: these only steer the guess
  std::uint32_t matches;
  std::uint32_t guess;  // a line

  void Guess(std::int64_t line_index) noexcept {
    guess = static_cast<std::uint32_t>(std::clamp<std::int64_t>(line_index, 0, lines - 1));
  }
};

// `total` is how many digits d the node has, or nearly: the size of its child d. `near`, a block
// that does not lie behind the answer, or 0, saves a search when many ks ascend.
inline SelectState StartSelect(const LiveNode& node, unsigned digit, std::uint32_t k,
                               std::uint32_t total, std::uint32_t near = 0) noexcept {
  SelectState state;
  state.size = node.size.load(std::memory_order_acquire);
  const std::uint32_t last = state.size / kLineDigits;  // the newest line
  const std::uint32_t last_block = last / kBlockLines;
  std::uint32_t block = 0;
  std::uint32_t before = 0;
  std::uint32_t until = total;
  if (last_block == 0) {
    state.line = node.lines.load(std::memory_order_acquire);
  } else {
    const QuadBlock* blocks = node.blocks.load(std::memory_order_acquire);
    const auto count = [blocks, digit](std::uint32_t b) {
      return b == 0 ? 0 : blocks[b].before[digit].load(std::memory_order_relaxed);
    };
    block = near;
    std::uint32_t end = last_block + 1;
    if (block + 1 < end && k < count(block + 1)) end = block + 1;
    while (end - block > 1) {
      const std::uint32_t middle = block + (end - block) / 2;
      (count(middle) <= k ? block : end) = middle;
    }
    before = count(block);
    if (block < last_block) until = count(block + 1);
    state.line = (block == 0 ? node.lines : blocks[block].lines).load(std::memory_order_acquire);
  }
  state.first = block * kBlockDigits;
  state.lines = block == last_block ? last % kBlockLines + 1 : kBlockLines;
  state.digits = block == last_block ? state.size - state.first : kBlockDigits;
  state.matches = std::max(until - before, 1U);
  state.k = k - before;
  state.Guess(std::int64_t{state.k} * state.digits / state.matches / kLineDigits);
  return state;
}

inline void AdjustSelect(SelectState& state, unsigned digit) noexcept {
  const std::int64_t off = std::int64_t{state.k} - LineCount(state.line[state.guess], digit);
  const std::int64_t digits = off * state.digits / state.matches;
  // Rounded towards minus infinity: a negative distance is at least one line.
  state.Guess(state.guess + (digits - (off < 0 ? kLineDigits - 1 : 0)) / kLineDigits);
}

// 0xffffffff when the node holds no such digit.
template <typename Bits>
std::uint32_t FinishSelect(const SelectState& state, unsigned digit) noexcept {
  const QuadLine* line = state.line;
  const auto fits = [&](std::uint32_t at) { return LineCount(line[at], digit) <= state.k; };
  std::uint32_t low = state.guess;
  std::uint32_t high = low + 1;
  std::uint32_t step = 1;
  if (fits(low)) {
    while (high < state.lines && fits(high)) {
      low = high;
      high = std::min(high + step, state.lines);
      step *= 2;
    }
  } else {  // line 0 always fits
    do {
      high = low;
      low = low > step ? low - step : 0;
      step *= 2;
    } while (!fits(low));
  }
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  const unsigned offset = LineSelect<Bits>(line[low], digit, state.k - LineCount(line[low], digit));
  if (offset == kLineDigits) return 0xffffffff;
  // Beyond `size` lie zeros, which look like the digit 0.
  const std::uint32_t position = state.first + low * kLineDigits + offset;
  return position < state.size ? position : 0xffffffff;
}

// How many digits d the node has: exactly its child's size; below the last level there is no child.
template <typename Bits>
std::uint32_t DigitsBelow(const LiveNode& node, unsigned digit, bool last_level) noexcept {
  if (last_level) return NodeRank<Bits>(node, digit, node.size.load(std::memory_order_acquire));
  const std::uintptr_t child = node.child[digit].load(std::memory_order_acquire);
  if (child == 0) return 0;
  return (IsLeaf(child) ? AsLeaf(child)->size : AsNode(child)->size)
      .load(std::memory_order_acquire);
}

template <typename Bits>
std::uint32_t NodeSelect(const LiveNode& node, unsigned digit, std::uint32_t k,
                         std::uint32_t total) noexcept {
  SelectState state = StartSelect(node, digit, k, total);
  AdjustSelect(state, digit);
  return FinishSelect<Bits>(state, digit);
}

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_SELECT_H_
