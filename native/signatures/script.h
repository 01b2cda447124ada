// Which words also need pieces of themselves in the index.
//
// Chinese, Japanese, Thai and others write no spaces, and where a word ends is a guess that a
// question may make differently; Korean glues particles to nouns. Words of these scripts are
// indexed whole and as every two consecutive characters, so that a question finds a text that
// shares a part of the word.

#ifndef DENTATE_SIGNATURES_SCRIPT_H_
#define DENTATE_SIGNATURES_SCRIPT_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace dentate::signatures {

// Whether a word that starts with this code point is indexed by pairs of characters as well.
bool HasPairs(char32_t code_point) noexcept;

// The code point that starts at text[at], and its length in bytes (at least 1). Bytes that are not
// UTF-8 count one by one.
struct CodePoint {
  char32_t value;
  std::size_t length;
};
CodePoint DecodeAt(std::string_view text, std::size_t at) noexcept;

// Byte offsets of the characters of `text`, and its length at the end: n characters, n + 1 offsets.
void CharacterOffsets(std::string_view text, std::vector<std::size_t>& offsets);

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_SCRIPT_H_
