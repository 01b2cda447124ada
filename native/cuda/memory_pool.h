// Device memory under a cap, kept for the next use: an allocation of the driver's takes up to a
// millisecond and waits for the device.
//
//   cap >= held (in use) + cached (free, not given back)
//
// A block that is freed is cached. A new one is a cached one of at most half as much again, else
// the driver's; where that would pass the cap, or fails, cached blocks are given back first. Only
// then it is kOutOfMemory, which callers answer with smaller tiles (rows.cc, cosine_search.cc).

#ifndef DENTATE_CUDA_MEMORY_POOL_H_
#define DENTATE_CUDA_MEMORY_POOL_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "core/status.h"
#include "cuda/device.h"

namespace dentate::cuda {

class MemoryPool {
 public:
  // Owns a piece of device memory.
  class Block {
   public:
    Block() = default;
    Block(MemoryPool* pool, void* memory, std::size_t bytes)
        : pool_(pool), memory_(memory), bytes_(bytes) {}
    Block(Block&& other) noexcept { *this = std::move(other); }
    Block& operator=(Block&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(memory_, other.memory_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Block() { Reset(); }

    void Reset() {
      if (memory_ != nullptr) pool_->Release(memory_, bytes_);
      memory_ = nullptr;
      bytes_ = 0;
    }
    bool empty() const noexcept { return memory_ == nullptr; }
    std::size_t bytes() const noexcept { return bytes_; }
    template <class T>
    T* As(std::size_t offset_bytes = 0) const noexcept {
      return reinterpret_cast<T*>(static_cast<char*>(memory_) + offset_bytes);
    }

   private:
    MemoryPool* pool_ = nullptr;
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
  };

  MemoryPool(Device& device, std::uint64_t cap) : device_(device), cap_(cap) {}
  // REQUIRES: no block lives.
  ~MemoryPool() { Trim(); }
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // At least `bytes`, aligned to 256. Any thread.
  Status Allocate(std::size_t bytes, Block& block);
  // Gives back what is cached.
  void Trim();

  std::uint64_t held() const;
  std::uint64_t cached() const;
  std::uint64_t cap() const noexcept { return cap_; }

 private:
  void Release(void* memory, std::size_t bytes);
  // Gives back cached blocks, the largest first, until `bytes` more are under the cap.
  void MakeRoom(std::uint64_t bytes);

  Device& device_;
  const std::uint64_t cap_;
  mutable std::mutex mutex_;
  std::multimap<std::size_t, void*> free_;
  std::uint64_t held_ = 0;
  std::uint64_t cached_ = 0;
};

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_MEMORY_POOL_H_
