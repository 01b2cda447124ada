#include "bank/snapshot.h"

#include <algorithm>

namespace dentate::bank {

EntryMask::EntryMask(const EntryMask& other, std::uint32_t size)
    : words_((std::size_t{size} + 63) / 64), size_(size) {
  const std::size_t known = std::min(words_.size(), other.words_.size());
  std::copy_n(other.words_.begin(), known, words_.begin());
  if (size % 64 != 0) words_.back() &= (std::uint64_t{1} << size % 64) - 1;
}

void EntryMask::SetRange(std::uint32_t begin, std::uint32_t end) noexcept {
  for (; begin < end && begin % 64 != 0; ++begin) Set(begin);
  for (; begin + 64 <= end; begin += 64) words_[begin / 64] = ~std::uint64_t{0};
  for (; begin < end; ++begin) Set(begin);
}

std::size_t Snapshot::PartOf(std::uint32_t entry) const noexcept {
  const auto after = std::upper_bound(
      parts.begin(), parts.end(), entry,
      [](std::uint32_t number, const PlacedPart& part) { return number < part.first_entry; });
  if (after == parts.begin()) return parts.size();
  const PlacedPart& part = after[-1];
  return entry - part.first_entry < part.size ? static_cast<std::size_t>(&part - parts.data())
                                              : parts.size();
}

std::uint32_t Snapshot::SessionOf(std::uint32_t entry) const {
  const std::size_t part = PartOf(entry);
  if (part == parts.size()) return kNone;
  const std::uint32_t session = parts[part].part->Session(entry - parts[part].first_entry);
  return session == kNone ? kNone
                          : names->sessions.NumberOf(static_cast<std::uint32_t>(part), session);
}

std::uint32_t Snapshot::SpeakerOf(std::uint32_t entry) const {
  const std::size_t part = PartOf(entry);
  if (part == parts.size()) return kNone;
  const std::uint32_t speaker = parts[part].part->Row(entry - parts[part].first_entry).speaker;
  return speaker == kNone ? kNone
                          : names->speakers.NumberOf(static_cast<std::uint32_t>(part), speaker);
}

std::uint32_t Snapshot::Previous(std::uint32_t entry) const {
  std::size_t part = PartOf(entry);
  if (part == parts.size()) return kNone;
  std::uint32_t local = entry - parts[part].first_entry;
  std::uint32_t session = parts[part].part->Session(local);
  if (session == kNone) return kNone;
  local = parts[part].part->Previous(local);
  for (;;) {
    for (; local != kNone; local = parts[part].part->Previous(local)) {
      if (current[parts[part].first_entry + local]) return parts[part].first_entry + local;
    }
    const auto before = names->sessions.Before(static_cast<std::uint32_t>(part), session);
    if (!before.found()) return kNone;
    part = before.part;
    session = before.local;
    local = parts[part].part->LastOfSession(session, parts[part].size);
  }
}

std::uint32_t Snapshot::Next(std::uint32_t entry) const {
  std::size_t part = PartOf(entry);
  if (part == parts.size()) return kNone;
  std::uint32_t local = entry - parts[part].first_entry;
  std::uint32_t session = parts[part].part->Session(local);
  if (session == kNone) return kNone;
  local = parts[part].part->Next(local, parts[part].size);
  for (;;) {
    for (; local != kNone; local = parts[part].part->Next(local, parts[part].size)) {
      if (current[parts[part].first_entry + local]) return parts[part].first_entry + local;
    }
    const auto after = names->sessions.After(static_cast<std::uint32_t>(part), session);
    if (!after.found() || after.part >= parts.size()) return kNone;  // or newer than this snapshot
    part = after.part;
    session = after.local;
    local = parts[part].part->FirstOfSession(session);
    if (local >= parts[part].size) local = kNone;
  }
}

void Snapshot::EntriesOfSession(std::uint32_t session, std::vector<std::uint32_t>& entries) const {
  for (auto place = names->sessions.First(session); place.found() && place.part < parts.size();
       place = names->sessions.After(place.part, place.local)) {
    const PlacedPart& placed = parts[place.part];
    std::uint32_t local = placed.part->FirstOfSession(place.local);
    for (; local < placed.size; local = placed.part->Next(local, placed.size)) {
      if (current[placed.first_entry + local]) entries.push_back(placed.first_entry + local);
    }
  }
}

}  // namespace dentate::bank
