// What a part says, as plain arrays: what an image is written from (part_builder.h).
//
// Numbers are given as things are first used; the writer sorts what an image has sorted.

#ifndef DENTATE_BANK_PART_CONTENTS_H_
#define DENTATE_BANK_PART_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bank/part.h"

namespace dentate::bank {

struct PartContents {
  std::size_t signature_words = 1;
  std::uint32_t first_entry = 0;  // the bank's number of entry 0

  // One an entry. Erased: session and speaker kNone, no tokens, no codes, extras 0.
  std::vector<std::uint64_t> token_ends, code_ends;
  std::vector<std::uint32_t> sessions, speakers;
  std::vector<std::uint8_t> roles;
  std::vector<std::int64_t> at, ingested;
  std::vector<std::uint32_t> extras;        // number in extras_texts
  std::vector<std::uint32_t> fingerprints;  // 0 where erased

  // The streams: numbers in token_ids, and in the dictionary; and for each code the position of
  // the token that it starts at.
  std::vector<std::uint32_t> tokens, codes, code_tokens;
  std::vector<std::uint32_t> token_ids;

  // The dictionary, one a code; each pair (signature, stem) once.
  std::vector<std::uint64_t> signatures;  // row-major
  std::vector<std::uint64_t> stems;
  std::vector<std::uint32_t> pieces;  // of all codes, concatenated
  std::vector<std::uint64_t> piece_ends;
  std::vector<std::uint32_t> entries_with, first_entry_with;

  struct Word {
    std::uint64_t stem;
    std::vector<std::uint32_t> pieces;
  };
  struct Speaker {
    std::string name;
    std::vector<Word> words;
  };
  std::vector<std::string> session_names;
  std::vector<Speaker> speaker_names;
  std::vector<std::string> extras_texts;

  PartFacts facts;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_PART_CONTENTS_H_
