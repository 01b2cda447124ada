// What is known of a bank's entries beside their rows: which were deleted, are versions of others,
// expire, and were recalled.
//
//   living_    has a row, and was not deleted (nor is a hole)
//   current_   living, not expired, and the newest living version of its turn
//
// Both are kept up as facts come, so that a snapshot is a copy of current_. Only turns with several
// versions, expiries and strengths take room of their own.
//
// Time. Expire(now) takes out what has expired by now; clocks that go back bring nothing back.
//
// Pending. The facts since the last TakePending are what the next image carries.
//
// Threads: none of its own (bank.h has the mutex).

#ifndef DENTATE_BANK_BANK_FACTS_H_
#define DENTATE_BANK_BANK_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bank/part.h"
#include "bank/snapshot.h"

namespace dentate::bank {

class BankFacts {
 public:
  // --- loading
  // Rows [begin, end) are there; what facts say of them comes after.
  void AddRows(std::uint32_t begin, std::uint32_t end);
  void AddFacts(const PartFacts& facts);

  // --- changes, which are pending from then on. What begins with Prepare allocates and changes no
  // answer; what follows it cannot fail. Prepared and given up is as never prepared.

  struct NewEntry {
    std::uint32_t origin = kNone;  // the first version
    std::int64_t expires = kNever;
    bool hole = false;
  };
  void PrepareAppend(std::uint32_t first_entry, std::span<const NewEntry> entries);
  void Append(std::uint32_t first_entry, std::span<const NewEntry> entries) noexcept;
  void GiveUpAppend(std::uint32_t first_entry, std::span<const NewEntry> entries) noexcept;

  void PrepareDelete(std::size_t count);
  void Delete(std::span<const std::uint32_t> entries) noexcept;

  void PrepareTouch(std::span<const std::uint32_t> entries);
  void Touch(std::span<const std::uint32_t> entries, std::int64_t now) noexcept;

  // Whether `current` changed.
  bool Expire(std::int64_t now) noexcept;
  // The time of the next expiry; kNever.
  std::int64_t next_expiry() const noexcept {
    return waiting_.empty() ? kNever : waiting_.begin()->first;
  }
  std::int64_t now() const noexcept { return now_; }
  // Another number whenever an entry has stopped being current.
  std::uint64_t losses() const noexcept { return losses_; }

  // --- questions
  const EntryMask& living() const noexcept { return living_; }
  const EntryMask& current() const noexcept { return current_; }
  bool IsLiving(std::uint32_t entry) const noexcept { return Has(living_, entry); }
  bool IsCurrent(std::uint32_t entry) const noexcept { return Has(current_, entry); }
  std::uint32_t OriginOf(std::uint32_t entry) const;
  // The living versions of its turn, oldest first.
  std::vector<std::uint32_t> VersionsOf(std::uint32_t entry) const;
  std::uint32_t Newest(std::uint32_t entry) const;  // living; kNone
  std::int64_t ExpiresAt(std::uint32_t entry) const;
  PartFacts::Strength StrengthOf(std::uint32_t entry) const;
  std::vector<std::uint32_t> Expired(std::int64_t now) const;
  std::vector<std::uint32_t> Superseded() const;
  // The turns of more than one version: the later ones by the number of the first.
  using Turns = std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>;
  const Turns& turns() const noexcept { return later_versions_; }

  // The facts since the last call, in PartFacts' order.
  PartFacts TakePending(std::uint32_t next_entry);
  std::size_t SizeInBytes() const;
  // What of it is said of entries that do not live any more. O(facts).
  std::size_t StaleBytes() const;

 private:
  struct Recalls {
    std::uint32_t count = 0;
    std::int64_t last = 0;
  };

  static bool Has(const EntryMask& mask, std::uint32_t entry) noexcept {
    return entry < mask.size() && mask[entry];
  }
  bool IsExpired(std::uint32_t entry) const noexcept;
  void Settle(std::uint32_t entry) noexcept;
  void GrowTo(std::uint32_t next_entry);
  void AddVersion(std::uint32_t entry, std::uint32_t origin);
  void AddExpiry(std::uint32_t entry, std::int64_t at);
  void DropVersion(std::uint32_t entry) noexcept;
  void DropExpiry(std::uint32_t entry) noexcept;

  void Lose(std::uint32_t entry) noexcept;

  EntryMask living_, current_;
  std::uint64_t losses_ = 1;
  std::unordered_map<std::uint32_t, std::uint32_t> origins_;  // of all versions but the first
  Turns later_versions_;
  std::unordered_map<std::uint32_t, std::int64_t> expiries_;
  std::set<std::pair<std::int64_t, std::uint32_t>> waiting_;  // expiries after now_
  std::int64_t now_ = INT64_MIN;
  std::unordered_map<std::uint32_t, Recalls> strengths_;

  std::vector<std::uint32_t> pending_deleted_;
  std::vector<PartFacts::Version> pending_versions_;
  std::vector<PartFacts::Expiry> pending_expiries_;
  std::set<std::uint32_t> pending_touched_;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_BANK_FACTS_H_
