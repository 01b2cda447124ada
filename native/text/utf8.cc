#include "text/utf8.h"

#include <cstring>

namespace dentate::text {
namespace {

constexpr std::size_t kUnitsPerStep = 8;

// Copies 8 units as bytes if all are ASCII. Written so that the compiler makes three SIMD
// instructions of it.
inline bool CopyAscii(const char16_t* from, char* to) noexcept {
  std::uint64_t words[2];
  std::memcpy(words, from, sizeof(words));
  if (((words[0] | words[1]) & 0xff80ff80ff80ff80) != 0) return false;
  for (std::size_t i = 0; i < kUnitsPerStep; ++i) to[i] = static_cast<char>(from[i]);
  return true;
}

inline char* WriteChar(std::uint32_t code_point, char* out) noexcept {
  const auto put = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    put(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    put(0xe0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3f));
    put(0x80 | (code_point & 0x3f));
  } else {
    put(0xf0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3f));
    put(0x80 | (code_point >> 6 & 0x3f));
    put(0x80 | (code_point & 0x3f));
  }
  return out;
}

}  // namespace

std::size_t ToUtf8(std::u16string_view text, char* out) noexcept {
  const char16_t* at = text.data();
  const char16_t* const end = at + text.size();
  char* const begin = out;
  while (at != end) {
    while (end - at >= static_cast<std::ptrdiff_t>(kUnitsPerStep) && CopyAscii(at, out)) {
      at += kUnitsPerStep;
      out += kUnitsPerStep;
    }
    if (at == end) break;
    std::uint32_t code_point = *at++;
    if (code_point >= 0xd800 && code_point < 0xe000) {
      const bool pair = code_point < 0xdc00 && at != end && *at >= 0xdc00 && *at < 0xe000;
      code_point = pair ? 0x10000 + ((code_point - 0xd800) << 10) + (*at++ - 0xdc00u) : 0xfffd;
    }
    out = WriteChar(code_point, out);
  }
  return static_cast<std::size_t>(out - begin);
}

bool IsAscii(std::string_view bytes) noexcept {
  unsigned char seen = 0;
  for (const char byte : bytes) seen |= static_cast<unsigned char>(byte);
  return seen < 0x80;
}

std::size_t Utf16UnitsBegun(std::string_view bytes) noexcept {
  std::size_t units = 0;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    if ((value & 0xc0) != 0x80) units += value >= 0xf0 ? 2 : 1;
  }
  return units;
}

}  // namespace dentate::text
