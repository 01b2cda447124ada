// The words of one text, as TypeScript hands them over: one string, so that crossing the boundary
// costs one call and not one a word.
//
//   word := text '\n' stem '\n'        the word starts anew
//         | text '\t' stem '\n'        it starts where the word before it ends, with no space
//
// A stop word is an empty text with an empty stem: it has a number but no signature. Neither text
// nor stem contains a separator.

#ifndef DENTATE_SIGNATURES_WORD_LIST_H_
#define DENTATE_SIGNATURES_WORD_LIST_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace dentate::signatures {

struct ListedWord {
  std::string_view text;
  std::string_view stem;
  std::uint32_t index;    // among all words given, stop words included
  bool adjacent = false;  // no space before it, and the word before it was no stop word
};

// Content words of `joined`, in order. What does not follow the grammar ends the list. The views
// point into `joined`.
void ParseWords(std::string_view joined, std::vector<ListedWord>& words);

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_WORD_LIST_H_
