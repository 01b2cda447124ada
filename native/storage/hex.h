// Bytes from lower-case hex digits, two each: ids and hashes in names of files. Back: ToHex
// (sha256.h).

#ifndef DENTATE_STORAGE_HEX_H_
#define DENTATE_STORAGE_HEX_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace dentate::storage {

// False unless `text` is exactly as many lower-case digits as fill `bytes`.
inline bool FromHex(std::string_view text, std::span<std::uint8_t> bytes) noexcept {
  if (text.size() != bytes.size() * 2) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool decimal = c >= '0' && c <= '9';
    if (!decimal && !(c >= 'a' && c <= 'f')) return false;
    const auto digit = static_cast<std::uint8_t>(decimal ? c - '0' : c - 'a' + 10);
    bytes[i / 2] = i % 2 == 0 ? static_cast<std::uint8_t>(digit << 4)
                              : static_cast<std::uint8_t>(bytes[i / 2] | digit);
  }
  return true;
}

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_HEX_H_
