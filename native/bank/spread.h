// Lets each match of one query signature shine on the entries around it in its session.
//
//   Z[e] = max(A[e], K[k] * A[e - k], K[k] * A[e + k] : k = 1..4, within the session)
//
// e - k and e + k are counted over current entries, across parts.
//
// Layout. z_ has one float a slot (slots.h), with kReach more on each side. A session's entries are
// mostly consecutive: then a match takes the maximum of nine consecutive floats with a row of
// weights that is zero where the session has ended, and that is three vector operations. A session
// that others or deleted entries interrupt is followed by its links.
//
// Slots are also marked in blocks of 64, so that a rare word costs what it matches, not what the
// bank holds.
//
// Cost. A few nanoseconds a match beside three questions to the part; AddTo 64 slots a block
// touched.

#ifndef DENTATE_BANK_SPREAD_H_
#define DENTATE_BANK_SPREAD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/query.h"
#include "bank/slots.h"

namespace dentate::bank {

class Spread {
 public:
  // Before the matches of a search: K, for so many slots.
  void Begin(std::span<const float, kReach> neighbours, std::uint32_t size);

  // A[slot] = weight. REQUIRES: the slot is current and in `placed`, weight > 0.
  void Match(const Slots& slots, const Slots::Placed& placed, std::uint32_t slot, float weight);

  // scores[e] += factor * Z[e] for all e, and Z is 0 again.
  void AddTo(std::span<float> scores, float factor);

  std::size_t SizeInBytes() const noexcept;

 private:
  static constexpr std::size_t kWindow = 2 * kReach + 1;
  static constexpr std::uint32_t kBlock = 64;
  using Weights = std::array<float, kWindow>;

  void Mark(std::uint32_t block) {
    if (marked_[block] == 0) MarkNew(block);
  }
  void MarkNew(std::uint32_t block);
  void Raise(std::uint32_t slot, float value);
  void MatchByLinks(const Slots& slots, std::uint32_t slot, float weight);

  std::array<float, kReach> neighbours_{};
  // weights_[l][r]: of a match with l entries of its session before it in reach, and r after it.
  std::array<std::array<Weights, kReach + 1>, kReach + 1> weights_{};
  std::uint32_t size_ = 0;
  std::vector<float> z_;
  std::vector<std::uint8_t> marked_;   // by block
  std::vector<std::uint32_t> blocks_;  // that are marked
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_SPREAD_H_
