// A bit vector that grows at its end, with rank and select, read by other threads without a lock.
//
// Rank1(i) is the number of one bits in [0, i), position i excluded; Select1(k) is the position of
// the one bit number k, k from 0, so that Rank1(Select1(k)) = k. Rank0 and Select0 count zeros.
//
// Layout. Bits lie in 64-byte lines of 448 with the ones before them (rank_line.h), in an
// AppendVector: no line ever moves. For every 1,024th one, and every 1,024th zero, a sample holds
// the line it lies in; select looks at two samples and searches the lines between them by halving.
//
// Cost. PushBack O(1), no step is long. Rank one line. Select the samples, then log2 of the lines
// between: about 2 where ones and zeros mix evenly. Space: 16.1% over the bits, plus growth slack
// (the newest chunk may be half empty; what is untouched is not resident). An empty one owns
// nothing.
//
// Threads. One writer, any number of readers. The writer sets bits and counts, then publishes
// size() with release; a reader takes size() with acquire and reads only bits below it. The word
// that holds the end is still being written while readers mask their part out of it, so words are
// read and written by relaxed atomics.
//
// Invariants. 1. Bits at and after size() in the last line are zero. 2. ones_before of a line is
// set before any bit of the line is published. 3. The sample of a one or zero is pushed before that
// bit is published.

#ifndef DENTATE_SUCCINCT_APPEND_BIT_VECTOR_H_
#define DENTATE_SUCCINCT_APPEND_BIT_VECTOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/append_vector.h"
#include "succinct/rank_line.h"

namespace dentate::succinct {

class AppendBitVector {
 public:
  static constexpr std::size_t kNotFound = ~std::size_t{0};

  // Appends and publishes one bit. Writer only.
  void PushBack(bool bit) { Append(bit ? 1 : 0, 1); }

  // Appends the low `count` bits of `bits`, lowest first, and publishes them together. Writer only.
  // REQUIRES: count <= 64.
  void Append(std::uint64_t bits, std::size_t count);

  // Appends `count` equal bits and publishes them together. Writer only.
  void AppendRun(bool bit, std::size_t count);

  // Allocates room for `bit_count` bits in all, so that appending up to there cannot fail. Writer
  // only.
  void Reserve(std::size_t bit_count);

  // What follows is for any thread. Bits a reader may ask about.
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }

  // REQUIRES: i < size().
  bool Get(std::size_t i) const noexcept;

  // Ones, or zeros, in [0, i). REQUIRES: i <= size().
  std::size_t Rank1(std::size_t i) const noexcept;
  std::size_t Rank0(std::size_t i) const noexcept { return i - Rank1(i); }

  // Position of the one, or zero, number k (from 0); kNotFound when there are not that many.
  std::size_t Select1(std::size_t k) const noexcept { return Select<true>(k); }
  std::size_t Select0(std::size_t k) const noexcept { return Select<false>(k); }

  // Ones in all.
  std::size_t OneCount() const noexcept { return Rank1(size()); }

  // Bytes owned: lines and samples, growth slack included.
  std::size_t SizeInBytes() const noexcept {
    return lines_.SizeInBytes() + one_samples_.SizeInBytes() + zero_samples_.SizeInBytes();
  }

 private:
  static constexpr std::size_t kBitsPerSample = 1024;

  void AppendUnpublished(std::uint64_t bits, std::size_t count);
  template <bool kBit>
  std::size_t Select(std::size_t k) const noexcept;

  AppendVector32<RankLine, 4> lines_;
  AppendVector32<std::uint32_t, 16> one_samples_;   // line of the ones number 0, 1024, 2048, ...
  AppendVector32<std::uint32_t, 16> zero_samples_;  // the same for zeros
  std::atomic<std::size_t> size_{0};
  // The writer's own; readers go by size_.
  std::size_t end_ = 0;
  std::size_t ones_ = 0;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_APPEND_BIT_VECTOR_H_
