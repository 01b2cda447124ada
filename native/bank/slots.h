// The entries of a snapshot numbered without holes, and which of them a search may find.
//
//   entries  0 .. 9 | (erased) | 500 .. 503 | 504 ..      bank-wide numbers, which may have holes
//   slots    0 .. 9 |            10 .. 13   | 14  ..      what a search's arrays are indexed by
//
// Two masks over slots:
//   current   what the snapshot says is there: the entries that are neighbours of each other
//   wanted    those of them that the caller allows: the entries that match, count and are found
//
// So a filter narrows what is found, not what a conversation looks like around it.
//
// Threads: one search's own.

#ifndef DENTATE_BANK_SLOTS_H_
#define DENTATE_BANK_SLOTS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/entry_outlines.h"
#include "bank/query.h"
#include "bank/snapshot.h"

namespace dentate::bank {

class Slots {
 public:
  static_assert(kReach <= EntryOutline::kFar, "an outline tells what is in reach");

  struct Placed {
    const Part* part;
    std::uint32_t first_entry;
    std::uint32_t first_slot;
    std::uint32_t size;
    const EntryOutline* outlines;  // of entry 0, with what lies around it; null: ask the part
  };

  // REQUIRES: the snapshot outlives the use of this. `allowed`: null for all.
  void Begin(const Snapshot& snapshot, const EntryMask* allowed);

  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t current_count() const noexcept { return current_count_; }
  std::uint32_t wanted_count() const noexcept { return wanted_count_; }
  std::span<const Placed> parts() const noexcept { return parts_; }
  const Snapshot& snapshot() const noexcept { return *snapshot_; }

  bool IsCurrent(std::uint32_t slot) const noexcept { return Bit(current_, slot); }
  bool IsWanted(std::uint32_t slot) const noexcept { return Bit(wanted_, slot); }

  const Placed& PartOf(std::uint32_t slot) const noexcept;
  std::uint32_t EntryOf(std::uint32_t slot) const noexcept;
  // kNone where no part has the entry.
  std::uint32_t SlotOf(std::uint32_t entry) const noexcept;
  // Of the entry, or else of the next one that a part has; size() past the last.
  std::uint32_t FirstSlotFrom(std::uint32_t entry) const noexcept;

  // The current entries before and after it in its session, or kNone; across parts.
  std::uint32_t Previous(std::uint32_t slot) const;
  std::uint32_t Next(std::uint32_t slot) const;

  std::uint32_t CodesOf(const Placed& placed, std::uint32_t slot) const {
    const std::uint32_t entry = slot - placed.first_slot;
    if (placed.outlines == nullptr) return placed.part->CodeSpan(entry).size();
    const EntryOutline* const outline = placed.outlines + entry;
    return outline->code_end - outline[-1].code_end;
  }

  // What lies around a slot within its session.
  struct Stretch {
    std::uint32_t left, right;  // slots before and after it that follow each other in the session
    bool whole;  // they are all current, and are all there is within the reach; else ask the links
  };
  // REQUIRES: reach <= kReach. Inline: it is asked for every match.
  Stretch StretchOf(const Placed& placed, std::uint32_t slot, std::uint32_t reach) const {
    const std::uint32_t entry = slot - placed.first_slot;
    std::uint32_t left;
    std::uint32_t right = std::min(reach, placed.size - 1 - entry);
    // Whether the session may go on in the part, before and behind the run.
    bool earlier = true;
    bool later = true;
    if (placed.outlines != nullptr) {
      const EntryOutline* const outline = placed.outlines + entry;
      left = std::min<std::uint32_t>(reach, outline->before);
      while (right > 0 && outline[right].before < right) --right;
      earlier = outline->earlier != 0;
      later = outline->later != 0;
    } else {
      const std::uint32_t begin = placed.part->RunBegin(entry);
      left = std::min(reach, entry - begin);
      while (right > 0 && placed.part->RunBegin(entry + right) != begin) --right;
    }
    const std::uint32_t count = left + 1 + right;
    const std::uint64_t all = (std::uint64_t{1} << count) - 1;
    // Of one part there is nothing before or behind it.
    const bool alone = parts_.size() == 1;
    const bool whole = ReadBits(current_, slot - left, count) == all &&
                       (left == reach || (alone && !earlier) || Previous(slot - left) == kNone) &&
                       (right == reach || (alone && !later) || Next(slot + right) == kNone);
    return {left, right, whole};
  }

  // Codes of a current entry, on average; 0 where there are none.
  double MeanCodes() const;

  // The wanted of the slots [begin, end).
  std::uint32_t CountWanted(std::uint32_t begin, std::uint32_t end) const noexcept;

  template <typename Visit>
  void ForEachWanted(Visit visit) const {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      std::uint64_t word = wanted_[i];
      auto slot = static_cast<std::uint32_t>(i * 64);
      if (word == ~std::uint64_t{0}) {  // most are
        for (const std::uint32_t end = slot + 64; slot != end; ++slot) visit(slot);
        continue;
      }
      for (; word != 0; word &= word - 1) {
        visit(slot + static_cast<std::uint32_t>(std::countr_zero(word)));
      }
    }
  }
  // Newest first, until visit returns false.
  template <typename Visit>
  void ForEachWantedFromNewest(Visit visit) const {
    for (std::size_t i = wanted_.size(); i-- > 0;) {
      for (std::uint64_t word = wanted_[i]; word != 0;) {
        const auto bit = 63U - static_cast<unsigned>(std::countl_zero(word));
        if (!visit(static_cast<std::uint32_t>(i * 64 + bit))) return;
        word &= ~(std::uint64_t{1} << bit);
      }
    }
  }

  std::size_t SizeInBytes() const noexcept;

 private:
  static bool Bit(const std::vector<std::uint64_t>& bits, std::uint32_t i) noexcept {
    return (bits[i / 64] >> i % 64 & 1) != 0;
  }

  // `count` bits from bit `begin` on, count <= 64; bits past the end are 0.
  static std::uint64_t ReadBits(std::span<const std::uint64_t> words, std::uint32_t begin,
                                std::uint32_t count) noexcept {
    const std::size_t at = begin / 64;
    const unsigned shift = begin % 64;
    if (at >= words.size()) return 0;
    std::uint64_t bits = words[at] >> shift;
    if (shift != 0 && at + 1 < words.size()) bits |= words[at + 1] << (64 - shift);
    return count == 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
  }

  const Snapshot* snapshot_ = nullptr;
  std::vector<Placed> parts_;
  std::uint32_t size_ = 0;
  std::uint32_t current_count_ = 0;
  std::uint32_t wanted_count_ = 0;
  std::vector<std::uint64_t> current_;  // bits past size_ are 0
  std::vector<std::uint64_t> wanted_;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_SLOTS_H_
