// A vector that only grows, never moves its elements, and is read by other threads without a lock.
//
// Layout. Elements lie in chunks of doubling size (core/doubling_chunks.h), up to kLimit of them.
//
// Threads. One writer. It fills elements, then publishes the new size with release; a reader takes
// size() with acquire once and touches nothing past it. Elements below the size are constant,
// unless T is itself atomic.
//
// Cost. push_back O(1) and no copy of what is there; operator[] two dependent loads.
// Space: the newest chunk may be up to half empty; its untouched pages are never resident.

#ifndef DENTATE_CORE_APPEND_VECTOR_H_
#define DENTATE_CORE_APPEND_VECTOR_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>

#include "core/doubling_chunks.h"

namespace dentate {

template <typename T, std::size_t kFirst = 1024, std::size_t kLimit = kFirst << 47>
class AppendVector {
  static_assert(std::has_single_bit(kLimit) && kLimit >= kFirst, "the last chunk is a whole one");
  static_assert(std::is_trivially_destructible_v<T>,
                "chunks are freed without running destructors");

 public:
  AppendVector() noexcept = default;
  AppendVector(const AppendVector&) = delete;
  AppendVector& operator=(const AppendVector&) = delete;
  ~AppendVector() {
    for (auto& chunk : chunks_) Free(chunk.load(std::memory_order_relaxed));
  }

  // Elements a reader may touch. Any thread.
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }

  // REQUIRES: index < a size() this thread has seen.
  const T& operator[](std::size_t index) const noexcept { return *At(index); }
  // Writer only, or T atomic.
  T& Mutable(std::size_t index) noexcept { return *At(index); }

  // Appends and publishes one element. Writer only.
  void push_back(const T& value) {
    const std::size_t index = size_.load(std::memory_order_relaxed);
    Reserve(index + 1);
    new (At(index)) T(value);
    size_.store(index + 1, std::memory_order_release);
  }

  // Appends and publishes all values at once: a reader sees all or none. Writer only.
  void Append(std::span<const T> values) {
    const std::size_t index = size_.load(std::memory_order_relaxed);
    Reserve(index + values.size());
    for (std::size_t i = 0; i < values.size(); ++i) new (At(index + i)) T(values[i]);
    size_.store(index + values.size(), std::memory_order_release);
  }

  // Allocates room for `count` elements in all, so that what follows cannot fail. Writer only.
  // REQUIRES: count <= kLimit.
  void Reserve(std::size_t count) {
    if (count == 0) return;
    for (std::size_t chunk = Chunks::ChunkOf(count - 1) + 1; chunk-- > 0;) {
      if (chunks_[chunk].load(std::memory_order_relaxed) != nullptr) break;
      chunks_[chunk].store(Allocate(Chunks::Size(chunk)), std::memory_order_release);
    }
  }

  // The longest run of consecutive elements from `index`, cut at `end`. REQUIRES: index < end <=
  // size().
  std::span<const T> Run(std::size_t index, std::size_t end) const noexcept {
    return {At(index), Chunks::RunLength(index, end)};
  }

  // Bytes of all allocated chunks, touched or not.
  std::size_t SizeInBytes() const noexcept {
    std::size_t elements = 0;
    for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
      if (chunks_[chunk].load(std::memory_order_relaxed) != nullptr)
        elements += Chunks::Size(chunk);
    }
    return elements * sizeof(T);
  }

 private:
  using Chunks = DoublingChunks<kFirst>;
  static constexpr std::size_t kChunks = Chunks::CountFor(kLimit);

  static constexpr bool kOverAligned = alignof(T) > alignof(std::max_align_t);

  // calloc: fresh pages stay untouched, and so not resident, until they are written. An aligned
  // chunk starts at the next multiple past the block's start, whose address lies just before it.
  static T* Allocate(std::size_t count) {
    void* block = std::calloc(count * sizeof(T) + (kOverAligned ? alignof(T) : 0), 1);
    if (block == nullptr) throw std::bad_alloc();
    if constexpr (!kOverAligned) {
      return static_cast<T*>(block);
    } else {
      auto* bytes = static_cast<std::byte*>(block);
      bytes += alignof(T) - reinterpret_cast<std::uintptr_t>(block) % alignof(T);
      reinterpret_cast<void**>(bytes)[-1] = block;
      return reinterpret_cast<T*>(bytes);
    }
  }
  static void Free(T* chunk) noexcept {
    if (kOverAligned && chunk != nullptr) {
      std::free(reinterpret_cast<void**>(chunk)[-1]);
    } else {
      std::free(chunk);
    }
  }

  T* At(std::size_t index) const noexcept {
    const std::size_t chunk = Chunks::ChunkOf(index);
    return chunks_[chunk].load(std::memory_order_acquire) + (index - Chunks::Start(chunk));
  }

  std::array<std::atomic<T*>, kChunks> chunks_{};
  std::atomic<std::size_t> size_{0};
};

// For elements that 32 bits number: a directory of half the size, where thousands are empty.
template <typename T, std::size_t kFirst>
using AppendVector32 = AppendVector<T, kFirst, std::size_t{1} << 32>;

}  // namespace dentate

#endif  // DENTATE_CORE_APPEND_VECTOR_H_
