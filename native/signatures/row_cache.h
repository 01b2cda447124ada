// What surfaces of words became, remembered: text repeats its words (Zipf's law).
//
// A surface belongs to a set of four slots, and to each slot a tag of its surface's hash, 16 bits,
// 0 where the slot is empty:
//
//   tags_        by set: four tags in 64 bits
//   slots_       of 64 bytes: stem: 8 | pieces: 6 x 4 | surface: 29 | lengths and counts: 3
//   signatures_  words of 64 bits, as many a slot as a signature has
//
// The tags say which slot to look at, if any: they are small enough to stay in the processor's
// second cache. A full set gives up one of its slots, each in its turn.
//
// Longer surfaces and words of more pieces are made anew each time: there are few.
//
// For encoders whose row of a word depends on the word alone, and for words of one row at most.
//
// Cost: a line of tags, one of a slot and one of signatures; the first two can be asked for ahead.
// Of conversation that draws 27,000 surfaces by Zipf's law 0.8% are not remembered; in half as many
// sets, or ways, 6%, each of which costs as much as 20 others. Space: 128 KB of tags, 4 MB of
// slots, and 1 MB for 128 bits.
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
      : words_(words), tags_(kSets), slots_(kSets * kWays), signatures_(slots_.size() * words) {}

  struct Key {
    std::uint32_t set = 0;
    std::uint16_t tag = 0;
  };
  // Longer ones are not remembered.
  static bool Takes(std::string_view surface) noexcept {
    return surface.size() <= Slot::kMaxLength;
  }
  // REQUIRES: surface.size() > 0.
  static Key KeyOf(std::string_view surface) noexcept {
    const std::uint64_t hash = HashOf(surface);
    return {static_cast<std::uint32_t>(hash >> (64 - kSetBits)),
            static_cast<std::uint16_t>(hash >> 32 | 1)};
  }
  void Prefetch(Key key) const noexcept {
    for (std::size_t way = 0; way < kWays; ++way) {
      if (TagAt(key.set, way) == key.tag) __builtin_prefetch(&slots_[SlotAt(key.set, way)]);
    }
  }
  // Null where it is not remembered.
  const Slot* Find(Key key, std::string_view surface) const noexcept {
    for (std::size_t way = 0; way < kWays; ++way) {
      if (TagAt(key.set, way) != key.tag) continue;
      const Slot& slot = slots_[SlotAt(key.set, way)];
      if (slot.Holds(surface)) return &slot;
    }
    return nullptr;
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
  void Keep(Key key, std::string_view surface, bool has_row, const EncodedText& codes) {
    const std::size_t pieces = has_row ? codes.piece_counts.back() : 0;
    if (!Takes(surface) || pieces > Slot::kMaxPieces) return;
    std::size_t way = 0;
    while (way < kWays && TagAt(key.set, way) != 0) ++way;
    if (way == kWays) way = next_victim_++ % kWays;
    std::uint64_t& tags = tags_[key.set];
    tags = (tags & ~(std::uint64_t{0xffff} << 16 * way)) | std::uint64_t{key.tag} << 16 * way;
    const std::size_t at = SlotAt(key.set, way);
    Slot& slot = slots_[at];
    std::copy(surface.begin(), surface.end(), slot.surface_);
    slot.length_ = static_cast<std::uint8_t>(surface.size());
    slot.rows_ = has_row ? 1 : 0;
    slot.piece_count_ = static_cast<std::uint8_t>(pieces);
    if (!has_row) return;
    slot.stem_ = codes.stems.back();
    std::copy(codes.pieces.end() - static_cast<std::ptrdiff_t>(pieces), codes.pieces.end(),
              slot.pieces_);
    std::copy(codes.signatures.end() - static_cast<std::ptrdiff_t>(words_), codes.signatures.end(),
              signatures_.begin() + static_cast<std::ptrdiff_t>(at * words_));
  }

 private:
  static constexpr unsigned kSetBits = 14;
  static constexpr std::size_t kSets = std::size_t{1} << kSetBits;
  static constexpr std::size_t kWays = 4;

  static std::size_t SlotAt(std::uint32_t set, std::size_t way) noexcept {
    return kWays * set + way;
  }
  std::uint16_t TagAt(std::uint32_t set, std::size_t way) const noexcept {
    return static_cast<std::uint16_t>(tags_[set] >> 16 * way);
  }

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
  std::vector<std::uint64_t> tags_;  // by set
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> signatures_;  // by slot
  std::uint32_t next_victim_ = 0;
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_ROW_CACHE_H_
