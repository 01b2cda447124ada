#include "text/piece_splitter.h"

#include <array>

#include "text/utf8.h"

namespace dentate::text {
namespace {

constexpr std::array<CharClass, 128> kAsciiClasses = [] {
  std::array<CharClass, 128> classes{};
  for (unsigned char c = 0; c < 128; ++c) {
    if (c == '\r' || c == '\n') {
      classes[c] = CharClass::kNewline;
    } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
      classes[c] = CharClass::kSpace;
    } else if (c >= '0' && c <= '9') {
      classes[c] = CharClass::kNumber;
    } else if (c >= 'A' && c <= 'Z') {
      classes[c] = CharClass::kUpper;
    } else if (c >= 'a' && c <= 'z') {
      classes[c] = CharClass::kLower;
    }
  }
  return classes;
}();

// U of the pattern.
bool MayBeUpper(CharClass c) noexcept {
  return c == CharClass::kUpper || c == CharClass::kLetter || c == CharClass::kMark;
}
// W of the pattern.
bool MayBeLower(CharClass c) noexcept {
  return c == CharClass::kLower || c == CharClass::kLetter || c == CharClass::kMark;
}
bool IsSymbol(CharClass c) noexcept { return c == CharClass::kOther || c == CharClass::kMark; }
bool IsSpace(CharClass c) noexcept { return c == CharClass::kSpace || c == CharClass::kNewline; }

// The end of (?i:'s|'t|'re|'ve|'m|'ll|'d)? at `at`.
const char* SkipContraction(const char* at, const char* end) noexcept {
  if (end - at < 2 || *at != '\'') return at;
  const auto lower = [at](std::size_t i) { return static_cast<char>(at[i] | 0x20); };
  const char first = lower(1);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
  if (end - at < 3) return at;
  const char second = lower(2);
  if ((first == 'r' || first == 'v') && second == 'e') return at + 3;
  if (first == 'l' && second == 'l') return at + 3;
  if (at[1] == '\xc5' && at[2] == '\xbf') return at + 3;  // U+017F folds to s
  return at;
}

}  // namespace

inline PieceSplitter::Char PieceSplitter::At(const char* at, const char* end) const noexcept {
  const auto byte = static_cast<unsigned char>(*at);
  if (byte < 0x80) return {kAsciiClasses[byte], 1};
  const DecodedChar decoded = DecodeChar(at, end);
  return {classes_[decoded.code_point], decoded.length};
}

// U* W+, or else U+ W*; then a contraction. `at` where neither matches.
const char* PieceSplitter::MatchLetters(const char* at, const char* end) const noexcept {
  const char* upper_end = at;
  const char* both_end = nullptr;  // the end of the last letter that is in U and in W
  Char next{CharClass::kOther, 0};
  while (upper_end != end) {
    next = At(upper_end, end);
    if (!MayBeUpper(next.char_class)) break;
    upper_end += next.length;
    if (next.char_class != CharClass::kUpper) both_end = upper_end;
  }
  if (upper_end != end && next.char_class == CharClass::kLower) {
    const char* lower_end = upper_end + next.length;
    while (lower_end != end) {
      const Char lower = At(lower_end, end);
      if (!MayBeLower(lower.char_class)) break;
      lower_end += lower.length;
    }
    return SkipContraction(lower_end, end);
  }
  // No small letter follows. U* W+ gives back capitals to end on a letter in both; without one it
  // fails, and U+ takes the capitals.
  if (both_end != nullptr) return SkipContraction(both_end, end);
  if (upper_end != at) return SkipContraction(upper_end, end);
  return at;
}

const char* PieceSplitter::MatchNumber(const char* at, const char* end) const noexcept {
  for (int digits = 0; digits < 3 && at != end; ++digits) {
    const Char next = At(at, end);
    if (next.char_class != CharClass::kNumber) break;
    at += next.length;
  }
  return at;
}

// [^\s\p{L}\p{N}]+[\r\n/]*; `at` where it does not match.
const char* PieceSplitter::MatchSymbols(const char* at, const char* end) const noexcept {
  const char* const begin = at;
  while (at != end) {
    const Char next = At(at, end);
    if (!IsSymbol(next.char_class)) break;
    at += next.length;
  }
  if (at == begin) return begin;
  while (at != end && (*at == '\r' || *at == '\n' || *at == '/')) ++at;
  return at;
}

// \s*[\r\n]+, or else \s+(?!\S), or else \s+. REQUIRES: a space or newline at `at`.
const char* PieceSplitter::MatchSpaces(const char* at, const char* end) const noexcept {
  const char* last = at;
  const char* newline_end = nullptr;
  const char* spaces_end = at;
  while (spaces_end != end) {
    const Char next = At(spaces_end, end);
    if (!IsSpace(next.char_class)) break;
    last = spaces_end;
    spaces_end += next.length;
    if (next.char_class == CharClass::kNewline) newline_end = spaces_end;
  }
  if (newline_end != nullptr) return newline_end;
  // Before text, the last space is left to it: " a" begins a word.
  return spaces_end == end || last == at ? spaces_end : last;
}

const char* PieceSplitter::PieceEnd(const char* at, const char* end) const noexcept {
  const Char first = At(at, end);
  const char* const second = at + first.length;
  switch (first.char_class) {
    case CharClass::kUpper:
    case CharClass::kLower:
    case CharClass::kLetter:
    case CharClass::kMark:  // As the optional first character it would match no further.
      return MatchLetters(at, end);
    case CharClass::kNumber:
      return MatchNumber(at, end);
    case CharClass::kNewline:
      return MatchSpaces(at, end);
    case CharClass::kSpace:
    case CharClass::kOther:
      break;
  }
  if (second != end) {
    const char* const word_end = MatchLetters(second, end);
    if (word_end != second) return word_end;
  }
  if (first.char_class == CharClass::kOther) return MatchSymbols(at, end);
  if (*at == ' ') {
    const char* const symbols_end = MatchSymbols(second, end);
    if (symbols_end != second) return symbols_end;
  }
  return MatchSpaces(at, end);
}

}  // namespace dentate::text
