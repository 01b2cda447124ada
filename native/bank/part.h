// A stretch of a bank's entries that follow each other, complete in itself: its own streams,
// symbols, dictionary, names, rows. A bank is a list of parts; what makes them one is bank.h.
//
//   live_part.h      grows, in memory; the last of a bank that is written
//   sealed_part.h    immutable, read in place from the image that part_builder.h made
//   (part_image.h)
//
// Everything is numbered within the part: entries, tokens, codes, sessions, speakers from 0. Two
// parts share no number, so that one can be rebuilt, merged or erased without a look at another.
//
// An erased entry keeps its row, so that the numbers of the others stay: it has no tokens, no
// codes, no extras, kNone for a speaker, 0 for times, and belongs to no session.
//
// Threads. Any, for entries below an entry_count() that this thread has seen (a live part has one
// writer beside it). All views stay valid as long as the part.

#ifndef DENTATE_BANK_PART_H_
#define DENTATE_BANK_PART_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bank/ball.h"
#include "bank/batch.h"
#include "bank/entry_outlines.h"
#include "bank/entry_vectors.h"

namespace dentate::bank {

struct Interval32 {
  std::uint32_t begin, end;
  std::uint32_t size() const noexcept { return end - begin; }
};

// What an entry has beside its streams and its extras.
struct EntryRow {
  std::uint32_t session = kNone;  // kNone: erased
  std::uint32_t speaker = kNone;
  std::uint8_t role = 0;
  std::int64_t at = 0;        // event time, Unix ms
  std::int64_t ingested = 0;  // when it was added, Unix ms
};

// Facts about entries of the whole bank (bank-wide numbers), which a part carries for its time:
// they may concern entries of earlier parts. Each list is sorted by entry, an entry in it once.
//
// Erased rows inside the part count as deleted: the image of a part lists them, so that a bank
// knows them without a look at the rows. Facts about numbers that no part has any more can be
// dropped (MergeFacts, facts.h).
struct PartFacts {
  struct Version {
    std::uint32_t entry, origin;  // `entry` is a newer version of `origin`, the first one
  };
  struct Expiry {
    std::uint32_t entry;
    std::int64_t at;
  };
  struct Strength {  // of the forgetting curve
    std::uint32_t entry, recalls;
    std::int64_t last;  // Unix ms of the last recall
  };
  // Numbers below this had been given when the part was sealed; more than the end of its entries
  // where erased ones were cut off. Numbers are never given twice.
  std::uint32_t next_entry = 0;
  std::vector<std::uint32_t> deleted;
  std::vector<Version> versions;
  std::vector<Expiry> expiries;
  std::vector<Strength> strengths;
};

class Part {
 public:
  // `most_entries`: it will never have more.
  explicit Part(std::size_t most_entries = EntryVectors::kMostRows)
      : id_(NextId()), entry_vectors_(most_entries) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;

  // Another number for each part that this process makes or opens: what is kept of it elsewhere
  // goes by it.
  std::uint64_t id() const noexcept { return id_; }
  virtual std::uint32_t entry_count() const noexcept = 0;
  virtual std::size_t signature_words() const noexcept = 0;

  // --- entries
  virtual EntryRow Row(std::uint32_t entry) const = 0;
  // Of the row, where that is all there is to ask.
  virtual std::uint32_t Session(std::uint32_t entry) const { return Row(entry).session; }
  virtual std::uint8_t Role(std::uint32_t entry) const { return Row(entry).role; }
  virtual Interval32 TokenSpan(std::uint32_t entry) const = 0;  // in the part's content stream
  virtual Interval32 CodeSpan(std::uint32_t entry) const = 0;   // in its signature stream
  virtual void AppendExtras(std::uint32_t entry, std::vector<std::uint8_t>& out) const = 0;
  // Row 0 of the entries' outlines; null where the others are as quick to ask.
  virtual const EntryOutline* Outlines() const { return nullptr; }
  // The tokens (o200k_base ids) of content positions [begin, end), which may span entries.
  virtual void Tokens(std::uint32_t begin, std::uint32_t end, std::uint32_t* out) const = 0;

