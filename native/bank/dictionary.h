// The signature dictionary of a live part: each distinct pair (signature, stem key) has one code,
// numbered 0, 1, 2, ... as first seen in this part.
//
// Layout. Rows indexed by code, and two hash tables over them:
//
//   signatures_   the bits, as word columns that the Hamming kernels scan for a ball
//   codes_        offset  size
//                      0     8  stem         64-bit key of the word's stem
//                      8     4  older        the next older code of the same stem, kNone at the end
//                     12     4  pieces       where the word's pieces begin (piece_pool.h)
//                     16     4  entries      how many entries hold the code
//                     20     4  first_entry  the first of them: all there is to know of a code that
//                                            one entry holds, which is every second word of a text
//
//   pairs_        writer only: (signature, stem) -> code
//   stem_heads_   stem -> its newest code; readers follow `older` from there
//
// Both tables are open addressing over code + 1 (0: free), at most three quarters full. A stem
// table that grows is built anew and then published; the old ones stay until the end, because a
// reader may still be in one: together they are smaller than the newest.
//
// Cost. FindOrAdd O(words), and twice the codes when a table doubles. A code takes
// 8 * words + 24 bytes, 4 for each piece and one more, and 5 to 11 in the pair table; a stem 11
// to 22.
//
// Threads. One writer, readers without a lock. size() is published last, with release.

#ifndef DENTATE_BANK_DICTIONARY_H_
#define DENTATE_BANK_DICTIONARY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bank/cell.h"
#include "bank/piece_pool.h"
#include "core/append_vector.h"
#include "hamming/signature_columns.h"

namespace dentate::bank {

class Dictionary {
 public:
  // `words` 64-bit words a signature. The pool outlives the dictionary.
  Dictionary(std::size_t words, PiecePool& pieces) : signatures_(words), pieces_(pieces) {}

  // The pair's code, a new one where the pair is new; then the word is made of `pieces`. Writer
  // only. When memory runs out, std::bad_alloc is thrown and nothing has changed (but for unused
  // pieces).
  std::uint32_t FindOrAdd(std::span<const std::uint64_t> signature, std::uint64_t stem,
                          std::span<const std::uint32_t> pieces);

  // Ask for what FindOrAdd of the pair will read: of several pairs first all slots, then, when they
  // have come, what they lead to. Writer only.
  void PrefetchSlot(std::span<const std::uint64_t> signature, std::uint64_t stem) const noexcept;
  void PrefetchCode(std::span<const std::uint64_t> signature, std::uint64_t stem) const noexcept;

  // Whether the pair has a code. Writer only.
  bool Contains(std::span<const std::uint64_t> signature, std::uint64_t stem) const noexcept {
    return !pairs_.empty() && pairs_[PairSlot(signature, stem)] != 0;
  }

  // One more entry, not published yet, holds `code`. Writer only.
  void CountEntry(std::uint32_t code, std::uint32_t entry) noexcept {
    Code& counted = codes_.Mutable(code);
    if (counted.entries.Get() == 0) counted.first_entry.Set(entry);
    counted.entries.Set(counted.entries.Get() + 1);
  }

  // What follows is for any thread, for codes below a size() it has seen.
  std::size_t size() const noexcept { return codes_.size(); }
  const hamming::SignatureColumns& signatures() const noexcept { return signatures_; }
  std::uint64_t stem(std::uint32_t code) const noexcept { return codes_[code].stem; }
  void Pieces(std::uint32_t code, std::vector<std::uint32_t>& pieces) const {
    pieces_.Get(codes_[code].pieces, pieces);
  }
  std::uint32_t EntriesWith(std::uint32_t code) const noexcept {
    return codes_[code].entries.Get();
  }

  // REQUIRES: EntriesWith(code) > 0.
  std::uint32_t FirstEntryWith(std::uint32_t code) const noexcept {
    return codes_[code].first_entry.Get();
  }

  // The codes of a stem, newest first: start at NewestWithStem, go on by OlderWithStem until kNone.
  std::uint32_t NewestWithStem(std::uint64_t stem) const noexcept;
  std::uint32_t OlderWithStem(std::uint32_t code) const noexcept { return codes_[code].older; }

  std::size_t SizeInBytes() const noexcept;

 private:
  struct Code {
    std::uint64_t stem;
    std::uint32_t older;
    std::uint32_t pieces;
    Cell entries;
    Cell first_entry;
  };
  static_assert(sizeof(Code) == 24, "the drawing above says 24");

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
  AppendVector32<Code, 64> codes_;
  PiecePool& pieces_;
  std::vector<std::uint32_t> pairs_;
  std::size_t stem_count_ = 0;                           // distinct stems
  std::vector<std::unique_ptr<StemTable>> stem_tables_;  // the last is in use
  std::atomic<const StemTable*> stem_heads_{nullptr};
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_DICTIONARY_H_
