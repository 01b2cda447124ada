// Ascending numbers v_0 <= v_1 <= ... <= v_(n-1) in a few bits each, read where they lie.
//
// A number is cut into `low_bits` low bits, stored as they are, and the rest h_i, stored in unary:
// bit h_i + i of `high` is one. With low_bits = floor(log2(v_(n-1) / n)) `high` has at most three
// bits a number, so all take
//
//   log2(v_(n-1) / n) + 2 to 3 bits a number, and half a bit of samples
//
//   sections, 64-bit words   low      n x low_bits bits
//                            high     (v_(n-1) >> low_bits) + n bits
//                            samples  u32, two to a word: the positions in `high` of the ones
//                            number
//                                     64, 128, 192, ...
//
// n and v_(n-1) lie elsewhere, with whoever holds the bytes. n = 0: no bytes.
//
// Cost. Get: the sample, then about three words of `high`, then one or two of `low`. Where the
// numbers leap, `high` has long runs of zeros: all of them are 2 n bits, and one Get reads at most
// n / 32 words.
//
// Threads. A view of constant bytes: any number of readers.
//
// Source: P. Elias, "Efficient Storage and Retrieval by Content and Address of Static Files", 1974;
// R. Fano, "On the Number of Bits Required to Implement an Associative Memory", 1971.

#ifndef DENTATE_SUCCINCT_ELIAS_FANO_H_
#define DENTATE_SUCCINCT_ELIAS_FANO_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/status.h"
#include "succinct/packed_ints.h"
#include "succinct/quad_view.h"

namespace dentate::succinct {

class EliasFano {
 public:
  static constexpr std::uint32_t kOnesPerSample = 64;
  static constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 30;  // so that places have 32 bits

  EliasFano() noexcept = default;
  // REQUIRES: count <= kMaxCount; `words` has WordCount(count, last) words and outlives the view.
  EliasFano(const std::uint64_t* words, std::uint64_t count, std::uint64_t last) noexcept;

  static std::uint64_t WordCount(std::uint64_t count, std::uint64_t last) noexcept;
  // Appends the words of `values`. REQUIRES: they ascend, and are at most kMaxCount.
  static void Write(std::span<const std::uint64_t> values, std::vector<std::uint64_t>& words);

  // Whether the words are what Write makes of ascending numbers that end with `last`: then, and
  // only then, may the others be called on words from anywhere. O(n).
  Status Validate(std::uint64_t last) const;

  std::uint64_t size() const noexcept { return count_; }

  // REQUIRES: i < size().
  std::uint64_t Get(std::size_t i) const noexcept { return ValueAt(i, PositionOf(i)); }

  // Where item i begins and ends, when the numbers are the ends of items that lie back to back
  // from 0 on. REQUIRES: i < size().
  struct Range {
    std::uint64_t begin, end;
    std::uint64_t size() const noexcept { return end - begin; }
  };
  Range RangeOf(std::size_t i) const noexcept;

  // visit(i, number i), in order: a few nanoseconds each.
  template <typename Visit>
  void ForEach(Visit visit) const {
    std::uint64_t word = count_ == 0 ? 0 : high()[0];
    std::uint64_t base = 0;
    for (std::size_t i = 0; i < count_; ++i, word &= word - 1) {
      for (; word == 0; base += 64) word = high()[base / 64 + 1];
      visit(i, ValueAt(i, base + static_cast<std::uint64_t>(std::countr_zero(word))));
    }
  }

  // The first i whose number is above `value`; size() where there is none. Numbers that are spread
  // evenly: a few samples, about three words of `high` and two of `low`. Any others: O(log n), and
  // a word for each 64 numbers of the same high bits.
  std::size_t FirstAbove(std::uint64_t value) const noexcept;
  // The same where it is known to be near `begin`: step by step, a few nanoseconds each. REQUIRES:
  // some number from `begin` on is above `value`.
  std::size_t NextAbove(std::uint64_t value, std::size_t begin) const noexcept;

 private:
  struct Layout {
    unsigned low_bits;
    std::uint64_t high, samples, sample_count, word_count;
  };
  static Layout LayoutOf(std::uint64_t count, std::uint64_t last) noexcept;

  PackedInts low() const noexcept { return {words_, low_bits_}; }
  const std::uint64_t* high() const noexcept { return words_ + high_; }
  const std::uint32_t* samples() const noexcept {
    return reinterpret_cast<const std::uint32_t*>(words_ + samples_);
  }
  // Position in `high` of the one number i.
  std::uint64_t PositionOf(std::size_t i) const noexcept;
  template <typename Bits>
  std::uint64_t FindPosition(std::size_t i) const noexcept;
  // Of the first one from `position` on.
  std::uint64_t NextOne(std::uint64_t position) const noexcept;
  // How many ones there are from `position` on before the next zero.
  std::size_t OnesFrom(std::uint64_t position) const noexcept;
  // How many samples are of numbers whose high bits are below these.
  std::size_t SamplesBelow(std::uint64_t high_bits) const noexcept;
  template <typename Bits>
  std::size_t FindAbove(std::uint64_t value) const noexcept;
  std::uint64_t ValueAt(std::size_t i, std::uint64_t position) const noexcept {
    return (position - i) << low_bits_ | low().Get(i);
  }

  // A part keeps nine of these, and a process thousands of parts.
  const std::uint64_t* words_ = nullptr;
  std::uint32_t high_ = 0;  // in words from words_ on
  std::uint32_t samples_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t low_bits_ = 0;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_ELIAS_FANO_H_
