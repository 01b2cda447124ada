// Numbers 0, 1, 2, ... for keys, as they are first met. The keys lie with the caller, by number.
//
// Open addressing over numbers + 1 (0: free), at most three quarters full. 5 to 11 bytes a key.

#ifndef DENTATE_BANK_NUMBERING_H_
#define DENTATE_BANK_NUMBERING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dentate::bank {

class Numbering {
 public:
  // The number of the key with this hash for which equal(number) holds; a new one, the count so
  // far, where there is none. hash_of(number) is the hash of a key that has a number.
  template <typename Equal, typename HashOf>
  std::uint32_t FindOrAdd(std::uint64_t hash, Equal equal, HashOf hash_of) {
    if (4 * (std::size_t{count_} + 1) > 3 * slots_.size()) Grow(hash_of);
    std::uint32_t& slot = SlotOf(hash, equal);
    if (slot == 0) slot = ++count_;
    return slot - 1;
  }

 private:
  static constexpr std::size_t kFirstSlots = 64;

  // The key's slot, or the free one where it belongs.
  template <typename Equal>
  std::uint32_t& SlotOf(std::uint64_t hash, Equal equal) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    while (slots_[slot] != 0 && !equal(slots_[slot] - 1)) slot = (slot + 1) & mask;
    return slots_[slot];
  }

  template <typename HashOf>
  void Grow(HashOf hash_of) {
    std::vector<std::uint32_t> larger(std::max(kFirstSlots, slots_.size() * 2));
    slots_.swap(larger);
    for (const std::uint32_t slot : larger) {
      if (slot == 0) continue;
      SlotOf(hash_of(slot - 1), [](std::uint32_t) { return false; }) = slot;
    }
  }

  std::vector<std::uint32_t> slots_;
  std::uint32_t count_ = 0;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_NUMBERING_H_
