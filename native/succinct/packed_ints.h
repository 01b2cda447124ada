// Numbers of a fixed width in bits, back to back, read where they lie: in a mapped file, or
// anywhere.
//
//   bit    0        w        2w                      word 0, lowest bit first, then word 1, ...
//        +--------+--------+--------+-- ... --+
//        | no. 0  | no. 1  | no. 2  |         |      a number may reach from one word into the next
//        +--------+--------+--------+-- ... --+
//
// The width and how many there are lie elsewhere, with whoever holds the bytes. Width 0: all are 0,
// and there are no bytes. Bits after the last number are zero.
//
// Cost. Get: one or two words, without a branch.
//
// Threads. A view of constant bytes: any number of readers.

#ifndef DENTATE_SUCCINCT_PACKED_INTS_H_
#define DENTATE_SUCCINCT_PACKED_INTS_H_

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dentate::succinct {

class PackedInts {
 public:
  PackedInts() noexcept = default;
  // REQUIRES: width <= 64; `words` has WordCount(count, width) words and outlives the view.
  PackedInts(const std::uint64_t* words, unsigned width) noexcept : words_(words), width_(width) {}

  static constexpr std::uint64_t WordCount(std::uint64_t count, unsigned width) noexcept {
    return (count * width + 63) / 64;
  }
  // Bits that `largest` needs.
  static constexpr unsigned WidthOf(std::uint64_t largest) noexcept {
    return static_cast<unsigned>(std::bit_width(largest));
  }
  // Appends the words that hold `values` at this width. REQUIRES: each value fits.
  static void Write(std::span<const std::uint32_t> values, unsigned width,
                    std::vector<std::uint64_t>& words);
  static void Write(std::span<const std::uint64_t> values, unsigned width,
                    std::vector<std::uint64_t>& words);

  unsigned width() const noexcept { return width_; }

  // Whether the bits after `count` numbers, up to the end of their last word, are zero.
  bool SlackIsZero(std::uint64_t count) const noexcept {
    const std::uint64_t bits = count * width_;
    return bits % 64 == 0 || words_[bits / 64] >> bits % 64 == 0;
  }

  // REQUIRES: i is below the count.
  std::uint64_t Get(std::size_t i) const noexcept {
    if (width_ == 0) return 0;
    const std::uint64_t bit = std::uint64_t{i} * width_;
    const unsigned shift = bit % 64;
    // The word of the number's last bit: the same one unless it goes over the edge, and then what
    // it adds lies above the number's bits.
    const std::uint64_t low = words_[bit / 64] >> shift;
    const std::uint64_t high = (words_[(bit + width_ - 1) / 64] << 1) << (63 - shift);
    return (low | high) & (~std::uint64_t{0} >> (64 - width_));
  }

 private:
  const std::uint64_t* words_ = nullptr;
  unsigned width_ = 0;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_PACKED_INTS_H_
