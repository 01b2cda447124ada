#include "text/token_breaks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "text/o200k_base.h"
#include "text/utf8.h"

namespace dentate::text {
namespace {

struct Range {
  std::uint32_t first, last;
};

bool Within(std::span<const Range> ranges, std::uint32_t code_point) noexcept {
  return std::any_of(ranges.begin(), ranges.end(), [code_point](const Range& range) {
    return range.first <= code_point && code_point <= range.last;
  });
}

// Characters that join what follows: Grapheme_Cluster_Break=Prepend (GB9b), and the Hangul letters
// that a syllable may go on from (GB6 to GB8).
constexpr std::array<Range, 19> kJoinsNext{{
    {0x600, 0x605},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
    {0x8e2, 0x8e2},     {0xd4e, 0xd4e},     {0x1100, 0x11ff},   {0xa960, 0xa97c},
    {0xd7b0, 0xd7fb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x111c2, 0x111c3},
    {0x113d1, 0x113d1}, {0x1193f, 0x1193f}, {0x11941, 0x11941}, {0x11a3a, 0x11a3a},
    {0x11a84, 0x11a89}, {0x11d46, 0x11d46}, {0x11f02, 0x11f02},
}};

// Characters beyond ASCII that join nothing before them: punctuation and letters of Chinese and
// Japanese (without combining marks), and whole Hangul syllables.
constexpr std::array<Range, 7> kStandAlone{{
    {0x3000, 0x3029},
    {0x3041, 0x3096},
    {0x309b, 0x30ff},
    {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},
    {0xac00, 0xd7a3},
    {0xff01, 0xff9d},
}};

bool IsAscii(char byte) noexcept { return static_cast<unsigned char>(byte) < 0x80; }
bool Continues(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// The last character, or U+0600, which joins, where the bytes do not say.
std::uint32_t LastCharacter(std::string_view bytes) noexcept {
  constexpr std::uint32_t kUnknown = 0x600;
  std::size_t at = bytes.size() - 1;
  while (at > 0 && Continues(bytes[at])) --at;
  const DecodedChar last = DecodeChar(bytes.data() + at, bytes.data() + bytes.size());
  return at + last.length == bytes.size() && last.code_point != 0xfffd ? last.code_point : kUnknown;
}

bool EndsSentence(std::string_view bytes) noexcept {
  constexpr std::string_view kClosing = "\"')]}* ";
  while (!bytes.empty() && kClosing.find(bytes.back()) != std::string_view::npos) {
    bytes.remove_suffix(1);
  }
  if (bytes.empty()) return false;
  switch (LastCharacter(bytes)) {
    case '.':
    case '!':
    case '?':
    case 0x2026:  // ellipsis
    case 0x3002:  // ideographic full stop
    case 0xff01:
    case 0xff1f:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::uint8_t TokenBreaksOf(std::string_view bytes) noexcept {
  if (bytes.empty()) return 0;
  unsigned flags = 0;
  if (!Within(kJoinsNext, LastCharacter(bytes))) flags |= kMayPrecede;
  const DecodedChar first = DecodeChar(bytes.data(), bytes.data() + bytes.size());
  if (IsAscii(bytes.front()) ? bytes.front() != '\n' : Within(kStandAlone, first.code_point)) {
    flags |= kMayFollow;
  }
  if (bytes.front() == ' ') flags |= kStartsSpace;
  if (bytes.back() == '\n') {
    flags |= kEndsLine;
    if (std::count(bytes.begin(), bytes.end(), '\n') > 1) flags |= kEndsBlock;
  }
  if (EndsSentence(bytes)) flags |= kEndsSentence;
  return static_cast<std::uint8_t>(flags);
}

std::vector<std::uint8_t> TokenBreaksOf(const Vocabulary& vocabulary) {
  std::vector<std::uint8_t> breaks(vocabulary.size());
  for (std::uint32_t id = 0; id < vocabulary.size(); ++id) {
    breaks[id] = TokenBreaksOf(vocabulary.Bytes(id));
  }
  return breaks;
}

std::span<const std::uint8_t> O200kBaseBreaks() {
  const auto vocabulary = O200kBase();
  if (vocabulary == nullptr) return {};
  static const std::vector<std::uint8_t> breaks = TokenBreaksOf(*vocabulary);
  return breaks;
}

void CutTokens(std::span<const std::uint32_t> tokens, std::span<const std::uint8_t> breaks,
               std::uint32_t target, std::vector<std::uint32_t>& ends) {
  const auto flags = [&](std::size_t i) -> unsigned {
    return tokens[i] < breaks.size() ? breaks[tokens[i]] : 0U;
  };
  // How good a place before token `at` is, between -1 and 4; negative: none.
  const auto strength = [&](std::size_t at) -> double {
    const unsigned before = flags(at - 1);
    const unsigned after = flags(at);
    if ((before & kMayPrecede) == 0 || (after & kMayFollow) == 0) return -1;
    if ((before & kEndsBlock) != 0) return 4;
    if ((before & kEndsLine) != 0) return 3;
    if ((before & kEndsSentence) != 0 && (after & kStartsSpace) != 0) return 2;
    return (after & kStartsSpace) != 0 ? 1 : 0.25;
  };
  ends.clear();
  const std::size_t least = std::max<std::size_t>(1, target / 2);
  const std::size_t most = target + least;
  std::size_t begin = 0;
  while (tokens.size() - begin > most) {
    std::size_t best = 0;
    double best_value = -1e9;
    for (std::size_t at = begin + least; at + least <= tokens.size(); ++at) {
      if (at > begin + most && best != 0) break;
      const double place = strength(at);
      if (place < 0) continue;
      const double off = std::abs(static_cast<double>(at - begin) - static_cast<double>(target));
      const double value = place - 4 * off / static_cast<double>(target);
      if (value <= best_value) continue;
      best_value = value;
      best = at;
    }
    if (best == 0) break;
    ends.push_back(static_cast<std::uint32_t>(best));
    begin = best;
  }
  ends.push_back(static_cast<std::uint32_t>(tokens.size()));
}

}  // namespace dentate::text
