#include "bank/dictionary.h"

#include <algorithm>
#include <cassert>

#include "bank/hash.h"

namespace dentate::bank {
namespace {

constexpr std::size_t kFirstSlots = 64;

std::uint64_t HashOf(std::span<const std::uint64_t> signature, std::uint64_t stem) noexcept {
  std::uint64_t hash = Mix(stem);
  for (const std::uint64_t word : signature) hash = Mix(hash ^ word);
  return hash;
}

}  // namespace

bool Dictionary::Holds(std::uint32_t code, std::span<const std::uint64_t> signature,
                       std::uint64_t stem) const noexcept {
  if (codes_[code].stem != stem) return false;
  for (std::size_t word = 0; word < signature.size(); ++word) {
    if (*signatures_.WordAt(code, word) != signature[word]) return false;
  }
  return true;
}

void Dictionary::PrefetchSlot(std::span<const std::uint64_t> signature,
                              std::uint64_t stem) const noexcept {
  if (!pairs_.empty()) __builtin_prefetch(&pairs_[HashOf(signature, stem) & (pairs_.size() - 1)]);
}

void Dictionary::PrefetchCode(std::span<const std::uint64_t> signature,
                              std::uint64_t stem) const noexcept {
  if (pairs_.empty()) return;
  const std::uint32_t pair = pairs_[HashOf(signature, stem) & (pairs_.size() - 1)];
  if (pair == 0) return;
  __builtin_prefetch(&codes_[pair - 1]);
  for (std::size_t word = 0; word < signature.size(); ++word) {
    __builtin_prefetch(signatures_.WordAt(pair - 1, word));
  }
}

// The pair's slot, or the free one where it belongs.
std::size_t Dictionary::PairSlot(std::span<const std::uint64_t> signature,
                                 std::uint64_t stem) const noexcept {
  const std::size_t mask = pairs_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(HashOf(signature, stem)) & mask;
  while (pairs_[slot] != 0 && !Holds(pairs_[slot] - 1, signature, stem)) slot = (slot + 1) & mask;
  return slot;
}

std::size_t Dictionary::StemSlot(const StemTable& table, std::uint64_t stem) const noexcept {
  const std::size_t mask = table.slots.size() - 1;
  std::size_t slot = static_cast<std::size_t>(Mix(stem)) & mask;
  for (;; slot = (slot + 1) & mask) {
    const std::uint32_t head = table.slots[slot].load(std::memory_order_acquire);
    if (head == 0 || codes_[head - 1].stem == stem) return slot;
  }
}

void Dictionary::GrowPairs() {
  std::vector<std::uint32_t> larger(std::max(kFirstSlots, pairs_.size() * 2));
  std::vector<std::uint64_t> signature(signatures_.words());
  // Nothing below can fail.
  pairs_.swap(larger);
  for (const std::uint32_t pair : larger) {
    if (pair == 0) continue;
    for (std::size_t word = 0; word < signature.size(); ++word) {
      signature[word] = *signatures_.WordAt(pair - 1, word);
    }
    pairs_[PairSlot(signature, codes_[pair - 1].stem)] = pair;
  }
}

void Dictionary::GrowStems() {
  const std::size_t old_size = stem_tables_.empty() ? 0 : stem_tables_.back()->slots.size();
  auto larger = std::make_unique<StemTable>(std::max(kFirstSlots, old_size * 2));
  stem_tables_.reserve(stem_tables_.size() + 1);
  if (old_size > 0) {
    for (const auto& slot : stem_tables_.back()->slots) {
      const std::uint32_t head = slot.load(std::memory_order_relaxed);
      if (head == 0) continue;
      larger->slots[StemSlot(*larger, codes_[head - 1].stem)].store(head,
                                                                    std::memory_order_relaxed);
    }
  }
  stem_heads_.store(larger.get(), std::memory_order_release);
  stem_tables_.push_back(std::move(larger));
}

std::uint32_t Dictionary::FindOrAdd(std::span<const std::uint64_t> signature, std::uint64_t stem,
                                    std::span<const std::uint32_t> pieces) {
  assert(signature.size() == signatures_.words());
  if (4 * size() >= 3 * pairs_.size()) GrowPairs();
  if (stem_tables_.empty() || 4 * stem_count_ >= 3 * stem_tables_.back()->slots.size()) GrowStems();
  std::uint32_t& pair = pairs_[PairSlot(signature, stem)];
  if (pair != 0) return pair - 1;

  const auto code = static_cast<std::uint32_t>(size());
  codes_.Reserve(code + 1);
  const std::uint32_t pieces_begin = pieces_.Add(pieces);
  signatures_.Append(signature);
  // Nothing below can fail.
  auto& head = stem_tables_.back()->slots[StemSlot(*stem_tables_.back(), stem)];
  const std::uint32_t newest = head.load(std::memory_order_relaxed);
  if (newest == 0) ++stem_count_;
  codes_.push_back({stem, newest == 0 ? kNone : newest - 1, pieces_begin, Cell(0), Cell(kNone)});
  head.store(code + 1, std::memory_order_release);
  pair = code + 1;
  return code;
}

std::uint32_t Dictionary::NewestWithStem(std::uint64_t stem) const noexcept {
  const StemTable* table = stem_heads_.load(std::memory_order_acquire);
  if (table == nullptr) return kNone;
  const std::uint32_t head = table->slots[StemSlot(*table, stem)].load(std::memory_order_acquire);
  return head == 0 ? kNone : head - 1;
}

std::size_t Dictionary::SizeInBytes() const noexcept {
  std::size_t bytes =
      signatures_.SizeInBytes() + codes_.SizeInBytes() + pairs_.capacity() * sizeof(std::uint32_t);
  for (const auto& table : stem_tables_) bytes += table->slots.size() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace dentate::bank
