// Where a tokenized text may be cut, from its token ids alone.
//
// A byte a token says what its own characters allow:
//
//   bit 0  kMayPrecede    a cut may follow it: its last character joins no other after it
//   bit 1  kMayFollow     a cut may come before it: its first character joins none before it
//   bit 2  kEndsSentence  it ends with . ! ? or their like, and quotes or brackets behind them
//   bit 3  kEndsLine      it ends with a line feed
//   bit 4  kEndsBlock     with two of them: an empty line
//   bit 5  kStartsSpace   it begins with a space: a word begins there
//
// A cut is allowed between a token with kMayPrecede and one with kMayFollow: then it splits neither
// a character nor a grapheme cluster (Unicode UAX 29). The flags are narrower than that: only
// characters that are known to stand alone have kMayFollow (ASCII but LF, and the letters of
// Chinese, Japanese and Korean), so that nothing depends on emoji or combining marks being listed.
// What a text of others looks like: its words begin with a space.
//
// Cost. Made in one pass over the vocabulary (about 5 ms, 200 kB), when first asked for.
//
// Threads. Immutable.

#ifndef DENTATE_TEXT_TOKEN_BREAKS_H_
#define DENTATE_TEXT_TOKEN_BREAKS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace dentate::text {

enum TokenBreak : std::uint8_t {
  kMayPrecede = 1,
  kMayFollow = 2,
  kEndsSentence = 4,
  kEndsLine = 8,
  kEndsBlock = 16,
  kStartsSpace = 32,
};

// The flags of a token of these bytes, which may be a part of a character.
std::uint8_t TokenBreaksOf(std::string_view bytes) noexcept;

// Of all tokens, by id.
std::vector<std::uint8_t> TokenBreaksOf(const Vocabulary& vocabulary);

// Those of o200k_base, made when first asked for; empty while it is not loaded. Any thread.
std::span<const std::uint8_t> O200kBaseBreaks();

// Cuts tokens into pieces of about `target`: replaces `ends` by where each ends, the last one at
// tokens.size(). A piece ends where the text says so as clearly as possible: after an empty line,
// a line, a sentence, before a word, in this order, and near the target. No piece has less than
// half of it, but for a short text; none has more than one and a half, but where there is no place
// to cut for that long. The same tokens are always cut alike.
//
// `breaks` are flags by token id; a token that has none allows no cut. REQUIRES: target > 0.
void CutTokens(std::span<const std::uint32_t> tokens, std::span<const std::uint8_t> breaks,
               std::uint32_t target, std::vector<std::uint32_t>& ends);

}  // namespace dentate::text

#endif  // DENTATE_TEXT_TOKEN_BREAKS_H_
