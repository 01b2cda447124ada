// An AppendVector (append_vector.h) for thousands of short lists: the first few elements lie in the
// object itself, and the directory of chunks, a quarter of a KiB, is made when there are more.
//
//   inline   T T T T | size | rest ─► AppendVector, from element kInline on; null for most
//
// Threads, cost: as AppendVector, but for a comparison, and a load more behind the inline elements.

#ifndef DENTATE_CORE_SMALL_APPEND_VECTOR_H_
#define DENTATE_CORE_SMALL_APPEND_VECTOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "core/append_vector.h"

namespace dentate {

template <typename T, std::size_t kInline>
class SmallAppendVector {
  static_assert(std::is_trivially_destructible_v<T>, "elements are never destroyed");

 public:
  SmallAppendVector() noexcept = default;
  SmallAppendVector(const SmallAppendVector&) = delete;
  SmallAppendVector& operator=(const SmallAppendVector&) = delete;
  ~SmallAppendVector() { delete rest_.load(std::memory_order_relaxed); }

  // Elements a reader may touch. Any thread.
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }

  // REQUIRES: index < a size() this thread has seen.
  const T& operator[](std::size_t index) const noexcept {
    if (index < kInline) return *InlineAt(index);
    return (*rest_.load(std::memory_order_acquire))[index - kInline];
  }
  // Writer only, or T atomic.
  T& Mutable(std::size_t index) noexcept {
    if (index < kInline) return *InlineAt(index);
    return rest_.load(std::memory_order_acquire)->Mutable(index - kInline);
  }

  // Appends and publishes one element. Writer only.
  void push_back(const T& value) {
    const std::size_t index = size_.load(std::memory_order_relaxed);
    Reserve(index + 1);
    if (index < kInline) {
      new (inline_ + index * sizeof(T)) T(value);
    } else {
      rest_.load(std::memory_order_relaxed)->push_back(value);
    }
    size_.store(index + 1, std::memory_order_release);
  }

  // Allocates room for `count` elements in all, so that what follows cannot fail. Writer only.
  void Reserve(std::size_t count) {
    if (count <= kInline) return;
    Rest* rest = rest_.load(std::memory_order_relaxed);
    if (rest == nullptr) {
      rest = new Rest;
      rest_.store(rest, std::memory_order_release);
    }
    rest->Reserve(count - kInline);
  }

  // Bytes beside the object itself.
  std::size_t SizeInBytes() const noexcept {
    const Rest* const rest = rest_.load(std::memory_order_relaxed);
    return rest == nullptr ? 0 : sizeof(Rest) + rest->SizeInBytes();
  }

 private:
  using Rest = AppendVector32<T, kInline>;

  T* InlineAt(std::size_t index) const noexcept {
    return std::launder(reinterpret_cast<T*>(inline_ + index * sizeof(T)));
  }

  alignas(T) mutable std::byte inline_[kInline * sizeof(T)];
  std::atomic<std::size_t> size_{0};
  std::atomic<Rest*> rest_{nullptr};
};

}  // namespace dentate

#endif  // DENTATE_CORE_SMALL_APPEND_VECTOR_H_
