// One dense vector for each entry, and the lengths that turn window sums into cosines.
//
// The window vector of entry i is
//
//   w(i) = v(i) + kNear * (v(i-1) + v(i+1)) + kFar * (v(i-2) + v(i+2))
//
// over the neighbours i has in its session. It is never stored: its dot product with a query is the
// same sum over the dot products of the v's, which a kernel computes for all entries in one pass.
// Only its length is kept, once for each number of followers the entry can have:
//
//   inverse_length[k] = 1 / |w(i)| with k followers in the window, k = 0, 1, 2
//
// Number k is written when the k-th follower is appended, before it is published, and never again:
// so a reader that uses the number of followers inside its own snapshot gets that snapshot's
// length, whatever the writer has done since.
//
// Space: dimensions + 16 bytes an entry. Cost of an append: 12 dot products.
// Threads: one writer; readers for entries below the bank's entry count they have seen.

#ifndef DENTATE_OLD_BANK_DENSE_STORE_H_
#define DENTATE_OLD_BANK_DENSE_STORE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/append_vector.h"
#include "vectors/int8_rows.h"

namespace dentate::old_bank {

class DenseStore {
 public:
  static constexpr float kNear = 0.5F;
  static constexpr float kFar = 0.25F;

  struct Lengths {
    float scale;  // v(i)[j] = scale * row[j]
    std::array<float, 3> inverse_length;
  };
  static_assert(sizeof(Lengths) == 16, "the header says 16 bytes beside the vector");

  // 0 dimensions: a bank without vectors; nothing is stored.
  explicit DenseStore(std::size_t dimensions) noexcept : rows_(dimensions) {}

  std::size_t dimensions() const noexcept { return rows_.dimensions(); }

  // Allocates room for `count` more entries. Writer only.
  void Reserve(std::size_t count) {
    if (dimensions() == 0) return;
    rows_.Reserve(lengths_.size() + count);
    lengths_.Reserve(lengths_.size() + count);
  }

  // Adds the next entry, whose session goes on from `previous` (kNone: it begins here), and
  // brings the lengths of the two entries before it up to date. Writer only, before the entry is
  // published. REQUIRES: reserved; `previous_of` gives the link of each earlier entry.
  template <typename PreviousOf>
  void Append(std::span<const std::int8_t> row, float scale, std::uint32_t previous,
              PreviousOf previous_of) noexcept {
    if (dimensions() == 0) return;
    std::array<std::uint32_t, 4> before{};
    for (auto& entry : before) {
      entry = previous;
      if (previous != kNone) previous = previous_of(previous);
    }
    Append(row, scale, before);
  }

  // What follows is for any thread.
  const vectors::Int8Rows& rows() const noexcept { return rows_; }
  const Lengths& lengths(std::uint32_t entry) const noexcept { return lengths_[entry]; }

  // The lengths of consecutive entries from `entry`, up to `end` at most.
  std::span<const Lengths> LengthsRun(std::uint32_t entry, std::uint32_t end) const noexcept {
    return lengths_.Run(entry, end);
  }

  std::size_t SizeInBytes() const noexcept { return rows_.SizeInBytes() + lengths_.SizeInBytes(); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void Append(std::span<const std::int8_t> row, float scale,
              const std::array<std::uint32_t, 4>& before) noexcept;
  double Dot(std::uint32_t left, std::uint32_t right) const noexcept;

  vectors::Int8Rows rows_;
  AppendVector<Lengths, 32> lengths_;
};

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_DENSE_STORE_H_
