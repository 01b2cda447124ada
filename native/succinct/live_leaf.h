// Searching a leaf: its symbols are scanned eight bytes at a time, as lanes of a word.
//
// x = word XOR (symbol in every lane) has a zero lane where the symbol is. Adding 0x7f.. to the low
// bits of each lane sets its high bit unless they are all zero, with no carry into the next lane,
// so
//
//   ~(((x & low) + low) | x) & high
//
// has exactly the high bits of the zero lanes. Lane j lies at bits j * width, on any byte order.
//
// Cost. A leaf has at most 1,024 symbols: at most 128 words of one-byte lanes, about 2 cycles each.
//
// Source: H. S. Warren, "Hacker's Delight", 2nd ed. 2012, section 6-1 (find first 0-byte, exact).

#ifndef DENTATE_SUCCINCT_LIVE_LEAF_H_
#define DENTATE_SUCCINCT_LIVE_LEAF_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "succinct/live_node.h"

namespace dentate::succinct {

template <unsigned kLaneLog>
struct Lanes {
  static constexpr unsigned kBits = 1U << kLaneLog;
  static constexpr unsigned kPerWord = 64 / kBits;
  static constexpr std::uint64_t kOnes = ~std::uint64_t{0} / ((std::uint64_t{1} << kBits) - 1);
  static constexpr std::uint64_t kHigh = kOnes << (kBits - 1);

  static std::uint64_t Match(std::uint64_t word, std::uint64_t everywhere) noexcept {
    const std::uint64_t x = word ^ everywhere;
    return ~(((x & ~kHigh) + ~kHigh) | x) & kHigh;
  }

  static std::uint32_t Get(const LiveLeaf& leaf, std::uint32_t i) noexcept {
    const std::uint64_t word = leaf.words()[i / kPerWord].load(std::memory_order_relaxed);
    return static_cast<std::uint32_t>(word >> (i % kPerWord * kBits) &
                                      ((std::uint64_t{1} << kBits) - 1));
  }

  static void Put(LiveLeaf& leaf, std::uint32_t i, std::uint32_t symbol) noexcept {
    auto& cell = leaf.words()[i / kPerWord];
    const unsigned shift = i % kPerWord * kBits;
    const std::uint64_t lane = ((std::uint64_t{1} << kBits) - 1) << shift;
    cell.store((cell.load(std::memory_order_relaxed) & ~lane) | std::uint64_t{symbol} << shift,
               std::memory_order_relaxed);
  }

  // Occurrences among the first `end`.
  template <typename Bits>
  static std::uint32_t Rank(const LiveLeaf& leaf, std::uint32_t symbol,
                            std::uint32_t end) noexcept {
    const std::uint64_t everywhere = symbol * kOnes;
    std::uint32_t count = 0;
    std::uint32_t w = 0;
    for (; (w + 1) * kPerWord <= end; ++w) {
      count += Bits::Count(Match(leaf.words()[w].load(std::memory_order_relaxed), everywhere));
    }
    if (const unsigned rest = end % kPerWord; rest != 0) {
      const std::uint64_t keep = (std::uint64_t{1} << (rest * kBits)) - 1;
      count +=
          Bits::Count(Match(leaf.words()[w].load(std::memory_order_relaxed), everywhere) & keep);
    }
    return count;
  }

  // Position of the occurrence that has k before it, or `end` when there is none before `end`.
  template <typename Bits>
  static std::uint32_t Select(const LiveLeaf& leaf, std::uint32_t symbol, std::uint32_t k,
                              std::uint32_t end) noexcept {
    const std::uint64_t everywhere = symbol * kOnes;
    for (std::uint32_t w = 0; w * kPerWord < end; ++w) {
      const std::uint64_t match =
          Match(leaf.words()[w].load(std::memory_order_relaxed), everywhere);
      const unsigned count = Bits::Count(match);
      if (k < count) {
        const std::uint32_t found = w * kPerWord + Bits::Select(match, k) / kBits;
        return found < end ? found : end;
      }
      k -= count;
    }
    return end;
  }

  // Writes the positions of occurrences from, from + 1, ... before `end`, as many as fit; returns
  // how many.
  template <typename Bits>
  static std::size_t Occurrences(const LiveLeaf& leaf, std::uint32_t symbol, std::uint32_t from,
                                 std::uint32_t end, std::span<std::uint32_t> out) noexcept {
    const std::uint64_t everywhere = symbol * kOnes;
    std::size_t count = 0;
    for (std::uint32_t w = 0; w * kPerWord < end; ++w) {
      std::uint64_t match = Match(leaf.words()[w].load(std::memory_order_relaxed), everywhere);
      if (from > 0) {
        const unsigned skipped = Bits::Count(match);
        if (skipped <= from) {
          from -= skipped;
          continue;
        }
      }
      for (; match != 0; match &= match - 1) {
        if (from > 0) {
          --from;
          continue;
        }
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(match)) / kBits;
        const std::uint32_t position = w * kPerWord + lane;
        if (position >= end || count == out.size()) return count;
        out[count++] = position;
      }
    }
    return count;
  }
};

// Calls f.template operator()<Lanes<...>>() for symbols of which `bits` bits are left.
template <typename F>
decltype(auto) WithLanes(unsigned bits, F&& f) {
  if (bits <= 8) return f.template operator()<Lanes<3>>();
  if (bits <= 16) return f.template operator()<Lanes<4>>();
  return f.template operator()<Lanes<5>>();
}

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_LEAF_H_
