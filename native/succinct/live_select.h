// Select inside one node: where is the digit d that has k others before it?
//
// The blocks' counts are bisected. In the block, the line is guessed by interpolation between the
// counts at its two ends, corrected once by the same density, and from there the right line is
// found by steps that double: digits are spread evenly enough that the guess is off by about two
// lines of 64 bytes, which the hardware prefetches together. In the worst case it is a bisection.

#ifndef DENTATE_SUCCINCT_LIVE_SELECT_H_
#define DENTATE_SUCCINCT_LIVE_SELECT_H_

#include <algorithm>
#include <cstdint>

#include "succinct/live_node.h"

namespace dentate::succinct {

// The last line of [0, lines) whose count of `digit` is at most k; line 0 has count 0.
// `total` is (about) the count at the end: it only steers the guess.
inline std::uint32_t FindLine(const QuadLine* line, std::uint32_t lines, unsigned digit,
                              std::uint32_t k, std::uint32_t total) noexcept {
  const auto clamp = [lines](std::int64_t guess) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(guess, 0, lines - 1));
  };
  const std::int64_t scale = std::max<std::uint32_t>(total, 1);
  std::uint32_t low = clamp(std::int64_t{k} * lines / scale);
  for (int round = 0; round < 1; ++round) {
    const std::int64_t off = std::int64_t{k} - LineCount(line[low], digit);
    // Half a line's worth less, so that the correction lands in the middle of the digit's line.
    const std::int64_t move = (off * lines - (off < 0 ? scale : 0)) / scale;
    if (move == 0) break;
    low = clamp(low + move);
  }
  // Now bracket: count(low) <= k < count(high), where `lines` counts as beyond every k.
  std::uint32_t high = low + 1;
  std::uint32_t step = 1;
  if (LineCount(line[low], digit) <= k) {
    while (high < lines && LineCount(line[high], digit) <= k) {
      low = high;
      high = std::min(high + step, lines);
      step *= 2;
    }
  } else {
    do {
      high = low;
      low = low > step ? low - step : 0;
      step *= 2;
    } while (LineCount(line[low], digit) > k);
  }
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (LineCount(line[middle], digit) <= k ? low : high) = middle;
  }
  return low;
}

// 0xffffffff when the node holds no such digit.
template <typename Bits>
std::uint32_t NodeSelect(const LiveNode& node, unsigned digit, std::uint32_t k) noexcept {
  constexpr std::uint32_t kNone = 0xffffffff;
  const std::uint32_t size = node.size.load(std::memory_order_acquire);
  const std::uint32_t last = size / kLineDigits;  // the newest line
  std::uint32_t block = 0;
  std::uint32_t before = 0;
  const QuadLine* line = nullptr;
  std::uint32_t lines = last + 1;
  std::uint32_t total = 0;
  if (last < kBlockLines) {
    line = node.lines.load(std::memory_order_acquire);
    total = LineCount(line[last], digit);
  } else {
    const QuadBlock* blocks = node.blocks.load(std::memory_order_acquire);
    const auto count = [blocks, digit](std::uint32_t b) {
      return blocks[b].before[digit].load(std::memory_order_relaxed);
    };
    std::uint32_t end = last / kBlockLines + 1;
    while (end - block > 1) {
      const std::uint32_t middle = block + (end - block) / 2;
      (count(middle) <= k ? block : end) = middle;
    }
    before = block == 0 ? 0 : count(block);
    line = (block == 0 ? node.lines : blocks[block].lines).load(std::memory_order_acquire);
    if (block == last / kBlockLines) {
      lines = last % kBlockLines + 1;
      total = LineCount(line[lines - 1], digit);
    } else {
      lines = kBlockLines;
      total = count(block + 1) - before;
    }
  }
  k -= before;
  const std::uint32_t at = FindLine(line, lines, digit, k, total);
  const unsigned offset = LineSelect<Bits>(line[at], digit, k - LineCount(line[at], digit));
  if (offset == kLineDigits) return kNone;
  // Beyond `size` lie zeros, which look like the digit 0.
  const std::uint32_t position = (block * kBlockLines + at) * kLineDigits + offset;
  return position < size ? position : kNone;
}

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_SELECT_H_
