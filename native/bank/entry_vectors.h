// The vectors of a part's entries, once somebody has asked for them.
//
// No vector is stored: it follows from an entry's codes (dense_search.h builds it). Building one
// takes a microsecond or two, so what has been built is kept in memory, as long as the part lives.
//
// Layout. One row an entry, in chunks of doubling capacity that are allocated when first touched
// and never move, the last one cut to what the part has; untouched pages of a chunk are never
// resident:
//
//   row   state 4 | zeros 12 | int8 values, filled up to a multiple of 16
//
// All rows of n dimensions have one scale, so that sums of rows are sums of whole numbers: a value
// is the component of the unit vector times n, though at least 127 and at most 256, cut at 127.
// (The more dimensions, the smaller are components; one that is cut, at 192 more than two thirds,
// leaves enough of its direction.)
//
// Threads. Any, without a lock. A row is empty, being written by one thread, or ready for ever. Who
// finds one being written builds it for himself: all builders get the same bytes.

#ifndef DENTATE_BANK_ENTRY_VECTORS_H_
#define DENTATE_BANK_ENTRY_VECTORS_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dentate::bank {

class EntryVectors {
 public:
  static constexpr float kLimit = 127;
  static constexpr std::size_t kFirstRows = 16;
  static constexpr std::size_t kChunks = 29;
  static constexpr std::size_t kMostRows = kFirstRows << (kChunks - 1);  // 2^32
  static float ScaleOf(std::size_t dimensions) noexcept {
    return std::clamp(static_cast<float>(dimensions), kLimit, 256.0F);
  }

  // Of a part of `most` entries at most.
  explicit EntryVectors(std::size_t most = kMostRows) noexcept : most_(most) {}
  EntryVectors(const EntryVectors&) = delete;
  EntryVectors& operator=(const EntryVectors&) = delete;
  ~EntryVectors();

  // The row, if it is ready, else null; stays where it is as long as this. `dimensions` is the same
  // in all calls of an object, and not 0.
  const std::int8_t* Find(std::uint32_t entry, std::size_t dimensions) const noexcept;
  // Asks for the row's memory, which Find and whoever reads its values will need.
  void Prefetch(std::uint32_t entry, std::size_t dimensions) const noexcept;
  // Keeps a row, unless somebody has done so, or is about to. std::bad_alloc: nothing has changed.
  void Keep(std::uint32_t entry, std::span<const std::int8_t> values);

  // Of the rows that are kept.
  std::size_t SizeInBytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  enum State : std::uint32_t { kEmpty, kWriting, kReady };
  struct alignas(16) Row {
    std::atomic<std::uint32_t> state;
    std::int8_t* values() noexcept { return reinterpret_cast<std::int8_t*>(this + 1); }
  };
  static_assert(sizeof(Row) == 16, "the drawing above says 16");

  static std::size_t RowBytes(std::size_t dimensions) noexcept {
    return sizeof(Row) + (dimensions + 15) / 16 * 16;
  }
  static Row* At(std::byte* chunk, std::size_t index, std::size_t dimensions) noexcept {
    return reinterpret_cast<Row*>(chunk + index * RowBytes(dimensions));
  }
  std::byte* ChunkFor(std::size_t chunk, std::size_t dimensions);

  const std::size_t most_;
  std::array<std::atomic<std::byte*>, kChunks> chunks_{};
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_ENTRY_VECTORS_H_
