// The entries of one append, as TypeScript hands them over: parallel arrays, concatenated.
//
// An entry whose session is kNone is a hole: an erased row that takes a number and holds nothing
// (no tokens, codes, extras). Holes are for importing a bank with the numbers it had.

#ifndef DENTATE_BANK_BATCH_H_
#define DENTATE_BANK_BATCH_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace dentate::bank {

inline constexpr std::uint32_t kNone = 0xffffffff;
inline constexpr std::int64_t kNever = INT64_MAX;  // expires_at of what does not expire

// Words as codes want them: a word's pieces are rows of the distilled table (none: hashed).
struct BatchWords {
  std::span<const std::uint64_t> stems;
  std::span<const std::uint32_t> pieces;        // of all words, concatenated
  std::span<const std::uint32_t> piece_counts;  // one a word
};

struct Batch {
  // By entry.
  std::span<const std::uint32_t> token_counts;
  std::span<const std::uint32_t> code_counts;
  std::span<const std::uint32_t> extras_lengths;
  std::span<const std::uint32_t> sessions;  // index into session_names, or kNone: a hole
  std::span<const std::uint32_t> speakers;  // index into speaker_names, or kNone
  std::span<const std::uint8_t> roles;
  std::span<const double> at;              // event time, Unix ms
  std::span<const double> ingested;        // when it was added, Unix ms
  std::span<const double> expires;         // Unix ms, or infinity
  std::span<const std::uint32_t> origins;  // of a newer version: the bank-wide number of the first
                                           // one; kNone
  // Empty, or the newest version that each was made from, or kNone: one that is not the newest any
  // more is left out.
  std::span<const std::uint32_t> befores;

  std::span<const std::uint32_t> tokens;  // o200k_base ids of all entries
  std::span<const std::uint8_t> extras;

  // By code.
  std::span<const std::uint64_t> signatures;   // row-major
  BatchWords words;                            // stems and pieces, one a code
  std::span<const std::uint32_t> code_tokens;  // index of the token within its entry, ascending

  // Distinct names; a speaker's with the content words of its name.
  std::span<const std::string_view> session_names;
  std::span<const std::string_view> speaker_names;
  BatchWords speaker_words;                            // of all speaker_names, concatenated
  std::span<const std::uint32_t> speaker_word_counts;  // one a speaker name

  bool dedupe = false;  // leave out what the bank holds already
  // Take origins as they are, though their turns may be gone: for importing. Otherwise a new
  // version of a turn without a living version is left out.
  bool restore = false;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_BATCH_H_
