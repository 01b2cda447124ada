// The eight classes of characters that the o200k_base pattern tells apart.
//
// Layout. Two stages: a byte for each block of 128 code points says which row of 128 classes the
// block has; equal blocks share a row.
//
//   code point   | block: 14 bits (8,704) | offset: 7 bits |
//                          |
//   row_of_block_[block] --+--> rows_[row * 128 + offset]
//
// Cost. Two dependent loads; 17 KB and 34 KB, of which one script touches a few lines. ASCII has a
// table of its own. Built once from kClassRuns, in about 0.1 ms.

#ifndef DENTATE_TEXT_CHAR_CLASS_H_
#define DENTATE_TEXT_CHAR_CLASS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dentate::text {

// The order is that of CLASSES in scripts/unicode-tables.mjs.
enum class CharClass : std::uint8_t {
  kOther = 0,  // none of the below: punctuation, symbols, controls, unassigned.
  kNewline,    // CR and LF.
  kSpace,      // other White_Space.
  kNumber,     // N
  kMark,       // M
  kUpper,      // Lu, Lt
  kLower,      // Ll
  kLetter,     // Lm, Lo: neither upper nor lower, and so both in the pattern.
};

class CharClassTable {
 public:
  // The one table of the process. Any thread.
  static const CharClassTable& Instance();

  // REQUIRES: code_point <= 0x10ffff.
  CharClass operator[](std::uint32_t code_point) const noexcept {
    const std::size_t row = row_of_block_[code_point / kBlockSize];
    return rows_[row * kBlockSize + code_point % kBlockSize];
  }

  std::size_t SizeInBytes() const noexcept { return sizeof(*this) + rows_.size(); }

 private:
  static constexpr std::size_t kCodePoints = 0x110000;
  static constexpr std::size_t kBlockSize = 128;
  static constexpr std::size_t kBlocks = kCodePoints / kBlockSize;
  static_assert(kBlocks == 8704 && kBlocks * kBlockSize == kCodePoints, "the drawing above");

  CharClassTable();

  std::array<std::uint16_t, kBlocks> row_of_block_{};
  std::vector<CharClass> rows_;
};

}  // namespace dentate::text

#endif  // DENTATE_TEXT_CHAR_CLASS_H_
