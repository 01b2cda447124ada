// Cuts text into the pieces within which byte pairs are merged: the o200k_base pattern by hand.
//
// The pattern, with U = [Lu Lt Lm Lo M] and W = [Ll Lm Lo M]:
//
//   1  [^\r\n\p{L}\p{N}]? U* W+ (?i:'s|'t|'re|'ve|'m|'ll|'d)?
//   2  [^\r\n\p{L}\p{N}]? U+ W* (?i:'s|'t|'re|'ve|'m|'ll|'d)?
//   3  \p{N}{1,3}
//   4   ?[^\s\p{L}\p{N}]+[\r\n/]*
//   5  \s*[\r\n]+
//   6  \s+(?!\S)
//   7  \s+
//
// The first alternative that matches is taken, each quantifier greedy, as a backtracking engine
// does it. By hand, because JavaScript's engine makes 5 MB/s of it, and because nothing here
// backtracks: the scans remember the one place an engine could return to (the last letter in both U
// and W; the last newline; the last space), so that the cost is O(text) on any input.
//
// \s is White_Space and (?i) folds by Unicode, as in tiktoken. JavaScript's \s differs on U+0085
// and U+FEFF; so do the ids of JavaScript tokenizers there.
//
// Source: the pattern is OpenAI's, published in tiktoken (MIT); its value is in gpt-tokenizer.

#ifndef DENTATE_TEXT_PIECE_SPLITTER_H_
#define DENTATE_TEXT_PIECE_SPLITTER_H_

#include <cstddef>

#include "text/char_class.h"

namespace dentate::text {

class PieceSplitter {
 public:
  PieceSplitter() : classes_(CharClassTable::Instance()) {}

  // The end of the piece that begins at `at`; the next piece begins there. Bytes that are not UTF-8
  // are symbols of one byte. REQUIRES: at < end.
  const char* PieceEnd(const char* at, const char* end) const noexcept;

 private:
  struct Char {
    CharClass char_class;
    std::uint32_t length;
  };

  Char At(const char* at, const char* end) const noexcept;
  const char* MatchLetters(const char* at, const char* end) const noexcept;
  const char* MatchNumber(const char* at, const char* end) const noexcept;
  const char* MatchSymbols(const char* at, const char* end) const noexcept;
  const char* MatchSpaces(const char* at, const char* end) const noexcept;

  const CharClassTable& classes_;
};

}  // namespace dentate::text

#endif  // DENTATE_TEXT_PIECE_SPLITTER_H_
