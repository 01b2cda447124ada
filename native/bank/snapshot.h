// One moment of a bank, for a search or a read: its parts, how far each counts, and which entries
// are there to be found.
//
// Bank-wide numbers: an entry's is its part's first_entry and its number in the part; between parts
// there may be numbers that no part has (all erased). Sessions and speakers have bank-wide numbers
// too, given by Bank in the order of first use, valid as long as the Bank object.

#ifndef DENTATE_BANK_SNAPSHOT_H_
#define DENTATE_BANK_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bank/bank_names.h"
#include "bank/part.h"

namespace dentate::bank {

// Bits over bank-wide entry numbers.
class EntryMask {
 public:
  EntryMask() = default;
  EntryMask(std::uint32_t size, bool value)
      : words_((std::size_t{size} + 63) / 64, value ? ~std::uint64_t{0} : 0), size_(size) {
    if (value && size % 64 != 0) words_.back() = (std::uint64_t{1} << size % 64) - 1;
  }
  std::uint32_t size() const noexcept { return size_; }
  bool operator[](std::uint32_t i) const noexcept { return (words_[i / 64] >> i % 64 & 1) != 0; }
  void Set(std::uint32_t i) noexcept { words_[i / 64] |= std::uint64_t{1} << i % 64; }
  void Clear(std::uint32_t i) noexcept { words_[i / 64] &= ~(std::uint64_t{1} << i % 64); }
  // The first `size` numbers of another mask; those it has not are not in this one.
  EntryMask(const EntryMask& other, std::uint32_t size);
  // New numbers are not in the mask. REQUIRES: no less than size().
  void Grow(std::uint32_t size) {
    words_.resize((std::size_t{size} + 63) / 64);
    size_ = size;
  }
  void SetRange(std::uint32_t begin, std::uint32_t end) noexcept;
  std::span<std::uint64_t> words() noexcept { return words_; }
  std::span<const std::uint64_t> words() const noexcept { return words_; }
  std::uint32_t Count() const noexcept {
    std::uint32_t count = 0;
    for (const std::uint64_t word : words_)
      count += static_cast<std::uint32_t>(__builtin_popcountll(word));
    return count;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::uint32_t size_ = 0;
};

struct PlacedPart {
  std::shared_ptr<const Part> part;
  std::uint32_t first_entry = 0;
  std::uint32_t size = 0;  // entries of it that this snapshot has
};

struct Snapshot {
  std::vector<PlacedPart> parts;  // ascending, none empty
  std::uint32_t entry_count = 0;  // bank-wide numbers are below this
  // Entries that a recall may find: in a part, not erased, deleted, expired, or superseded by a
  // newer version.
  EntryMask current;
  std::shared_ptr<const BankNames> names;

  // The index of the part that has the entry; parts.size() where none has. O(log parts).
  std::size_t PartOf(std::uint32_t entry) const noexcept;

  // The bank-wide numbers of its session and speaker; kNone where it has none, is erased or
  // unknown.
  std::uint32_t SessionOf(std::uint32_t entry) const;
  std::uint32_t SpeakerOf(std::uint32_t entry) const;

  // The nearest entry before it, or after it, of its session that is in `current`; kNone. Across
  // parts.
  std::uint32_t Previous(std::uint32_t entry) const;
  std::uint32_t Next(std::uint32_t entry) const;
  // The entries of a session that are in `current`, ascending, are appended.
  void EntriesOfSession(std::uint32_t session, std::vector<std::uint32_t>& entries) const;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_SNAPSHOT_H_
