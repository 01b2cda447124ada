#include "bank/slots.h"

#include <algorithm>

namespace dentate::bank {
namespace {

// Sets bits that are 0 so far.
void OrBits(std::span<std::uint64_t> words, std::uint32_t begin, std::uint64_t bits) noexcept {
  const std::size_t at = begin / 64;
  const unsigned shift = begin % 64;
  words[at] |= bits << shift;
  if (shift != 0 && bits >> (64 - shift) != 0) words[at + 1] |= bits >> (64 - shift);
}

std::uint32_t Count(std::span<const std::uint64_t> words) noexcept {
  std::uint32_t count = 0;
  for (const std::uint64_t word : words) count += static_cast<std::uint32_t>(std::popcount(word));
  return count;
}

}  // namespace

void Slots::Begin(const Snapshot& snapshot, const EntryMask* allowed) {
  snapshot_ = &snapshot;
  parts_.clear();
  size_ = 0;
  for (const PlacedPart& placed : snapshot.parts) {
    const EntryOutline* const rows = placed.part->Outlines();
    const EntryOutline* const outlines = rows == nullptr ? nullptr : rows + 1;
    parts_.push_back({placed.part.get(), placed.first_entry, size_, placed.size, outlines});
    size_ += placed.size;
  }
  current_.assign((std::size_t{size_} + 63) / 64, 0);
  wanted_.assign(current_.size(), 0);
  for (const Placed& placed : parts_) {
    for (std::uint32_t i = 0; i < placed.size; i += 64) {
      const std::uint32_t count = std::min<std::uint32_t>(64, placed.size - i);
      const std::uint64_t current =
          ReadBits(snapshot.current.words(), placed.first_entry + i, count);
      OrBits(current_, placed.first_slot + i, current);
      if (allowed == nullptr) continue;
      OrBits(wanted_, placed.first_slot + i,
             current & ReadBits(allowed->words(), placed.first_entry + i, count));
    }
  }
  if (allowed == nullptr) wanted_ = current_;
  current_count_ = Count(current_);
  wanted_count_ = Count(wanted_);
}

const Slots::Placed& Slots::PartOf(std::uint32_t slot) const noexcept {
  return *(std::upper_bound(parts_.begin(), parts_.end(), slot,
                            [](std::uint32_t number, const Placed& placed) {
                              return number < placed.first_slot;
                            }) -
           1);
}

std::uint32_t Slots::EntryOf(std::uint32_t slot) const noexcept {
  const Placed& placed = PartOf(slot);
  return placed.first_entry + (slot - placed.first_slot);
}

std::uint32_t Slots::SlotOf(std::uint32_t entry) const noexcept {
  const std::size_t part = snapshot_->PartOf(entry);
  if (part == parts_.size()) return kNone;
  return parts_[part].first_slot + (entry - parts_[part].first_entry);
}

std::uint32_t Slots::FirstSlotFrom(std::uint32_t entry) const noexcept {
  for (const Placed& placed : parts_) {
    if (entry >= placed.first_entry + placed.size) continue;
    return placed.first_slot + (std::max(entry, placed.first_entry) - placed.first_entry);
  }
  return size_;
}

std::uint32_t Slots::Previous(std::uint32_t slot) const {
  const std::uint32_t entry = snapshot_->Previous(EntryOf(slot));
  return entry == kNone ? kNone : SlotOf(entry);
}

std::uint32_t Slots::Next(std::uint32_t slot) const {
  const std::uint32_t entry = snapshot_->Next(EntryOf(slot));
  return entry == kNone ? kNone : SlotOf(entry);
}

std::uint32_t Slots::CountWanted(std::uint32_t begin, std::uint32_t end) const noexcept {
  std::uint32_t count = 0;
  for (; begin < end; begin += 64) {
    count += static_cast<std::uint32_t>(
        std::popcount(ReadBits(wanted_, begin, std::min<std::uint32_t>(64, end - begin))));
  }
  return count;
}

double Slots::MeanCodes() const {
  if (current_count_ == 0) return 0;
  std::uint64_t codes = 0;
  for (const Placed& placed : parts_) {
    // The whole stream, or as many entries as have to be looked at.
    std::uint32_t missing = 0;
    for (std::uint32_t i = 0; i < placed.size; i += 64) {
      const std::uint32_t count = std::min<std::uint32_t>(64, placed.size - i);
      missing += count - static_cast<std::uint32_t>(
                             std::popcount(ReadBits(current_, placed.first_slot + i, count)));
    }
    const bool by_those_missing = missing <= placed.size / 2;
    std::uint64_t counted = 0;
    for (std::uint32_t entry = 0; missing > 0 && entry < placed.size; ++entry) {
      if (IsCurrent(placed.first_slot + entry) == by_those_missing) continue;
      counted += CodesOf(placed, placed.first_slot + entry);
    }
    const std::uint64_t all = placed.part->CodeSpan(placed.size - 1).end;
    codes += missing == 0 ? all : by_those_missing ? all - counted : counted;
  }
  return static_cast<double>(codes) / current_count_;
}

std::size_t Slots::SizeInBytes() const noexcept {
  return parts_.capacity() * sizeof(Placed) +
         (current_.capacity() + wanted_.capacity()) * sizeof(std::uint64_t);
}

}  // namespace dentate::bank
