// The part of a bank that is written: text, signatures and entries as they come.
//
//   tokens   content_     DynamicWaveletMatrix over dense symbols (symbol_map.h)
//      |     token_codes_ one bit vector: for each token a 0, then a 1 for each code that starts at
//      |                  it; so a code becomes its token by select
//      v
//   codes    codes_       DynamicWaveletMatrix over the dictionary's codes (dictionary.h)
//      |
//      v
//   entries  entries_     spans in both streams, times, session links, extras (entry_table.h)
//            sessions_, speakers_    names, in the order of first use; a speaker's words
//            fingerprints_           to find duplicates (fingerprint_table.h)
//
// Appending takes steps, because the log comes between them (bank.cc): Resolve or Adopt gives each
// word and name its number, Prepare writes the streams and allocates all there is to allocate,
// Publish makes the entries visible and cannot fail. An append that is given up before Publish
// leaves
//
//   - symbols at the end of the streams that belong to no entry: spans start where the streams end,
//     and readers skip such gaps;
//   - dictionary words and names that no entry has: the next record carries all that no record has
//     carried, so that numbers are the same for who replays the log.
//
// Limits. 2^32 tokens, codes and entries, 2^22 different codes, 4 GiB of extras: NearlyFull says
// when one is near. Space: an empty one takes 7 KB; 1,000 tokens of 572 kinds with 500
// codes of 338 kinds in 20 turns take 52 KB, half of that the dictionary.
//
// Threads. One writer. Readers on any thread take entry_count() once, with acquire, and ignore what
// lies past it.

#ifndef DENTATE_BANK_LIVE_PART_H_
#define DENTATE_BANK_LIVE_PART_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/bank_names.h"
#include "bank/dictionary.h"
#include "bank/entry_table.h"
#include "bank/fingerprint_table.h"
#include "bank/part.h"
#include "bank/piece_pool.h"
#include "bank/record.h"
#include "bank/symbol_map.h"
#include "succinct/append_bit_vector.h"
#include "succinct/dynamic_wavelet_matrix.h"

namespace dentate::bank {

// What an append works in (lease.h).
struct AppendScratch {
  static constexpr std::size_t kKeepBytes = std::size_t{1} << 20;

  RecordStorage record;
  std::vector<std::uint8_t> group;            // the record's bytes
  std::vector<std::uint32_t> stream;          // symbols on their way into a stream
  std::vector<EntryTable::Row> rows;          // of the batch
  std::vector<std::uint32_t> counted_codes;   // the distinct codes of each entry, concatenated
  std::vector<std::uint32_t> distinct_codes;  // how many, by entry
  std::vector<std::uint32_t> session_of, speaker_of;  // by name of the batch: its number, or kNone

  std::size_t SizeInBytes() const noexcept;
};

class LivePart final : public Part {
 public:
  static constexpr unsigned kSymbolBits = 18;
  static_assert(kTokenLimit == 1U << kSymbolBits, "each token may be a symbol of its own");
  static constexpr unsigned kCodeBits = 22;
  static constexpr std::size_t kMaxCodes = std::size_t{1} << kCodeBits;

  explicit LivePart(std::size_t signature_words);
  ~LivePart() override;

  // --- writer only

  // Turns the batch into a record: its words and names get numbers. REQUIRES: CheckBatch.
  void Resolve(const Batch& batch, AppendScratch& scratch, AppendRecord& record);
  // Whether the record's new words and names follow what is here and are new; then takes them in.
  Status Adopt(const AppendRecord& record, AppendScratch& scratch);
  // What a record or batch is about to add.
  struct Demand {
    std::size_t tokens, codes, entries, extras;
    std::size_t words;   // that may be new to the dictionary
    std::size_t pieces;  // of words and speakers
  };
  // kOutOfMemory where there is no room for that.
  Status CheckRoom(const Demand& demand) const;
  // Writes the streams. Nothing is visible yet.
  void Prepare(const AppendRecord& record, AppendScratch& scratch);
  void Publish(const AppendRecord& record, const AppendScratch& scratch) noexcept;
  // Numbers that records have carried: what the next record begins with. All 0: nothing yet.
  std::uint32_t logged_codes() const noexcept { return logged_codes_; }
  std::uint32_t logged_sessions() const noexcept { return logged_sessions_; }
  std::uint32_t logged_speakers() const noexcept { return logged_speakers_; }
  bool NearlyFull() const noexcept;

