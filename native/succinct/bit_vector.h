// An immutable bit vector with rank and select.
//
// Rank1(i) is the number of one bits in [0, i), position i excluded; Select1(k) is the position of
// the one bit number k, k from 0, so that Rank1(Select1(k)) = k. Rank0 and Select0 count zeros.
//
// Layout. 64-byte lines of 448 bits with the ones before them (rank_line.h), one line more than the
// bits fill so that Rank1(size()) needs no special case; and the line of every 1,024th one and
// every 1,024th zero.
//
// Cost. Build O(n / 64). Rank one cache line. Select the two samples around k and log2 of the lines
// between them: one or two where ones and zeros mix. Space: 16.1% over the bits.
//
// Threads. Immutable: any number of readers. append_bit_vector.h is the one that grows.

#ifndef DENTATE_SUCCINCT_BIT_VECTOR_H_
#define DENTATE_SUCCINCT_BIT_VECTOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "succinct/rank_line.h"

namespace dentate::succinct {

class BitVector {
 public:
  static constexpr std::size_t kNotFound = ~std::size_t{0};

  // Collects bits; Build() makes them a bit vector and leaves the builder empty.
  class Builder {
   public:
    void PushBack(bool bit) { Append(bit ? 1 : 0, 1); }
    // The low `count` bits of `bits`, lowest first. REQUIRES: count <= 64.
    void Append(std::uint64_t bits, std::size_t count);
    std::size_t size() const noexcept { return bit_count_; }
    BitVector Build();

   private:
    std::vector<std::uint64_t> words_;
    std::size_t bit_count_ = 0;
  };

  // The empty bit vector.
  BitVector() : BitVector({}, 0) {}
  // The first `bit_count` bits of `words`, which are copied; what follows them is ignored.
  // REQUIRES: words.size() * 64 >= bit_count.
  BitVector(std::span<const std::uint64_t> words, std::size_t bit_count);

  std::size_t size() const noexcept { return size_; }

  // REQUIRES: i < size().
  bool Get(std::size_t i) const noexcept;

  // Ones, or zeros, in [0, i). REQUIRES: i <= size().
  std::size_t Rank1(std::size_t i) const noexcept {
    const RankLine& line = lines_[i / RankLine::kBits];
    return line.ones_before + OnesInLine(line, i % RankLine::kBits);
  }
  std::size_t Rank0(std::size_t i) const noexcept { return i - Rank1(i); }

  // Position of the one, or zero, number k (from 0); kNotFound when there are not that many.
  std::size_t Select1(std::size_t k) const noexcept { return Select<true>(k); }
  std::size_t Select0(std::size_t k) const noexcept { return Select<false>(k); }

  // Ones in all.
  std::size_t OneCount() const noexcept { return one_count_; }

  std::size_t SizeInBytes() const noexcept {
    return lines_.size() * sizeof(RankLine) +
           (one_samples_.size() + zero_samples_.size()) * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::size_t kBitsPerSample = 1024;

  template <bool kBit>
  std::size_t Select(std::size_t k) const noexcept;

  std::vector<RankLine> lines_;
  std::vector<std::uint32_t> one_samples_;   // line of the ones number 0, 1024, 2048, ...
  std::vector<std::uint32_t> zero_samples_;  // the same for zeros
  std::size_t size_ = 0;
  std::size_t one_count_ = 0;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_BIT_VECTOR_H_
