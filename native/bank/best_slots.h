// The wanted slots of greatest score, of all of them.
//
// A sample of the scores (every kStride-th slot) says about which score enough slots reach; what
// reaches it is gathered, and of those few the best are taken. Where the sample misleads and too
// few do, all are gathered: the answer never depends on it.
//
// Of equal scores the newer or the older slots come first (top_entries.h has Ties).
//
// Cost. One comparison a wanted slot, and O(limit) for the gathered; O(slots) more where the sample
// misleads.
//
// Threads. Any.

#ifndef DENTATE_BANK_BEST_SLOTS_H_
#define DENTATE_BANK_BEST_SLOTS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/slots.h"
#include "bank/top_entries.h"

namespace dentate::bank {

// Greater for the better one of two slots.
using SlotKey = std::uint64_t;

template <Ties kTies>
constexpr SlotKey KeyOf(float score, std::uint32_t slot) noexcept {
  // As whole numbers floats ascend from 0 up, and descend below it. -0 is equal to 0.
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);
  const std::uint32_t ascending = bits >> 31 != 0 ? ~bits : bits | 0x80000000U;
  return std::uint64_t{ascending} << 32 | (kTies == Ties::kNewerFirst ? slot : ~slot);
}
template <Ties kTies>
constexpr std::uint32_t SlotOfKey(SlotKey key) noexcept {
  const auto low = static_cast<std::uint32_t>(key);
  return kTies == Ties::kNewerFirst ? low : ~low;
}

// Fills `keys` with those of the best `limit` slots whose score is `least` at least, in any order.
// REQUIRES: a score for each slot, all numbers; limit > 0.
template <Ties kTies>
void FindBestSlots(const Slots& slots, std::span<const float> scores, std::size_t limit,
                   float least, std::vector<SlotKey>& keys);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_BEST_SLOTS_H_