  // --- any thread: as Part says
  std::uint32_t entry_count() const noexcept override { return entries_.size(); }
  std::size_t signature_words() const noexcept override { return dictionary_.signatures().words(); }
  EntryRow Row(std::uint32_t entry) const override;
  std::uint32_t Session(std::uint32_t entry) const override { return entries_.row(entry).session; }
  std::uint8_t Role(std::uint32_t entry) const override { return entries_.row(entry).role; }
  Interval32 TokenSpan(std::uint32_t entry) const override;
  Interval32 CodeSpan(std::uint32_t entry) const override;
  void AppendExtras(std::uint32_t entry, std::vector<std::uint8_t>& out) const override;
  void Tokens(std::uint32_t begin, std::uint32_t end, std::uint32_t* out) const override;

  std::uint32_t session_count() const noexcept override { return sessions_.size(); }
  std::string_view SessionName(std::uint32_t session) const override;
  std::uint32_t RunBegin(std::uint32_t entry) const override;
  std::uint32_t Previous(std::uint32_t entry) const override;
  std::uint32_t Next(std::uint32_t entry, std::uint32_t size) const override;
  std::uint32_t FirstOfSession(std::uint32_t session) const override;
  std::uint32_t LastOfSession(std::uint32_t session, std::uint32_t size) const override;

  void Speakers(std::uint32_t begin, std::uint32_t end, std::uint32_t* out) const override {
    for (std::uint32_t entry = begin; entry < end; ++entry) *out++ = entries_.row(entry).speaker;
  }
  std::uint32_t speaker_count() const noexcept override {
    return static_cast<std::uint32_t>(speaker_word_ends_.size());
  }
  std::string_view SpeakerName(std::uint32_t speaker) const override;
  std::uint32_t speaker_word_count(std::uint32_t speaker) const override;
  std::uint64_t SpeakerWordStem(std::uint32_t speaker, std::uint32_t word) const override;
  void SpeakerWordPieces(std::uint32_t speaker, std::uint32_t word,
                         std::vector<std::uint32_t>& pieces) const override;

  std::uint32_t code_count() const noexcept override {
    return static_cast<std::uint32_t>(dictionary_.size());
  }
  void FindBall(std::span<const std::uint64_t> signature, const std::uint64_t* stem,
                std::uint32_t radius, BallFinder& finder, Ball& ball) const override;
  void Signature(std::uint32_t code, std::uint64_t* words) const override;
  std::uint64_t Stem(std::uint32_t code) const override { return dictionary_.stem(code); }
  void Pieces(std::uint32_t code, std::vector<std::uint32_t>& pieces) const override {
    dictionary_.Pieces(code, pieces);
  }
  std::uint32_t EntriesWith(std::uint32_t code) const override {
    return dictionary_.EntriesWith(code);
  }

  std::size_t EntriesOf(std::uint32_t code, std::uint32_t size, Sweep& sweep,
                        std::span<std::uint32_t> out) const override;
  std::uint64_t OccurrencesOf(std::uint32_t code) const override;
  void CountIn(std::span<const std::uint32_t> codes, Interval32 positions,
               std::uint32_t* counts) const override;
  void Codes(std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t>& codes,
             std::vector<std::uint32_t>* tokens) const override;

  void FindFingerprint(std::uint32_t fingerprint,
                       std::vector<std::uint32_t>& entries) const override {
    fingerprints_.Find(fingerprint, entries);
  }
  std::size_t SizeInBytes() const override;

 private:
  struct SpeakerWord {
    std::uint64_t stem;
    std::uint32_t pieces;
  };

  void ResolveWords(const Batch& batch, RecordStorage& staged);
  void ResolveNames(const Batch& batch, AppendScratch& scratch);
  std::uint32_t AddSpeaker(std::string_view name, const BatchWords& words, Interval32 word_range,
                           std::size_t piece);
  void StageNew(RecordStorage& staged) const;
  bool AllNew(const AppendRecord& record, std::vector<std::uint32_t>& order) const;
  void MakeRows(const AppendRecord& record, AppendScratch& scratch) const;
  static void CountDistinct(const AppendRecord& record, AppendScratch& scratch);
  void AppendTokenCodes(const AppendRecord& record);
  void AddFingerprints(const AppendRecord& record) noexcept;

  PiecePool pieces_;
  SymbolMap symbols_;
  succinct::DynamicWaveletMatrix content_{kSymbolBits};
  Dictionary dictionary_;
  succinct::DynamicWaveletMatrix codes_{kCodeBits};
  succinct::AppendBitVector token_codes_;
  EntryTable entries_;
  NameTable sessions_, speakers_;
  AppendVector32<SpeakerWord, 4> speaker_words_;
  AppendVector32<std::uint32_t, 4>
      speaker_word_ends_;  // by speaker; its size is how many there are

  // The writer's own.
  FingerprintTable fingerprints_;
  std::uint32_t logged_codes_ = 0, logged_sessions_ = 0, logged_speakers_ = 0;
};

// Checks that the batch's arrays agree with each other. DENTATE_INTERNAL with a sentence.
Status CheckBatch(const Batch& batch, std::size_t signature_words);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_LIVE_PART_H_
