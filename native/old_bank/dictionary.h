// The signature dictionary: each distinct pair (signature, stem key) has one code, numbered
// 0, 1, 2, ... as first seen in this bank.
//
// Layout. Columns indexed by code, and two hash tables over them:
//
//   signatures_   the bits, as word columns that the Hamming kernels scan for a ball
//   stems_        64-bit key of the word's stem; its size is the number of codes
//   older_        the next older code of the same stem, kNone at the end of the chain
//   entries_      how many entries hold the code (its document frequency)
//   first_entry_  the first of them: all there is to know of a code that one entry holds, which is
//                 every second word of a text
//
//   pairs_        writer only: (signature, stem) -> code
//   stem_heads_   stem -> its newest code; readers follow older_ from there
//
// Both tables are open addressing over code + 1 (0: free), at most three quarters full. A stem
// table that grows is built anew and then published; the old ones stay until the end, because a
// reader may still be in one: together they are smaller than the newest.
//
// Cost. FindOrAdd O(words), and twice the codes when a table doubles. A code takes
// 8 * words + 20 bytes, and 5 to 11 in the pair table; a stem 11 to 22.
//
// Threads. One writer, readers without a lock. size() is published last, with release.

#ifndef DENTATE_OLD_BANK_DICTIONARY_H_
#define DENTATE_OLD_BANK_DICTIONARY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "old_bank/cell.h"
#include "core/append_vector.h"
#include "hamming/signature_columns.h"

namespace dentate::old_bank {

class Dictionary {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // `words` 64-bit words a signature.
  explicit Dictionary(std::size_t words) : signatures_(words) {}

  // The pair's code, a new one where the pair is new. Writer only. When memory runs out,
  // std::bad_alloc is thrown and nothing has changed.
  std::uint32_t FindOrAdd(std::span<const std::uint64_t> signature, std::uint64_t stem);

  // Whether the pair has a code. Writer only.
  bool Contains(std::span<const std::uint64_t> signature, std::uint64_t stem) const noexcept {
    return !pairs_.empty() && pairs_[PairSlot(signature, stem)] != 0;
  }

  // One more entry, not published yet, holds `code`. Writer only.
  void CountEntry(std::uint32_t code, std::uint32_t entry) noexcept {
    Cell& cell = entries_.Mutable(code);
    if (cell.Get() == 0) first_entry_.Mutable(code).Set(entry);
    cell.Set(cell.Get() + 1);
  }

  // What follows is for any thread, for codes below a size() it has seen.
  std::size_t size() const noexcept { return stems_.size(); }
  const hamming::SignatureColumns& signatures() const noexcept { return signatures_; }
  std::uint64_t stem(std::uint32_t code) const noexcept { return stems_[code]; }
  std::uint32_t EntriesWith(std::uint32_t code) const noexcept { return entries_[code].Get(); }

  // REQUIRES: EntriesWith(code) > 0.
  std::uint32_t FirstEntryWith(std::uint32_t code) const noexcept {
    return first_entry_[code].Get();
  }

  // The codes of a stem, newest first: start at NewestWithStem, go on by OlderWithStem until kNone.
  std::uint32_t NewestWithStem(std::uint64_t stem) const noexcept;
  std::uint32_t OlderWithStem(std::uint32_t code) const noexcept { return older_[code]; }

  std::size_t SizeInBytes() const noexcept;

 private:
  struct StemTable {
    explicit StemTable(std::size_t slot_count) : slots(slot_count) {}
    std::vector<std::atomic<std::uint32_t>> slots;
  };

  bool Holds(std::uint32_t code, std::span<const std::uint64_t> signature,
             std::uint64_t stem) const noexcept;
  std::size_t PairSlot(std::span<const std::uint64_t> signature, std::uint64_t stem) const noexcept;
  std::size_t StemSlot(const StemTable& table, std::uint64_t stem) const noexcept;
  void GrowPairs();
  void GrowStems();

  hamming::SignatureColumns signatures_;
  AppendVector<std::uint32_t, 64> older_;
  AppendVector<Cell, 64> entries_;
  AppendVector<Cell, 64> first_entry_;
  AppendVector<std::uint64_t, 64> stems_;
  std::vector<std::uint32_t> pairs_;
  std::size_t stem_count_ = 0;                           // distinct stems
  std::vector<std::unique_ptr<StemTable>> stem_tables_;  // the last is in use
  std::atomic<const StemTable*> stem_heads_{nullptr};
};

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_DICTIONARY_H_
