#include "text/plain_words.h"

#include <algorithm>
#include <array>

#include "text/porter_stem.h"
#include "text/utf8.h"

namespace dentate::text {
namespace {

// As in words.ts.
constexpr std::size_t kMaxWord = 128;
constexpr std::size_t kMaxIdentifier = 64;

enum Kind : std::uint8_t { kSeparator, kLower, kUpper, kDigit, kUnderscore };

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (char c = 'a'; c <= 'z'; ++c) kinds[static_cast<unsigned char>(c)] = kLower;
  for (char c = 'A'; c <= 'Z'; ++c) kinds[static_cast<unsigned char>(c)] = kUpper;
  for (char c = '0'; c <= '9'; ++c) kinds[static_cast<unsigned char>(c)] = kDigit;
  kinds[static_cast<unsigned char>('_')] = kUnderscore;
  return kinds;
}();

Kind KindOf(char c) noexcept { return kKinds[static_cast<unsigned char>(c)]; }

// 0, which is a separator, past the end.
char At(std::string_view text, std::size_t at) noexcept {
  return at < text.size() ? text[at] : '\0';
}

bool IsLetterOrDigit(char c) noexcept {
  const Kind kind = KindOf(c);
  return kind == kLower || kind == kUpper || kind == kDigit;
}
bool IsDigit(char c) noexcept { return c >= '0' && c <= '9'; }

// Beyond ASCII: the same as PLAIN in src/text/plain-text.ts.
bool IsPlain(std::uint32_t code_point) noexcept {
  switch (code_point) {
    case 0xa0:    // no-break space
    case 0xa3:    // pound
    case 0xab:    // «
    case 0xb0:    // degree
    case 0xb7:    // middle dot
    case 0xbb:    // »
    case 0xd7:    // multiplication sign
    case 0x20ac:  // euro
    case 0x2192:  // arrow to the right
    case 0x2212:  // minus
      return true;
    default:  // dashes, quotation marks, daggers, bullets, ellipsis
      return (code_point >= 0x2010 && code_point <= 0x2027);
  }
}

constexpr std::string_view kCurlyQuote = "\xe2\x80\x99";

// Of a quotation mark that may come within a word: its length in bytes, or 0.
std::size_t QuoteAt(std::string_view text, std::size_t at) noexcept {
  if (At(text, at) == '\'') return 1;
  return text.substr(std::min(at, text.size())).starts_with(kCurlyQuote) ? kCurlyQuote.size() : 0;
}

// Of an English ending after a quotation mark at `at`: its length with that mark, or 0.
std::size_t CliticAt(std::string_view text, std::size_t at) noexcept {
  const std::size_t quote = QuoteAt(text, at);
  if (quote == 0) return 0;
  const auto lower = [&](std::size_t i) {
    const char c = At(text, at + quote + i);
    return KindOf(c) == kUpper ? static_cast<char>(c | 0x20) : c;
  };
  const char first = lower(0);
  const char second = lower(1);
  std::size_t length = 0;
  if (((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l')) {
    length = 2;
  } else if (first == 's' || first == 't' || first == 'd' || first == 'm') {
    length = 1;
  } else {
    return 0;
  }
  const std::size_t end = at + quote + length;
  if (IsLetterOrDigit(At(text, end)) || QuoteAt(text, end) != 0) return 0;
  return quote + length;
}

// How many digits there are at `at`, at most `most`.
std::size_t DigitsAt(std::string_view text, std::size_t at, std::size_t most) noexcept {
  std::size_t count = 0;
  while (count < most && IsDigit(At(text, at + count))) ++count;
  return count;
}

// (?!,?\d)
bool EndsNumber(std::string_view text, std::size_t at) noexcept {
  return !IsDigit(At(text, at)) && !(At(text, at) == ',' && IsDigit(At(text, at + 1)));
}

// (?:,\d{3}){1,8}(?:\.\d{1,20})?(?!,?\d)|(?:\.\d{1,20}){1,8}  The end of it, or `at`.
std::size_t NumberTail(std::string_view text, std::size_t at) noexcept {
  std::size_t groups = 0;
  while (groups < 8 && At(text, at + 4 * groups) == ',' &&
         DigitsAt(text, at + 4 * groups + 1, 3) == 3) {
    ++groups;
  }
  for (; groups > 0; --groups) {
    const std::size_t end = at + 4 * groups;
    if (At(text, end) == '.') {
      for (std::size_t digits = DigitsAt(text, end + 1, 20); digits > 0; --digits) {
        if (EndsNumber(text, end + 1 + digits)) return end + 1 + digits;
      }
    }
    if (EndsNumber(text, end)) return end;
  }
  std::size_t end = at;
  for (int i = 0; i < 8 && At(text, end) == '.'; ++i) {
    const std::size_t digits = DigitsAt(text, end + 1, 20);
    if (digits == 0) break;
    end += 1 + digits;
  }
  return end;
}

// (?:\.[\p{Ll}\d][\p{L}\d_-]*)+  The end of it, or `at`.
std::size_t DottedTail(std::string_view text, std::size_t at) noexcept {
  while (At(text, at) == '.') {
    const Kind first = KindOf(At(text, at + 1));
    if (first != kLower && first != kDigit) break;
    at += 2;
    while (KindOf(At(text, at)) != kSeparator || At(text, at) == '-') ++at;
  }
  return at;
}

// Whether the underscore at `at` is followed by a letter or digit, after three more at most.
bool ContinuesName(std::string_view text, std::size_t at) noexcept {
  std::size_t next = at + 1;
  while (next < at + 4 && At(text, next) == '_') ++next;
  return IsLetterOrDigit(At(text, next));
}

// The words of src/text/stop-words.ts by their letters, of which none has more than five.
constexpr std::size_t kMaxStopWord = 5;

constexpr std::uint64_t StopKey(std::string_view word) noexcept {
  std::uint64_t key = 0;
  for (const char c : word) key = key << 8 | static_cast<unsigned char>(c);
  return key;
}
constexpr std::size_t StopSlot(std::uint64_t key) noexcept {
  return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15U >> 56);
}

constexpr std::array<std::uint64_t, 256> kStopWords = [] {
  constexpr std::string_view kWords =
      "a an and are as at be but by did do does for from had has have he her his how i if in into "
      "is it its me my no not of on or our she so than that the their them then there these they "
      "this those to was we were what when where which who whom why will with would you your";
  std::array<std::uint64_t, 256> table{};
  for (std::size_t at = 0; at < kWords.size();) {
    const std::size_t end = std::min(kWords.find(' ', at), kWords.size());
    const std::uint64_t key = StopKey(kWords.substr(at, end - at));
    std::size_t slot = StopSlot(key);
    while (table[slot] != 0) slot = (slot + 1) % table.size();
    table[slot] = key;
    at = end + 1;
  }
  return table;
}();

bool IsStopWord(std::string_view folded) noexcept {
  if (folded.size() > kMaxStopWord) return false;
  const std::uint64_t key = StopKey(folded);
  for (std::size_t slot = StopSlot(key); kStopWords[slot] != 0;
       slot = (slot + 1) % kStopWords.size()) {
    if (kStopWords[slot] == key) return true;
  }
  return false;
}

// The word's stem, in place.
void StemFolded(std::string& word) {
  if (std::all_of(word.begin(), word.end(), [](char c) { return KindOf(c) == kLower; })) {
    word.resize(PorterStem(word.data(), word.size()));
    return;
  }
  // ^(\d+)(?:st|nd|rd|th)$
  if (word.size() < 3) return;
  const std::string_view number = std::string_view(word).substr(0, word.size() - 2);
  const std::string_view ending = std::string_view(word).substr(word.size() - 2);
  if ((ending == "st" || ending == "nd" || ending == "rd" || ending == "th") &&
      std::all_of(number.begin(), number.end(), IsDigit)) {
    word.resize(number.size());
  }
}

}  // namespace

void FoldPlain(std::string_view surface, PlainWord& word) {
  word.text.clear();
  for (const char c : surface) {
    // A comma is one within a number.
    if (c != ',') word.text.push_back(KindOf(c) == kUpper ? static_cast<char>(c | 0x20) : c);
  }
  if (IsStopWord(word.text)) word.text.clear();
  word.stem = word.text;
  StemFolded(word.stem);
}

void PlainWords::Push(std::size_t start, std::size_t end) {
  surfaces_.push_back({static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end - start)});
}

