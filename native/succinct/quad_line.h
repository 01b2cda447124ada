// 224 digits of two bits, and what came before them, in one cache line.
//
//   word   0                    1                                    7
//        +---------------------+------------------+--- ... ---+------------------+
//        | c3 | c2 | c1 | c0   | high 31..0 | low |           | high 31..0 | low |
//        +---------------------+------------------+--- ... ---+------------------+
//   bits  63..48 .. 15..0       63..32      31..0
//
//   c_d      digits d in the lines before this one of the same block, 16 bits
//   word w   digits 32(w-1) .. 32(w-1)+31: bit j of `low` and of `high` are the two bits of digit j
//
// Both bits of a digit lie in one word, so that appending one writes one word and a reader never
// sees half a digit. A block is 256 lines: the largest c_d is 255 * 224 = 57,120 and fits in 16
// bits.
//
// Threads. Words are relaxed atomics. Which digits may be read is the caller's business: see
// live_wavelet_tree.h.
//
// Cost. One cache line a query, at most 4 population counts.

#ifndef DENTATE_SUCCINCT_QUAD_LINE_H_
#define DENTATE_SUCCINCT_QUAD_LINE_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace dentate::succinct {

inline constexpr unsigned kLineDigits = 224;
inline constexpr unsigned kLineWords = 8;
inline constexpr unsigned kBlockLines = 256;
inline constexpr std::uint32_t kBlockDigits = kBlockLines * kLineDigits;
static_assert((kLineWords - 1) * 32 == kLineDigits, "seven words of 32 digits follow the counts");
static_assert((kBlockLines - 1) * kLineDigits < 1U << 16, "a line's counts must fit in 16 bits");

struct alignas(64) QuadLine {
  std::array<std::atomic<std::uint64_t>, kLineWords> words;
};
static_assert(sizeof(QuadLine) == 64, "a line is a cache line");
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

inline std::uint32_t LineCount(const QuadLine& line, unsigned digit) noexcept {
  return line.words[0].load(std::memory_order_relaxed) >> (16 * digit) & 0xffff;
}

inline unsigned LineDigit(const QuadLine& line, unsigned offset) noexcept {
  const std::uint64_t word =
      line.words[1 + offset / 32].load(std::memory_order_relaxed) >> (offset % 32);
  return static_cast<unsigned>((word & 1) | (word >> 31 & 2));
}

// Ones in the lowest `count` bits; none for a negative count, all for more than 64. Without a
// branch: where a random position falls can't be predicted, and each miss costs as much as the
// whole line.
inline std::uint64_t LowBits(int count) noexcept {
  const int kept = std::clamp(count, 0, 64);
  const int half = kept / 2;  // a shift by 64 is undefined, two by 32 are not
  return ~(~std::uint64_t{0} << half << (kept - half));
}

// Which of the line's digits are d: bit j of pair p for digit 64 p + j. The even word's matches lie
// in the lower half, the odd one's in the upper; the last pair has no odd word.
inline std::array<std::uint64_t, 4> LineMatches(const QuadLine& line, unsigned digit) noexcept {
  const std::uint64_t flip =
      ((digit & 2) != 0 ? 0 : 0xffffffff00000000U) | ((digit & 1) != 0 ? 0 : 0x00000000ffffffffU);
  std::array<std::uint64_t, 4> matches;
  for (unsigned pair = 0; pair < 4; ++pair) {
    const std::uint64_t even = line.words[1 + 2 * pair].load(std::memory_order_relaxed) ^ flip;
    matches[pair] = even & (even >> 32) & 0xffffffffU;
    if (pair == 3) break;
    const std::uint64_t odd = line.words[2 + 2 * pair].load(std::memory_order_relaxed) ^ flip;
    matches[pair] |= odd & (odd << 32) & 0xffffffff00000000U;
  }
  return matches;
}

// Digits d among the first `offset` of the line, the line's count not included.
template <typename Bits>
unsigned LineRank(const QuadLine& line, unsigned digit, unsigned offset) noexcept {
  const auto matches = LineMatches(line, digit);
  unsigned count = 0;
  for (unsigned pair = 0; pair < 4; ++pair) {
    count += Bits::Count(matches[pair] &
                         LowBits(static_cast<int>(offset) - 64 * static_cast<int>(pair)));
  }
  return count;
}

// The same for all four digits at once.
template <typename Bits>
std::array<std::uint32_t, 4> LineRanks(const QuadLine& line, unsigned offset) noexcept {
  std::uint32_t low_ones = 0;
  std::uint32_t high_ones = 0;
  std::uint32_t both = 0;
  for (unsigned i = 0; i * 32 < offset; ++i) {
    const std::uint64_t keep = LowBits(static_cast<int>(offset - i * 32)) & 0xffffffffU;
    const std::uint64_t word = line.words[1 + i].load(std::memory_order_relaxed);
    low_ones += Bits::Count(word & keep);
    high_ones += Bits::Count(word >> 32 & keep);
    both += Bits::Count(word & (word >> 32) & keep);
  }
  return {offset - low_ones - high_ones + both, low_ones - both, high_ones - both, both};
}

// Offset of the digit d that has k others before it in the line, or kLineDigits when there is none.
template <typename Bits>
unsigned LineSelect(const QuadLine& line, unsigned digit, unsigned k) noexcept {
  const auto matches = LineMatches(line, digit);
  const unsigned until_1 = Bits::Count(matches[0]);
  const unsigned until_2 = until_1 + Bits::Count(matches[1]);
  const unsigned until_3 = until_2 + Bits::Count(matches[2]);
  if (k >= until_3 + Bits::Count(matches[3])) return kLineDigits;
  const unsigned pair = unsigned{k >= until_1} + unsigned{k >= until_2} + unsigned{k >= until_3};
  const std::array<unsigned, 4> before = {0, until_1, until_2, until_3};
  return pair * 64 + Bits::Select(matches[pair], k - before[pair]);
}

// Writes the digit at `offset`; what was there does not matter. Writer only.
inline void LinePut(QuadLine& line, unsigned offset, unsigned digit) noexcept {
  auto& cell = line.words[1 + offset / 32];
  const std::uint64_t both = std::uint64_t{0x0000000100000001U} << (offset % 32);
  const std::uint64_t bits = (std::uint64_t{digit & 1} | std::uint64_t{digit & 2} << 31)
                             << (offset % 32);
  cell.store((cell.load(std::memory_order_relaxed) & ~both) | bits, std::memory_order_relaxed);
}

// Makes a line of fresh or reused memory ready, with these counts. Writer only.
inline void LineBegin(QuadLine& line, const std::array<std::uint32_t, 4>& before) noexcept {
  line.words[0].store(std::uint64_t{before[0]} | std::uint64_t{before[1]} << 16 |
                          std::uint64_t{before[2]} << 32 | std::uint64_t{before[3]} << 48,
                      std::memory_order_relaxed);
  for (unsigned i = 1; i < kLineWords; ++i) line.words[i].store(0, std::memory_order_relaxed);
}

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_QUAD_LINE_H_
