// What surfaces of words became, remembered: text repeats its words (Zipf's law).
//
// A surface belongs to a set of two slots, which hold the last two that were made:
//
//   slot, 64 bytes   | stem: 8 | pieces: 6 x 4 | surface: 29 | its length | pieces' count | rows |
//   signatures_      | words of 64 bits, as many a slot as a signature has |
//
// Longer surfaces and words of more pieces are made anew each time: there are few.
//
// For encoders whose row of a word depends on the word alone, and for words of one row at most.
//
// Cost: two cache lines, which can be asked for ahead. Space: 2 MB of slots, and 512 KB for 128
// bits.
//
// Threads. One object a thread.

#ifndef DENTATE_SIGNATURES_ROW_CACHE_H_
#define DENTATE_SIGNATURES_ROW_CACHE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "signatures/encoder.h"

namespace dentate::signatures {

class RowCache {
 public:
  class alignas(64) Slot {
   public:
    bool Holds(std::string_view surface) const noexcept {
      return length_ == surface.size() && std::memcmp(surface_, surface.data(), length_) == 0;
    }
    // It has no row.
    bool IsStop() const noexcept { return rows_ == 0; }

   private:
    friend class RowCache;
    static constexpr std::size_t kMaxPieces = 6;
    static constexpr std::size_t kMaxLength = 29;

    std::uint64_t stem_ = 0;
    std::uint32_t pieces_[kMaxPieces] = {};
    char surface_[kMaxLength] = {};
    std::uint8_t length_ = 0;  // 0: empty
    std::uint8_t piece_count_ = 0;
    std::uint8_t rows_ = 0;
  };
  static_assert(sizeof(Slot) == 64, "one cache line");

  // `words`: of 64 bits a signature.
  explicit RowCache(std::size_t words)
      : words_(words), slots_(kSlots), signatures_(kSlots * words) {}

  using Set = std::uint32_t;
  // REQUIRES: surface.size() > 0.
  static Set SetOf(std::string_view surface) noexcept {
    return static_cast<Set>(HashOf(surface) >> (64 - kSetBits));
  }
  void Prefetch(Set set) const noexcept {
    __builtin_prefetch(&slots_[2 * std::size_t{set}]);
    __builtin_prefetch(&slots_[2 * std::size_t{set} + 1]);
  }
  // Null where it is not remembered.
  const Slot* Find(Set set, std::string_view surface) const noexcept {
    const Slot* const slot = &slots_[2 * std::size_t{set}];
    return slot[0].Holds(surface) ? slot : slot[1].Holds(surface) ? slot + 1 : nullptr;
  }

  // Adds the row, but for word_of. REQUIRES: !slot.IsStop().
  void Append(const Slot& slot, EncodedText& codes) const {
    const auto* signature = &signatures_[static_cast<std::size_t>(&slot - slots_.data()) * words_];
    codes.signatures.insert(codes.signatures.end(), signature, signature + words_);
    codes.stems.push_back(slot.stem_);
    codes.pieces.insert(codes.pieces.end(), slot.pieces_, slot.pieces_ + slot.piece_count_);
    codes.piece_counts.push_back(slot.piece_count_);
  }

  // Remembers a surface that was not found, if it fits: its row is the last one of `codes`, or it
  // has none.
  void Keep(Set set, std::string_view surface, bool has_row, const EncodedText& codes) {
    const std::size_t pieces = has_row ? codes.piece_counts.back() : 0;
    if (surface.size() > Slot::kMaxLength || pieces > Slot::kMaxPieces) return;
    const std::size_t first = 2 * std::size_t{set};
    slots_[first + 1] = slots_[first];
    const auto signature = signatures_.begin() + static_cast<std::ptrdiff_t>(first * words_);
    const auto word_count = static_cast<std::ptrdiff_t>(words_);
    std::copy_n(signature, word_count, signature + word_count);
    Slot& slot = slots_[first];
    std::copy(surface.begin(), surface.end(), slot.surface_);
    slot.length_ = static_cast<std::uint8_t>(surface.size());
    slot.rows_ = has_row ? 1 : 0;
    slot.piece_count_ = static_cast<std::uint8_t>(pieces);
    if (!has_row) return;
    slot.stem_ = codes.stems.back();
    std::copy(codes.pieces.end() - static_cast<std::ptrdiff_t>(pieces), codes.pieces.end(),
              slot.pieces_);
    std::copy(codes.signatures.end() - word_count, codes.signatures.end(), signature);
  }

 private:
  static constexpr unsigned kSetBits = 14;
  static constexpr std::size_t kSlots = std::size_t{2} << kSetBits;

  // Of the length, and of the first and last eight, or four, bytes.
  static std::uint64_t HashOf(std::string_view surface) noexcept {
    const char* const end = surface.data() + surface.size();
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (surface.size() >= 8) {
      std::memcpy(&first, surface.data(), 8);
      std::memcpy(&last, end - 8, 8);
    } else if (surface.size() >= 4) {
      std::memcpy(&first, surface.data(), 4);
      std::memcpy(&last, end - 4, 4);
    } else {
      for (const char c : surface) first = first << 8 | static_cast<unsigned char>(c);
    }
    std::uint64_t hash = (first ^ surface.size()) * 0x9e3779b97f4a7c15U;
    hash = ((hash ^ hash >> 32) + last) * 0xbf58476d1ce4e5b9U;
    return hash ^ hash << 32;
  }

  const std::size_t words_;
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> signatures_;  // by slot
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_ROW_CACHE_H_
