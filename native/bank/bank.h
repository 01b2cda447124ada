// One isolated memory: a list of parts, what is known of their entries since, and one writer.
//
//   sealed  sealed  frozen  live          parts (part.h): text, signatures, rows, names
//   ├─────┤ ├─────┤ ├─────┤ ├──►
//   deleted, versions, expiries, strengths     facts, by bank-wide number, in memory
//   names                                      bank-wide numbers of sessions and speakers
//   chunks                                     what is embedded as one (bank_chunks.h)
//
// Numbers. Each entry gets the next bank-wide number, and no number is given twice, though what had
// it may be erased and cut from its part. A turn's id is the number of its first version.
//
// Writing. Append, Delete and Touch make a record (record.h), hand it to the caller's sink, which
// is the log, and then publish. What can fail comes before the sink, after it nothing can: so a
// change is whole or absent, in memory and in the log alike. ApplyRecord does the same to a bank
// that reads the log. An append that fails may leave symbols and words of no entry in the live part
// (live_part.h).
//
// Parts. The live part takes what is appended. Freeze ends it: it stays to be searched while
// somebody builds its image, with the facts gathered since the last freeze; ReplaceParts puts the
// sealed part in its place, or one for several. Entries go by the same numbers before and after,
// and the facts in memory stay.
//
// What is there. An entry is living unless it was deleted (or is a hole); current if it is living,
// not expired and the newest version of its turn. A recall finds current entries; history reads the
// living.
//
// Duplicates. A turn is one if a current entry has the same tokens, role, speaker and session
// (content_hash.h finds candidates, which are compared). New versions are no duplicates.
//
// Cost. Append: that of the live part, O(tokens + codes). Read: nothing while nothing has changed,
// else a copy of n / 8 bytes. Delete and expiry O(1) an entry.
//
// Threads. Writer calls come one at a time (the store's mutex). The rest: any thread; facts and the
// list of parts lie behind a mutex that is held for moments. A snapshot needs no lock and holds its
// parts.

#ifndef DENTATE_BANK_BANK_H_
#define DENTATE_BANK_BANK_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "bank/bank_chunks.h"
#include "bank/bank_facts.h"
#include "bank/batch.h"
#include "bank/part.h"
#include "bank/snapshot.h"
#include "core/status.h"

namespace dentate::bank {

class LivePart;

struct BankSettings {
  std::size_t signature_words = 2;  // 64-bit words a signature
};

// Takes a record before its change is published; what it refuses does not happen.
using Sink = std::function<Status(std::span<const std::uint8_t> record)>;

struct AppendResult {
  std::uint32_t first_entry = 0;  // those stored have the numbers first_entry, first_entry + 1, ...
  std::uint32_t added = 0;
  // By turn of the batch. Its number; of one that was left out, that of the entry it equals, or
  // kNone where it would have been a new version of what is gone.
  std::vector<std::uint32_t> entries;
  std::vector<std::uint8_t>
      duplicates;  // 1: an equal entry was there, or came earlier in the batch
};

// What was appended and became known since the last freeze: what one image is made of.
struct Frozen {
  // In order; none empty. More than one where the log was replayed over the end of an earlier
  // period whose image was never finished.
  std::vector<PlacedPart> parts;
  // Rows that the image shall keep, by number from parts[0].first_entry on.
  EntryMask living;
  PartFacts facts;
  // The chunks recorded in the period, null for none, and the entries of the bank that are current:
  // what is of others is dead.
  std::shared_ptr<const ChunkRows> chunks;
  EntryMask current;

  // Whether there is nothing for a part to say.
  bool empty() const noexcept {
    return parts.empty() && facts.deleted.empty() && facts.versions.empty() &&
           facts.expiries.empty() && facts.strengths.empty();
  }
};

struct BankStats {
  std::uint32_t entries = 0;  // current
  std::uint64_t tokens = 0;   // of them
  std::uint32_t parts = 0;
  std::uint32_t rows = 0;   // of all parts, erased ones included
  std::uint64_t codes = 0;  // of all dictionaries
};

class Bank {
 public:
  // `incarnation`: the sequence of the group that made the bank.
  Bank(const BankSettings& settings, std::string name, std::uint64_t incarnation);
  ~Bank();
  Bank(const Bank&) = delete;
  Bank& operator=(const Bank&) = delete;

  const std::string& name() const noexcept { return name_; }
  std::uint64_t incarnation() const noexcept { return incarnation_; }
  const BankSettings& settings() const noexcept { return settings_; }

  // --- loading: writer only, before any record

  // The parts in ascending order, each with its facts. `part` is null where the image has no
  // entries.
  Status AddSealed(std::shared_ptr<const Part> part, std::uint32_t first_entry,
                   const PartFacts& facts);

  // --- changes: writer only

  // Adds the batch's entries, all or none (but for those that batch.h says are left out). If there
  // is nothing to add, the sink is not called. kOutOfMemory also where the live part is full.
  Status Append(const Batch& batch, const Sink& sink, AppendResult& result);
  // Deletes the turns that these entries are versions of, with all their versions. `deleted`: how
  // many turns that had a living version; the sink is not called for none.
  Status Delete(std::span<const std::uint32_t> entries, const Sink& sink, std::uint32_t& deleted);
  // Deletes these entries and no other version of theirs. `deleted` counts entries.
  Status DeleteVersions(std::span<const std::uint32_t> entries, const Sink& sink,
                        std::uint32_t& deleted);
  // One more recall of each of these entries, at `now`. Unknown ones are passed over.
  Status Touch(std::span<const std::uint32_t> entries, std::int64_t now, const Sink& sink);
  // Does what a record says. Any bytes: kCorruption for what is no record or not the one that
  // follows, kVersion for a newer format; either changes nothing.
  Status ApplyRecord(std::span<const std::uint8_t> record);
  // Records what chunks().MakePlan said; the sink is not called where an entry is gone since.
  Status RecordChunks(const BankChunks::Plan& plan, const Sink& sink);

