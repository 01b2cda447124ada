// Rows of int8 values that only grow, never move, and are read by other threads without a lock.
//
// Layout. A row is `dimensions` consecutive bytes. Rows lie in chunks of doubling size
// (core/doubling_chunks.h), so that a run of rows within a chunk goes to a kernel in one call.
//
// Threads. One writer, which has no size to publish: a reader knows from elsewhere (the bank's
// entry count, taken with acquire) how many rows it may read.
//
// Space. The newest chunk may be half empty; what is untouched is not resident.

#ifndef DENTATE_VECTORS_INT8_ROWS_H_
#define DENTATE_VECTORS_INT8_ROWS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>

#include "core/doubling_chunks.h"

namespace dentate::vectors {

class Int8Rows {
 public:
  static constexpr std::size_t kFirstRows = 16;

  explicit Int8Rows(std::size_t dimensions) noexcept : dimensions_(dimensions) {}
  Int8Rows(const Int8Rows&) = delete;
  Int8Rows& operator=(const Int8Rows&) = delete;
  ~Int8Rows() {
    for (auto& chunk : chunks_) std::free(chunk.load(std::memory_order_relaxed));
  }

  std::size_t dimensions() const noexcept { return dimensions_; }

  // Allocates room for `rows` rows in all. Writer only.
  void Reserve(std::size_t rows) {
    if (dimensions_ == 0) return;
    for (std::size_t chunk = 0; chunk < kChunks && Chunks::Start(chunk) < rows; ++chunk) {
      if (chunks_[chunk].load(std::memory_order_relaxed) != nullptr) continue;
      auto* memory = static_cast<std::int8_t*>(std::calloc(Chunks::Size(chunk), dimensions_));
      if (memory == nullptr) throw std::bad_alloc();
      chunks_[chunk].store(memory, std::memory_order_release);
    }
  }

  // Writer only, for rows no reader knows of yet. REQUIRES: index is within what is reserved.
  void Set(std::size_t index, std::span<const std::int8_t> row) noexcept {
    if (dimensions_ != 0) std::memcpy(At(index), row.data(), dimensions_);
  }

  // REQUIRES: dimensions() > 0, and the row was set.
  const std::int8_t* Row(std::size_t index) const noexcept { return At(index); }

  // How many rows from `index`, cut at `end`, lie one behind the other.
  std::size_t RunLength(std::size_t index, std::size_t end) const noexcept {
    return Chunks::RunLength(index, end);
  }

  // Bytes of all allocated chunks, touched or not.
  std::size_t SizeInBytes() const noexcept {
    std::size_t rows = 0;
    for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
      if (chunks_[chunk].load(std::memory_order_relaxed) != nullptr) rows += Chunks::Size(chunk);
    }
    return rows * dimensions_;
  }

 private:
  using Chunks = DoublingChunks<kFirstRows>;
  static constexpr std::size_t kChunks = Chunks::CountFor(std::size_t{1} << 32);

  std::int8_t* At(std::size_t index) const noexcept {
    const std::size_t chunk = Chunks::ChunkOf(index);
    return chunks_[chunk].load(std::memory_order_acquire) +
           (index - Chunks::Start(chunk)) * dimensions_;
  }

  const std::size_t dimensions_;
  std::array<std::atomic<std::int8_t*>, kChunks> chunks_{};
};

}  // namespace dentate::vectors

#endif  // DENTATE_VECTORS_INT8_ROWS_H_
