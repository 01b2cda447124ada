#include "text/utf8.h"

#include <doctest/doctest.h>

#include <string>

namespace dentate::text {

std::string ToUtf8String(std::u16string_view text) {
  std::string out(text.size() * kMaxBytesPerUtf16Unit, '\0');
  out.resize(ToUtf8(text, out.data()));
  return out;
}

std::string EncodeChar(std::uint32_t code_point) {
  if (code_point < 0x10000) {
    const auto unit = static_cast<char16_t>(code_point);
    return ToUtf8String({&unit, 1});
  }
  const char16_t pair[] = {static_cast<char16_t>(0xd800 + ((code_point - 0x10000) >> 10)),
                           static_cast<char16_t>(0xdc00 + ((code_point - 0x10000) & 0x3ff))};
  return ToUtf8String({pair, 2});
}

TEST_CASE("every code point goes from UTF-16 to UTF-8 and back") {
  for (std::uint32_t code_point = 0; code_point <= 0x10ffff; ++code_point) {
    if (code_point >= 0xd800 && code_point < 0xe000) continue;
    const std::string bytes = EncodeChar(code_point);
    const DecodedChar decoded = DecodeChar(bytes.data(), bytes.data() + bytes.size());
    REQUIRE(decoded.code_point == code_point);
    REQUIRE(decoded.length == bytes.size());
    REQUIRE(Utf16UnitsBegun(bytes) == (code_point < 0x10000 ? 1 : 2));
    REQUIRE(IsAscii(bytes) == (code_point < 0x80));
  }
}

TEST_CASE("ASCII and other characters mix at every offset") {
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const std::u16string text =
          std::u16string(before, u'a') + u"\u00e9\u4e2d\U0001f600" + std::u16string(after, u'b');
      CHECK(ToUtf8String(text) == std::string(before, 'a') +
                                      "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80" +
                                      std::string(after, 'b'));
    }
  }
}

TEST_CASE("lone surrogates become U+FFFD") {
  const char16_t text[] = {'a', 0xd800, 'b', 0xdc00, 0xdc00, 0xd83d, 0xd83d, 0xde00, 0xd800};
  CHECK(ToUtf8String({text, 9}) ==
        "a\xef\xbf\xbd"
        "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80\xef\xbf\xbd");
}

TEST_CASE("bytes that are not UTF-8 are read one at a time, and never past the end") {
  const std::string whole = "\xf0\x9f\x98\x80";
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);  // its own allocation, for the sanitizer
    CHECK(DecodeChar(cut.data(), cut.data() + cut.size()).length == 1);
  }
  for (const std::string bytes :
       {"\x80", "\xc0\x80", "\xff\xff\xff\xff", "\xf4\x90\x80\x80", "\xe4\xb8g", "\xc3g"}) {
    const DecodedChar decoded = DecodeChar(bytes.data(), bytes.data() + bytes.size());
    CHECK(decoded.length == 1);
    CHECK(decoded.code_point == 0xfffd);
  }
}

}  // namespace dentate::text