  // What it knows of its chunks: their records, and the index that is made of them when it is asked
  // for. Const: searches make it.
  BankChunks& chunks() const noexcept { return chunks_; }

  // --- parts: writer only

  bool has_live_rows() const noexcept;
  // The live part approaches a limit of its numbers: freeze soon.
  bool needs_freeze() const noexcept;
  // Ends the period: what was appended and what became known since the last freeze.
  Frozen Freeze();
  // Puts `part` (null: nothing is left) in the place of `old`, parts of this bank that follow each
  // other. It may have fewer rows, at the ends.
  void ReplaceParts(std::span<const Part* const> old, std::shared_ptr<const Part> part,
                    std::uint32_t first_entry);

  // --- any thread

  // The entries current at `now` (Unix ms). What has expired once stays so, though clocks go back.
  std::shared_ptr<const Snapshot> Read(std::int64_t now) const;
  // Of each turn the version that was newest at `as_of`, by the time of adding; what has been
  // deleted, or has expired by `now`, is in no state. O(n).
  std::shared_ptr<const Snapshot> ReadAsOf(std::int64_t now, std::int64_t as_of) const;
  // All that is living, expired or not: `current` has every version.
  std::shared_ptr<const Snapshot> ReadAll() const;

  std::uint32_t next_entry() const noexcept { return next_entry_.load(std::memory_order_acquire); }
  // The number of the first version of its turn; its own where it is that, or unknown.
  std::uint32_t OriginOf(std::uint32_t entry) const;
  // The living versions of its turn, oldest first.
  std::vector<std::uint32_t> Versions(std::uint32_t entry) const;
  // The newest living version of the turn; kNone where the turn has none.
  std::uint32_t Newest(std::uint32_t entry) const;
  std::int64_t ExpiresAt(std::uint32_t entry) const;  // kNever
  // How often each of the entries was recalled, and when last; 0 and 0 for most.
  std::vector<PartFacts::Strength> Strengths(std::span<const std::uint32_t> entries) const;
  // Living entries that no recall will find again: expired by `now`, or superseded. Ascending.
  std::vector<std::uint32_t> Expired(std::int64_t now) const;
  std::vector<std::uint32_t> Superseded() const;

  // Differs from that of every other state of every bank in this process.
  std::uint64_t generation() const noexcept { return generation_.load(std::memory_order_acquire); }
  BankStats Stats(std::int64_t now) const;
  // Memory of this bank alone, with what the heap adds to each block; mapped files do not count.
  // Writer only.
  std::size_t SizeInBytes() const;
  // What of that is said of entries, chunks and names that are gone for good: a bank that is loaded
  // anew has none of it, and says the same. Writer only. O(versions and expiries).
  std::size_t StaleBytes() const;
  // What of SizeInBytes reading has made and keeps: vectors above all, names and the snapshot. Any
  // thread.
  std::size_t KeptBytes() const;

 private:
  void FindDuplicates(const Batch& batch, AppendResult& result) const;
  void ResolveOrigins(std::span<const std::uint32_t> origins,
                      std::vector<std::uint32_t>& resolved) const;
  bool HasLivingVersion(std::uint32_t entry) const;
  Status AppendKept(const Batch& batch, const Sink& sink);
  Status DeleteExactly(std::span<const std::uint32_t> entries, const Sink& sink);
  Status ApplyAppend(std::span<const std::uint8_t> bytes);
  Status ApplyEntries(std::span<const std::uint8_t> bytes);
  Status ApplyChunks(std::span<const std::uint8_t> bytes);
  void PrepareShared(std::span<const BankFacts::NewEntry> entries);
  void PublishShared(std::span<const BankFacts::NewEntry> entries) noexcept;
  LivePart& Live();
  void EndLivePart();

  // These hold mutex_.
  std::size_t NameBytes() const;
  void NameParts() const;
  std::shared_ptr<Snapshot> NewSnapshot(EntryMask mask) const;
  void Changed() const noexcept;

  const BankSettings settings_;
  const std::string name_;
  const std::uint64_t incarnation_;
  std::atomic<std::uint32_t> next_entry_{0};
  mutable std::atomic<std::uint64_t> generation_;

  mutable std::mutex mutex_;       // of all that follows; the writer reads parts_ and live_ without
  std::vector<PlacedPart> parts_;  // all but the live one
  std::size_t first_unfrozen_ =
      0;  // parts_ from here on have been in no Frozen, and are not sealed
  std::shared_ptr<LivePart> live_;  // null until something is appended
  std::uint32_t live_first_ = 0;
  mutable BankFacts facts_;
  const std::shared_ptr<NameTable> sessions_, speakers_;
  mutable BankChunks chunks_;
  mutable std::shared_ptr<BankNames> names_;        // null until asked for
  mutable std::shared_ptr<const Snapshot> cached_;  // of Read, while nothing has changed
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_BANK_H_
