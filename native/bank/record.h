// What one change means, as the log holds it and as a bank applies it.
//
// A record has all that a reader needs to apply it without a tokenizer or an encoder. Numbers are
// varints unless said otherwise (core/coding.h); `signed` is zigzag. All begin with
//
//   version              1; of a kind that came later, the first version that has it
//   kind                 1 append, 2 delete, 3 touch; from version 2 on 4 chunks
//
// Append. w is the bank's 64-bit words a signature. first_code, first_session and first_speaker are
// what the live part had from earlier records; all three are 0 at the start of a new part.
//
//   w
//   first_entry          bank-wide
//   first_code, first_session, first_speaker
//   base                 signed, Unix ms: the times below are relative to it
//   new_codes            how many words follow
//     per word           w x fixed64 signature, word
//   new_sessions
//     per session        bytes of the name, the name
//   new_speakers
//     per speaker        bytes of the name, the name, how many words follow
//       per word         word
//   entries              how many entries follow, at least 1
//     per entry          session + 1; 0: a hole, and nothing more of it follows
//                        speaker + 1 (0: none), role, at - base (signed), ingested - base (signed),
//                        expires: 0, or 1 + (expires - base as signed),
//                        origin: 0, or first_entry + index in the record - origin,
//                        tokens, codes, extras bytes
//   per token            its o200k_base id
//   per code             token index, as the difference from the code before in the same entry;
//                        the code
//   extras               the bytes of all entries, back to back
//
//   where a word is      fixed64 stem, how many pieces, its pieces
//
// Delete and touch.
//
//   time                 signed, Unix ms (of the recall; 0 in a delete)
//   entries              how many follow, at least 1
//     per entry          the difference from the one before, bank-wide numbers, ascending
//
// Chunks: as chunk_rows.h has it.
//
// A record ends exactly where its last field ends.

#ifndef DENTATE_BANK_RECORD_H_
#define DENTATE_BANK_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bank/batch.h"
#include "bank/chunk_rows.h"
#include "core/status.h"

namespace dentate::bank {

// The newest that is known, and what records of each kind are written with: an earlier version of
// this software then says of one that it doesn't know that it is newer, and of no other.
inline constexpr std::uint32_t kRecordVersion = 2;
// What a Date of JavaScript can say: this many milliseconds to both sides of 1970.
inline constexpr std::int64_t kMaxTime = INT64_C(8'640'000'000'000'000);

inline constexpr std::uint32_t kTokenLimit = std::uint32_t{1} << 18;  // o200k_base has 200,019

enum class RecordKind : std::uint8_t { kAppend = 1, kDelete = 2, kTouch = 3, kChunks = 4 };

constexpr std::uint32_t VersionOf(RecordKind kind) noexcept {
  return kind == RecordKind::kChunks ? 2 : 1;
}

// Parallel arrays over the entries, and over their tokens and codes, concatenated.
struct AppendRecord {
  std::uint32_t first_entry = 0, first_code = 0, first_session = 0, first_speaker = 0;

  std::span<const std::uint64_t> new_signatures;  // w a word, row-major
  BatchWords new_words;
  std::span<const std::string_view> new_sessions;
  std::span<const std::string_view> new_speakers;
  BatchWords speaker_words;  // of all new speakers
  std::span<const std::uint32_t> speaker_word_counts;

  std::span<const std::uint32_t> sessions;  // numbers of the part; kNone: a hole
  std::span<const std::uint32_t> speakers;  // numbers of the part; kNone
  std::span<const std::uint8_t> roles;
  std::span<const std::int64_t> at, ingested, expires;  // kNever
  std::span<const std::uint32_t> origins;               // of the first version, bank-wide; kNone
  std::span<const std::uint32_t> token_counts, code_counts, extras_lengths;

  std::span<const std::uint32_t> tokens;
  std::span<const std::uint32_t> code_tokens;  // index of the token within the entry, ascending
  std::span<const std::uint32_t> codes;
  std::span<const std::uint8_t> extras;
};

struct WordsStorage {
  std::vector<std::uint64_t> stems;
  std::vector<std::uint32_t> pieces, piece_counts;

  BatchWords View() const noexcept { return {stems, pieces, piece_counts}; }
  void Clear() noexcept;
  std::size_t SizeInBytes() const noexcept;
};

// What a record's spans point to, where nothing else holds it.
struct RecordStorage {
  std::vector<std::uint64_t> new_signatures;
  WordsStorage new_words, speaker_words;
  std::vector<std::string_view> new_sessions, new_speakers;
  std::vector<std::uint32_t> speaker_word_counts;
  std::vector<std::uint32_t> sessions, speakers, origins, token_counts, code_counts, extras_lengths;
  std::vector<std::uint8_t> roles;
  std::vector<std::int64_t> at, ingested, expires;
  std::vector<std::uint32_t> tokens, code_tokens, codes;

  void Clear() noexcept;
  std::size_t SizeInBytes() const noexcept;
};

// Checks that the arrays of a record agree with each other: counts add up, token indexes ascend
// within their entry's tokens, tokens are of the vocabulary, times are times, origins are lower
// than their entries, names are known, holes are empty. The codes themselves are not looked at.
// What fails is DENTATE_INTERNAL with a sentence.
Status CheckShape(const AppendRecord& record, std::size_t words);

// Replaces `out` by the record's bytes. REQUIRES: CheckShape.
void EncodeAppend(const AppendRecord& record, std::size_t words, std::vector<std::uint8_t>& out);
// REQUIRES: `kind` delete or touch; `entries` ascending, not empty.
void EncodeEntries(RecordKind kind, std::int64_t time, std::span<const std::uint32_t> entries,
                   std::vector<std::uint8_t>& out);
void EncodeChunkRecord(const ChunkRows& rows, std::vector<std::uint8_t>& out);

// All that follow read any bytes: what is no record is DENTATE_CORRUPTION, a later version
// DENTATE_VERSION.
Status DecodeKind(std::span<const std::uint8_t> bytes, RecordKind& kind);
// Codes, sessions and speakers are below what was there plus what is new: that first_entry,
// first_code and so on are right is for the caller to check. `record` points into `storage` and
// `bytes`.
Status DecodeAppend(std::span<const std::uint8_t> bytes, std::size_t words, RecordStorage& storage,
                    AppendRecord& record);
Status DecodeEntries(std::span<const std::uint8_t> bytes, RecordKind& kind, std::int64_t& time,
                     std::vector<std::uint32_t>& entries);
Status DecodeChunkRecord(std::span<const std::uint8_t> bytes, ChunkRows& rows);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_RECORD_H_
