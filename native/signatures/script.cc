#include "signatures/script.h"

#include <algorithm>
#include <iterator>

namespace dentate::signatures {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Ascending. Blocks of the scripts named in script.h, as of Unicode 15.
constexpr Range kPairRanges[] = {
    {0x0E00, 0x0EFF},    // Thai, Lao
    {0x1000, 0x109F},    // Myanmar
    {0x1100, 0x11FF},    // Hangul Jamo
    {0x1780, 0x17FF},    // Khmer
    {0x1950, 0x19FF},    // Tai Le, New Tai Lue, Khmer symbols
    {0x1A20, 0x1AAF},    // Tai Tham
    {0x2E80, 0x2FDF},    // CJK and Kangxi radicals
    {0x3005, 0x3007},    // ideographic iteration mark, closing mark, zero
    {0x3040, 0x30FF},    // Hiragana, Katakana
    {0x3130, 0x318F},    // Hangul compatibility Jamo
    {0x31F0, 0x31FF},    // Katakana extensions
    {0x3400, 0x4DBF},    // CJK extension A
    {0x4E00, 0x9FFF},    // CJK
    {0xA960, 0xA97F},    // Hangul Jamo extended A
    {0xAA60, 0xAADF},    // Myanmar extended A, Tai Viet
    {0xAC00, 0xD7FF},    // Hangul syllables, Jamo extended B
    {0xF900, 0xFAFF},    // CJK compatibility
    {0x1AFF0, 0x1B16F},  // Kana extensions
    {0x20000, 0x3FFFF},  // CJK extensions B and later
};

bool IsContinuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

}  // namespace

bool HasPairs(char32_t code_point) noexcept {
  const auto* range =
      std::upper_bound(std::begin(kPairRanges), std::end(kPairRanges), code_point,
                       [](char32_t value, const Range& r) { return value <= r.last; });
  return range != std::end(kPairRanges) && code_point >= range->first;
}

CodePoint DecodeAt(std::string_view text, std::size_t at) noexcept {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t value = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text, at + i)) return {lead, 1};
    value = (value << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  return {value, length};
}

void CharacterOffsets(std::string_view text, std::vector<std::size_t>& offsets) {
  offsets.clear();
  std::size_t at = 0;
  while (at < text.size()) {
    offsets.push_back(at);
    at += DecodeAt(text, at).length;
  }
  offsets.push_back(at);
}

}  // namespace dentate::signatures
