// The tokens of a byte-pair encoding: bytes to id, which is also the merge rank, and back.
//
// Layout. Ids are dense. The bytes of all tokens lie one after the other; an open-addressing hash
// table of 16-byte slots finds a token by its bytes:
//
//   slot   | key: 64 bits                          | id: 32 bits | length: 32 bits |
//            up to 8 bytes: the bytes themselves     0 in an empty slot ----^
//            longer: a hash of them
//
// Most tokens have up to 8 bytes (74% of o200k_base), and are found or refused from the slot alone.
// Two bytes, where every merge begins, have a direct table of their own.
//
// Cost. A look-up is one cache line, two for longer tokens; Parse of o200k_base's 3.6 MB takes
// about 26 ms. Space for its 199,998 tokens: 8 MB of slots, 1.4 MB of bytes, 1.3 MB of the rest.
//
// Threads. Immutable once parsed; shared by all environments of the process.

#ifndef DENTATE_TEXT_VOCABULARY_H_
#define DENTATE_TEXT_VOCABULARY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace dentate::text {

class Vocabulary {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::size_t kMaxTokenLength = 255;  // in bytes; o200k_base's longest has 128
  static constexpr std::size_t kMaxTokens = 1 << 20;
  // Readable bytes after any token's, so that a copy may be of whole 16-byte blocks.
  static constexpr std::size_t kPadding = 16;

  // Reads a rank file: lines of base64, a space, the decimal rank. kCorruption, naming the line,
  // unless each rank from 0 up occurs once, each token once, and each single byte is a token.
  static Status Parse(std::string_view file, std::shared_ptr<const Vocabulary>* vocabulary);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(offsets_.size() - 1); }
  std::size_t MaxTokenLength() const noexcept { return max_token_length_; }

  // The id of the token with exactly these bytes, or kNone.
  std::uint32_t Find(std::string_view bytes) const noexcept;
  // Asks for the memory that Find of these bytes reads first.
  void Prefetch(std::string_view bytes) const noexcept;
  std::uint32_t FindByte(char byte) const noexcept {
    return singles_[static_cast<unsigned char>(byte)];
  }
  std::uint32_t FindPair(char first, char second) const noexcept {
    return pairs_[PairIndex(first, second)];
  }

  // REQUIRES: id < size().
  std::string_view Bytes(std::uint32_t id) const noexcept {
    return {bytes_.data() + offsets_[id], offsets_[id + 1] - offsets_[id]};
  }
  // UTF-16 units of the characters that begin in the token. REQUIRES: id < size().
  std::uint32_t Utf16UnitsBegun(std::uint32_t id) const noexcept { return units_begun_[id]; }

  // A hash of all tokens in the order of their ids: which vocabulary this is.
  std::uint64_t Fingerprint() const noexcept;
  std::size_t SizeInBytes() const noexcept;

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t id;
    std::uint32_t length;
  };
  static_assert(sizeof(Slot) == 16, "the drawing above");

  Status Index();
  static std::uint64_t KeyOf(std::string_view bytes) noexcept;
  std::size_t FirstSlot(std::uint64_t key, std::size_t length) const noexcept;
  static std::size_t PairIndex(char first, char second) noexcept {
    return static_cast<std::size_t>(static_cast<unsigned char>(first)) << 8 |
           static_cast<unsigned char>(second);
  }

  std::string bytes_;
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint8_t> units_begun_;
  std::array<std::uint32_t, 256> singles_{};
  std::vector<std::uint32_t> pairs_;
  std::vector<Slot> slots_;
  unsigned slot_bits_ = 0;
  std::size_t max_token_length_ = 0;
};

}  // namespace dentate::text

#endif  // DENTATE_TEXT_VOCABULARY_H_
