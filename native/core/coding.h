// Bytes of numbers: little-endian fixed widths and LEB128 varints, written to a growing buffer and
// read back with every bound checked.
//
//   varint    7 bits a byte, low bits first, the top bit says that more follow: 1 to 10 bytes
//   fixed32   4 bytes, little-endian
//   fixed64   8 bytes, little-endian
//
// A Decoder never reads past its end. The first read that would, or a varint that does not fit its
// type, turns it bad for good: what it then returns is 0 or empty, so that a parser checks ok()
// once after a group of reads, but before it trusts a length among them.

#ifndef DENTATE_CORE_CODING_H_
#define DENTATE_CORE_CODING_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace dentate {

inline constexpr std::size_t kMaxVarintBytes = 10;  // ceil(64 / 7)

inline void PutVarint(std::vector<std::uint8_t>& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(value));
}

// Any unsigned integer or float of 4 or 8 bytes.
template <typename T>
void PutFixed(std::vector<std::uint8_t>& out, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  std::uint64_t bits = 0;
  if constexpr (sizeof(T) == 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, &value, sizeof word);
    bits = word;
  } else {
    std::memcpy(&bits, &value, sizeof bits);
  }
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
  }
}

class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> bytes) noexcept : bytes_(bytes) {}

  bool ok() const noexcept { return ok_; }
  std::size_t remaining() const noexcept { return bytes_.size(); }

  std::uint64_t Varint() noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < kMaxVarintBytes && i < bytes_.size(); ++i) {
      const std::uint64_t bits = bytes_[i] & 0x7f;
      if (i == kMaxVarintBytes - 1 && bits > 1) break;  // would be bit 64 or more
      value |= bits << (7 * i);
      if ((bytes_[i] & 0x80) == 0) {
        bytes_ = bytes_.subspan(i + 1);
        return value;
      }
    }
    return Fail();
  }

  std::uint32_t Varint32() noexcept {
    const std::uint64_t value = Varint();
    return static_cast<std::uint32_t>(value <= UINT32_MAX ? value : Fail());
  }

  template <typename T>
  T Fixed() noexcept {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    const auto bytes = Bytes(sizeof(T));
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bits |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    }
    T value{};
    if constexpr (sizeof(T) == 4) {
      const auto word = static_cast<std::uint32_t>(bits);
      std::memcpy(&value, &word, sizeof value);
    } else {
      std::memcpy(&value, &bits, sizeof value);
    }
    return value;
  }

  // The next `count` bytes, in place.
  std::span<const std::uint8_t> Bytes(std::size_t count) noexcept {
    if (count > bytes_.size()) {
      Fail();
      return {};
    }
    const auto head = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return head;
  }

 private:
  std::uint64_t Fail() noexcept {
    ok_ = false;
    bytes_ = {};
    return 0;
  }

  std::span<const std::uint8_t> bytes_;
  bool ok_ = true;
};

}  // namespace dentate

#endif  // DENTATE_CORE_CODING_H_
