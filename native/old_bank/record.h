// What one append means, as the log holds it and as a bank applies it.
//
// A record has all that a reader needs to apply it without an encoder or an embedder: token ids,
// codes, the dictionary words that no earlier record carried, metadata, vectors. Numbers are
// varints unless said otherwise (core/coding.h); w is the bank's 64-bit words a signature, d its
// dimensions.
//
//   version              kRecordVersion
//   w, d                 of the bank; a record of another bank is refused
//   first_code           the dictionary's size before
//   new_codes            how many words follow
//     per word           w x fixed64 signature, fixed64 stem
//   entries              how many entries follow
//     per entry          session, speaker + 1 (0: none), tokens, codes, metadata bytes
//   per token            its o200k_base id
//   per code             token index, as the difference from the code before in the same entry;
//                        the code
//   per entry            fixed32 float scale, d bytes of int8, where d > 0
//   metadata             the bytes of all entries, back to back
//
// A record ends exactly where its last field ends.

#ifndef DENTATE_OLD_BANK_RECORD_H_
#define DENTATE_OLD_BANK_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/status.h"

namespace dentate::old_bank {

inline constexpr std::uint32_t kRecordVersion = 1;

// Parallel arrays over the entries, and over their tokens and codes, concatenated.
struct Record {
  std::uint32_t first_code = 0;
  std::span<const std::uint64_t> new_signatures;  // w a word, row-major
  std::span<const std::uint64_t> new_stems;

  std::span<const std::uint32_t> sessions;
  std::span<const std::uint32_t> speakers;  // EntryTable::kNone: none
  std::span<const std::uint32_t> token_counts;
  std::span<const std::uint32_t> code_counts;
  std::span<const std::uint32_t> metadata_lengths;

  std::span<const std::uint32_t> tokens;
  std::span<const std::uint32_t> code_tokens;  // index of the token within the entry, ascending
  std::span<const std::uint32_t> codes;
  std::span<const float> scales;      // one an entry, where d > 0
  std::span<const std::int8_t> rows;  // d an entry
  std::span<const std::uint8_t> metadata;
};

// What a record's spans point to, where nothing else holds it.
struct RecordStorage {
  std::vector<std::uint64_t> new_signatures, new_stems;
  std::vector<std::uint32_t> sessions, speakers, token_counts, code_counts, metadata_lengths;
  std::vector<std::uint32_t> tokens, code_tokens, codes;
  std::vector<float> scales;
  std::vector<std::int8_t> rows;

  std::size_t SizeInBytes() const noexcept;
};

// Checks that the arrays of a record agree with each other: counts add up, token indexes ascend
// within their entry's tokens, sessions are below EntryTable::kMaxSessions. The codes themselves
// are not looked at, nor the new words. What fails is DENTATE_INTERNAL with a sentence.
Status CheckShape(const Record& record, std::size_t dimensions);

// Replaces `out` by the record's bytes. REQUIRES: CheckShape.
void EncodeRecord(const Record& record, std::size_t words, std::size_t dimensions,
                  std::vector<std::uint8_t>& out);

// Reads any bytes: what is not a record of such a bank is DENTATE_CORRUPTION, a later version
// DENTATE_VERSION. Codes are below first_code plus the new words: that first_code is the
// dictionary's size is for the caller to check. `record` points into `storage` and `bytes`.
Status DecodeRecord(std::span<const std::uint8_t> bytes, std::size_t words, std::size_t dimensions,
                    RecordStorage& storage, Record& record);

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_RECORD_H_