  // --- sessions. A run is entries that follow each other and are of one session.
  virtual std::uint32_t session_count() const noexcept = 0;
  virtual std::string_view SessionName(std::uint32_t session) const = 0;
  virtual std::uint32_t RunBegin(std::uint32_t entry) const = 0;
  // The entries before and after it in its session, or kNone at the part's ends. `size`: the
  // snapshot.
  virtual std::uint32_t Previous(std::uint32_t entry) const = 0;
  virtual std::uint32_t Next(std::uint32_t entry, std::uint32_t size) const = 0;
  virtual std::uint32_t FirstOfSession(std::uint32_t session) const = 0;
  virtual std::uint32_t LastOfSession(std::uint32_t session, std::uint32_t size) const = 0;

  // --- speakers. Each has the words of its name, since those count for its entries' vectors.
  virtual std::uint32_t speaker_count() const noexcept = 0;
  // The speakers of entries [begin, end), kNone for none: what a scan over all of them asks for.
  virtual void Speakers(std::uint32_t begin, std::uint32_t end, std::uint32_t* out) const {
    for (std::uint32_t entry = begin; entry < end; ++entry) out[entry - begin] = Row(entry).speaker;
  }
  virtual std::string_view SpeakerName(std::uint32_t speaker) const = 0;
  virtual std::uint32_t speaker_word_count(std::uint32_t speaker) const = 0;
  virtual std::uint64_t SpeakerWordStem(std::uint32_t speaker, std::uint32_t word) const = 0;
  virtual void SpeakerWordPieces(std::uint32_t speaker, std::uint32_t word,
                                 std::vector<std::uint32_t>& pieces) const = 0;

  // --- the signature dictionary: codes are numbered from 0; a code is a pair (signature, stem)
  virtual std::uint32_t code_count() const noexcept = 0;
  // All codes within `radius` of the signature, and those of the stem (distance 0), nearest first,
  // equal distances by ascending code. `finder` is working memory, and may know some (SetKnown).
  virtual void FindBall(std::span<const std::uint64_t> signature, const std::uint64_t* stem,
                        std::uint32_t radius, BallFinder& finder, Ball& ball) const = 0;
  virtual void Signature(std::uint32_t code, std::uint64_t* words) const = 0;
  virtual std::uint64_t Stem(std::uint32_t code) const = 0;
  // The rows of the distilled table that the code's word is made of; none: its vector is hashed
  // from its stem (signatures/word_vectors.h).
  virtual void Pieces(std::uint32_t code, std::vector<std::uint32_t>& pieces) const = 0;
  virtual std::uint32_t EntriesWith(std::uint32_t code) const = 0;  // document frequency

  // --- the signature stream
  // Where a sweep over a code's entries stands; begin with {}.
  struct Sweep {
    std::uint32_t occurrence = 0;
    std::uint32_t entry = 0;
    bool done = false;
  };
  // The next entries that hold the code, ascending, below `size`; repeats of an entry may be left
  // in. Returns how many were written; 0 when done.
  virtual std::size_t EntriesOf(std::uint32_t code, std::uint32_t size, Sweep& sweep,
                                std::span<std::uint32_t> out) const = 0;
  virtual std::uint64_t OccurrencesOf(std::uint32_t code) const = 0;
  // For each of the codes: how often it occurs at code positions [begin, end).
  virtual void CountIn(std::span<const std::uint32_t> codes, Interval32 positions,
                       std::uint32_t* counts) const = 0;
  // The codes at positions [begin, end), and for each the index, within the content stream, of the
  // token it starts at.
  virtual void Codes(std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t>& codes,
                     std::vector<std::uint32_t>* tokens) const = 0;

  // --- duplicates: all entries whose fingerprint (content_hash.h) is this, in any order, are
  // appended. Of a live part: its writer only.
  virtual void FindFingerprint(std::uint32_t fingerprint,
                               std::vector<std::uint32_t>& entries) const = 0;

  // The vectors of its entries that searches have built. Any thread.
  EntryVectors& entry_vectors() const noexcept { return entry_vectors_; }

  // What searches have made of it and keep there.
  virtual std::size_t KeptBytes() const noexcept { return entry_vectors_.SizeInBytes(); }

  // Bytes of memory that belong to this part alone, KeptBytes() included (mapped files do not
  // count).
  virtual std::size_t SizeInBytes() const = 0;

 private:
  static std::uint64_t NextId() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  const std::uint64_t id_;
  mutable EntryVectors entry_vectors_;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_PART_H_
