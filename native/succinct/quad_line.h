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

// The digits d of one of the words above, as bits 0..31.
inline std::uint64_t MatchDigit(std::uint64_t word, unsigned digit) noexcept {
  const std::uint64_t flip =
      ((digit & 2) != 0 ? 0 : 0xffffffff00000000U) | ((digit & 1) != 0 ? 0 : 0x00000000ffffffffU);
  word ^= flip;
  return word & (word >> 32) & 0xffffffffU;
}

inline std::uint32_t LineCount(const QuadLine& line, unsigned digit) noexcept {
  return line.words[0].load(std::memory_order_relaxed) >> (16 * digit) & 0xffff;
}

inline unsigned LineDigit(const QuadLine& line, unsigned offset) noexcept {
  const std::uint64_t word =
      line.words[1 + offset / 32].load(std::memory_order_relaxed) >> (offset % 32);
  return static_cast<unsigned>((word & 1) | (word >> 31 & 2));
}

// Ones in the lowest `count` bits, 0 <= count <= 64, and all ones above that, none below 0.
inline std::uint64_t LowBits(int count) noexcept {
  return count >= 64 ? ~std::uint64_t{0} : count <= 0 ? 0 : (std::uint64_t{1} << count) - 1;
}

// Digits d among the first `offset` of the line, the line's count not included.
template <typename Bits>
unsigned LineRank(const QuadLine& line, unsigned digit, unsigned offset) noexcept {
  const std::uint64_t flip =
      ((digit & 2) != 0 ? 0 : 0xffffffff00000000U) | ((digit & 1) != 0 ? 0 : 0x00000000ffffffffU);
  // Two words make one population count: the even one's matches stay below, the odd one's go above.
  unsigned count = 0;
  for (unsigned pair = 0; pair < 4; ++pair) {
    const std::uint64_t even = line.words[1 + 2 * pair].load(std::memory_order_relaxed) ^ flip;
    std::uint64_t match = even & (even >> 32) & 0xffffffffU;
    if (pair < 3) {
      const std::uint64_t odd = line.words[2 + 2 * pair].load(std::memory_order_relaxed) ^ flip;
      match |= odd & (odd << 32) & 0xffffffff00000000U;
    }
    count += Bits::Count(match & LowBits(static_cast<int>(offset) - static_cast<int>(64 * pair)));
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
  for (unsigned i = 0; i < kLineWords - 1; ++i) {
    const std::uint64_t match =
        MatchDigit(line.words[1 + i].load(std::memory_order_relaxed), digit);
    const unsigned count = Bits::Count(match);
    if (k < count) return i * 32 + Bits::Select(match, k);
    k -= count;
  }
  return kLineDigits;
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