// The run of letters and digits at `start`; returns where to go on.
std::size_t PlainWords::PushRun(std::string_view text, std::size_t start) {
  std::size_t end = start;
  Kind previous = kSeparator;
  Kind before_that = kSeparator;
  bool is_identifier = false;
  bool is_number = true;
  for (const std::size_t limit = std::min(text.size(), start + kMaxWord); end < limit; ++end) {
    const Kind kind = KindOf(text[end]);
    if (kind == kSeparator) break;
    if (kind == kUnderscore) {
      if (!ContinuesName(text, end)) break;
      is_identifier = true;
    } else if (kind == kUpper) {
      is_identifier |= previous == kLower;
    } else if (kind == kLower) {
      is_identifier |= previous == kUpper && before_that == kUpper;
    }
    is_number &= kind == kDigit;
    before_that = previous;
    previous = kind;
  }
  const char next = At(text, end);
  if (is_number && (next == '.' || next == ',')) {
    const std::size_t number_end = NumberTail(text, end);
    if (number_end != end) {
      Push(start, number_end);
      return number_end;
    }
  }
  if (const std::size_t clitic = CliticAt(text, end); clitic != 0) {
    const std::size_t after = end + clitic;
    if (previous == kLower && (text[after - 1] | 0x20) == 't') {
      // "don't": a negated auxiliary, never content.
      Push(start, start);
    } else {
      Push(start, end);
    }
    return after;
  }
  if (end - start == 1) {
    // "C++", "C#"
    if (next == '+' && At(text, end + 1) == '+') {
      end += 2;
    } else if (next == '#') {
      end += 1;
    }
  }
  if (next == '.') PushDottedName(text, start, end);
  Push(start, end);
  if (is_identifier && end - start <= kMaxIdentifier) {
    PushParts(text.substr(start, end - start), start);
  }
  return end;
}

