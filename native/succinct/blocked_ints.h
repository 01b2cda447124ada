// Signed numbers that differ little from their neighbours, such as times: each block of 128 of them
// has its own base, unit and width.
//
//   value i = base + unit * (i's number of `width` bits),   of i's block
//
//   sections, 64-bit words   blocks   three words each: base, unit, (first word << 8 | width)
//                            numbers  of all blocks, each from a word on; the first word counts
//                            from
//                                     the start of this section
//
// The unit is the greatest common divisor of the differences to the base, so that times of whole
// minutes don't pay for their milliseconds. Equal numbers take no bits beyond their block's.
//
// Space. 1.5 bits a number for blocks, on average half a word for each block's end, and the
// numbers. Cost. Get: the block, then one or two words.
//
// Threads. A view of constant bytes: any number of readers.

#ifndef DENTATE_SUCCINCT_BLOCKED_INTS_H_
#define DENTATE_SUCCINCT_BLOCKED_INTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/status.h"
#include "succinct/packed_ints.h"

namespace dentate::succinct {

class BlockedInts {
 public:
  static constexpr std::size_t kPerBlock = 128;
  static constexpr std::size_t kBlockWords = 3;

  BlockedInts() noexcept = default;
  // REQUIRES: `words` has at least BlockWordCount(count) words and outlives the view.
  BlockedInts(std::span<const std::uint64_t> words, std::size_t count) noexcept
      : words_(words), count_(count) {}

  static constexpr std::uint64_t BlockWordCount(std::uint64_t count) noexcept {
    return (count + kPerBlock - 1) / kPerBlock * kBlockWords;
  }
  // Appends the words of `values`.
  static void Write(std::span<const std::int64_t> values, std::vector<std::uint64_t>& words);

  // Whether every Get stays within the words. O(n / 128).
  Status Validate() const;

  // REQUIRES: i is below the count.
  std::int64_t Get(std::size_t i) const noexcept {
    const std::uint64_t* block = words_.data() + i / kPerBlock * kBlockWords;
    const std::uint64_t* numbers = words_.data() + BlockWordCount(count_) + (block[2] >> 8);
    const PackedInts packed(numbers, block[2] & 0xff);
    return static_cast<std::int64_t>(block[0] + block[1] * packed.Get(i % kPerBlock));
  }

 private:
  std::span<const std::uint64_t> words_;
  std::size_t count_ = 0;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_BLOCKED_INTS_H_
