#include "bank/fingerprint_table.h"

#include <algorithm>
#include <bit>

#include "bank/hash.h"

namespace dentate::bank {

std::size_t FingerprintTable::SlotOf(const std::vector<std::uint32_t>& slots,
                                     std::uint32_t fingerprint) const noexcept {
  const std::size_t mask = slots.size() - 1;
  std::size_t slot = static_cast<std::size_t>(Mix(fingerprint)) & mask;
  while (slots[slot] != 0 && fingerprints_[slots[slot] - 1] != fingerprint) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void FingerprintTable::Reserve(std::size_t count) {
  const std::size_t entries = fingerprints_.size() + count;
  const auto grow = [entries](std::vector<std::uint32_t>& list) {
    if (entries > list.capacity()) list.reserve(std::max(entries, list.capacity() * 3 / 2));
  };
  grow(fingerprints_);
  grow(older_);
  const std::size_t wanted = std::bit_ceil(entries + entries / 3 + 1);
  if (wanted <= slots_.size()) return;
  std::vector<std::uint32_t> larger(wanted);
  // The newest of each fingerprint; older ones hang on it.
  for (const std::uint32_t newest : slots_) {
    if (newest != 0) larger[SlotOf(larger, fingerprints_[newest - 1])] = newest;
  }
  slots_.swap(larger);
}

void FingerprintTable::Add(std::uint32_t fingerprint) noexcept {
  std::uint32_t& slot = slots_[SlotOf(slots_, fingerprint)];
  older_.push_back(slot - 1);  // kNone where the slot was free
  fingerprints_.push_back(fingerprint);
  slot = static_cast<std::uint32_t>(fingerprints_.size());
}

void FingerprintTable::AddNone() noexcept {
  older_.push_back(kNone);
  fingerprints_.push_back(0);
}

void FingerprintTable::Find(std::uint32_t fingerprint, std::vector<std::uint32_t>& entries) const {
  if (slots_.empty()) return;
  for (std::uint32_t entry = slots_[SlotOf(slots_, fingerprint)] - 1; entry != kNone;
       entry = older_[entry]) {
    entries.push_back(entry);
  }
}

}  // namespace dentate::bank