// Cut at _+ and before a capital that follows a small letter, or a capital and is followed by two
// small ones.
void PlainWords::PushParts(std::string_view identifier, std::size_t start) {
  const auto kind = [&](std::size_t i) { return KindOf(At(identifier, i)); };
  const auto is_boundary = [&](std::size_t i) {
    return kind(i) == kUpper &&
           (kind(i - 1) == kLower ||
            (kind(i - 1) == kUpper && kind(i + 1) == kLower && kind(i + 2) == kLower));
  };
  for (std::size_t at = 0; at < identifier.size();) {
    std::size_t end = at + 1;
    while (end < identifier.size() && kind(end) != kUnderscore && !is_boundary(end)) ++end;
    if (at == 0 && end == identifier.size()) return;
    Push(start + at, start + end);
    at = end;
    while (kind(at) == kUnderscore) ++at;
  }
}

// A name such as "config.yaml" whole, where [start, end) is its first part.
void PlainWords::PushDottedName(std::string_view text, std::size_t start, std::size_t end) {
  const bool is_first = start < 2 || text[start - 1] != '.' || !IsLetterOrDigit(text[start - 2]);
  const std::size_t length = end - start;
  if (!is_first || length < 2 || length > kMaxIdentifier || !IsLetterOrDigit(text[end - 1])) return;
  const std::size_t tail = DottedTail(text, end) - end;
  if (tail > 0 && tail <= kMaxIdentifier) Push(start, end + tail);
}

bool PlainWords::Cut(std::string_view text) {
  surfaces_.clear();
  const char* const data = text.data();
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) >= 0x80) {
      const DecodedChar decoded = DecodeChar(data + at, data + text.size());
      if (!IsPlain(decoded.code_point)) {
        surfaces_.clear();
        return false;
      }
      at += decoded.length;
    } else if (const Kind kind = KindOf(text[at]); kind == kSeparator || kind == kUnderscore) {
      ++at;
    } else {
      at = PushRun(text, at);
    }
  }
  return true;
}

}  // namespace dentate::text
