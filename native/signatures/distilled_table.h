// Vectors of English word pieces, distilled from a sentence model by scripts/distill.mjs.
//
// File (little-endian; R rows sorted by text, D dimensions):
//
//    offset      size   field
//         0         8   "DNTWORD1"
//         8         4   R
//        12         4   D
//        16         4   bytes of all texts
//        20         4   0
//        24       2·R   scale of each row: its vector is int8 · scale / 256, in 1/kUnit
//               2·R     weight of each row in a text's mean vector, 0 to 1023
//                 R     length of each text
//                       the texts, one after another; "##ing" continues a word
//                       zeros up to a multiple of 64
//               R·D     int8 vectors, row-major
//
// A word is cut into the longest pieces from its start on (WordPiece); its vector is their mean,
// its weight the largest of theirs. Where no piece has more than one letter the table knows
// nothing of the word, and Cut says so: then the word has no pieces, and for a vector a row of
// random bytes drawn from its stem's key, so that it is like itself and like nothing else. It has
// the full weight.
//
// A component is at most kUnit, and D at most 256: then nothing that is computed from any table,
// even a wrong one, overflows 32 bits (sign_projection.h).
//
// Immutable after FromBytes: any thread. Cost: a few hash look-ups to cut a word; a weighted vector
// of 192 dimensions 10 to 30 ns a piece, one that is drawn 70 ns.
//
// Source: Y. Wu et al., "Google's neural machine translation system" (2016), for the cutting.

#ifndef DENTATE_SIGNATURES_DISTILLED_TABLE_H_
#define DENTATE_SIGNATURES_DISTILLED_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "signatures/word_vectors.h"

namespace dentate::signatures {

class DistilledTable final : public WordVectors {
 public:
  static constexpr std::size_t kHeaderBytes = 24;
  static constexpr std::uint32_t kMaxWeight = 1023;
  static constexpr std::size_t kMaxDimensions = 256;

  // Copies and checks `bytes`. kCorruption where they are not such a table.
  static Status FromBytes(std::span<const std::uint8_t> bytes,
                          std::shared_ptr<const DistilledTable>& table);

  std::size_t dimensions() const noexcept override { return dimensions_; }
  std::size_t rows() const noexcept { return rows_; }

  // Replaces `pieces` by the rows that `word` consists of: none, unless it consists of the letters
  // a to z and has a piece of two letters or more.
  void Cut(std::string_view word, std::vector<std::uint32_t>& pieces) const;

  // The vector, of a length about kUnit or less, of the word that consists of these pieces; of one
  // without pieces, what is drawn from its stem. REQUIRES: vector.size() == dimensions().
  void Vector(std::span<const std::uint32_t> pieces, std::uint64_t stem,
              std::span<std::int32_t> vector) const;

  void AddWeighted(std::span<const std::uint32_t> pieces, std::uint64_t stem,
                   std::span<std::int32_t> sum) const override;
  void Prefetch(std::span<const std::uint32_t> pieces) const noexcept override;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::size_t kMaxPieceBytes = 32;
  static constexpr std::size_t kMaxWordBytes = 64;
  static constexpr int kFactorBits = 9;  // of scale * weight, that an int16 has no room for

  DistilledTable() = default;
  std::uint32_t ScaleOf(std::uint32_t row) const noexcept;
  std::uint32_t WeightOf(std::uint32_t row) const noexcept;
  std::uint32_t RowOf(std::string_view text, bool continues) const;
  std::size_t SlotOf(std::string_view text, bool continues) const;
  std::string_view TextOf(std::uint32_t row) const noexcept;

  std::vector<std::uint8_t> bytes_;
  std::size_t rows_ = 0;
  std::size_t dimensions_ = 0;
  std::uint32_t drawn_scale_ = 0;  // of a row of random bytes
  const std::uint8_t* scales_ = nullptr;
  const std::uint8_t* weights_ = nullptr;
  const std::int8_t* vectors_ = nullptr;
  std::size_t longest_ = 0;                  // letters of the longest piece
  std::vector<std::uint32_t> text_offsets_;  // rows_ + 1, in bytes_
  std::vector<std::uint32_t> slots_;         // open addressing, power of two, at most half full
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_DISTILLED_TABLE_H_
