// Rows of plain values that never move, each starting on a cache line.
//
// Layout. A row is `stride` values, whole cache lines; rows lie in chunks of doubling size
// (core/doubling_chunks.h). A kernel takes the rows of a chunk in one call. Big chunks lie in huge
// pages (hamming/huge_array.h).
//
// Space. The newest chunk may be half empty; pages that are never touched are never resident.

#ifndef DENTATE_ATOMS_ROW_CHUNKS_H_
#define DENTATE_ATOMS_ROW_CHUNKS_H_

#include <array>
#include <cstddef>

#include "core/doubling_chunks.h"
#include "hamming/huge_array.h"

namespace dentate::atoms {

template <typename T>
class RowChunks {
 public:
  static constexpr std::size_t kFirstRows = 16;
  static constexpr std::size_t kLineValues = 64 / sizeof(T);

  // `values` padded to whole cache lines.
  static constexpr std::size_t StrideOf(std::size_t values) noexcept {
    return (values + kLineValues - 1) / kLineValues * kLineValues;
  }

  // REQUIRES: stride is StrideOf of something positive.
  explicit RowChunks(std::size_t stride) noexcept : stride_(stride) {}

  std::size_t stride() const noexcept { return stride_; }

  // Makes row `index` usable. Throws std::bad_alloc, and nothing has changed then.
  // REQUIRES: rows are reserved in ascending order.
  void Reserve(std::size_t index) {
    const std::size_t number = Chunks::ChunkOf(index);
    auto& chunk = chunks_[number];
    if (chunk == nullptr) chunk = hamming::MakeHugeArray<T>(Chunks::Size(number) * stride_);
  }

  T* Row(std::size_t index) noexcept { return At(index); }
  const T* Row(std::size_t index) const noexcept { return At(index); }

  // How many rows from `index`, cut at `end`, lie one behind the other. REQUIRES: index < end.
  std::size_t RunLength(std::size_t index, std::size_t end) const noexcept {
    return Chunks::RunLength(index, end);
  }

  // Bytes of all chunks, touched or not.
  std::size_t SizeInBytes() const noexcept {
    std::size_t rows = 0;
    for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
      if (chunks_[chunk] != nullptr) rows += Chunks::Size(chunk);
    }
    return rows * stride_ * sizeof(T);
  }

 private:
  using Chunks = DoublingChunks<kFirstRows>;
  static constexpr std::size_t kChunks = Chunks::CountFor(std::size_t{1} << 32);

  T* At(std::size_t index) const noexcept {
    const std::size_t chunk = Chunks::ChunkOf(index);
    return chunks_[chunk].get() + (index - Chunks::Start(chunk)) * stride_;
  }

  const std::size_t stride_;
  std::array<hamming::HugeArray<T>, kChunks> chunks_;
};

}  // namespace dentate::atoms

#endif  // DENTATE_ATOMS_ROW_CHUNKS_H_
