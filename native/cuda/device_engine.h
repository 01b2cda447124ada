// The plugin's engine: a device, its memory, and a few queues that calls borrow.
//
// Calls come from any threads, and at once. Each borrows a queue (a stream, with pinned memory for
// copies), so that the copies of one overlap the kernels of another; who finds none free waits.
// Once the device is lost, every call says so without asking it.

#ifndef DENTATE_CUDA_DEVICE_ENGINE_H_
#define DENTATE_CUDA_DEVICE_ENGINE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/status.h"
#include "cuda/device.h"
#include "cuda/memory_pool.h"
#include "cuda/plugin.h"
#include "cuda/precision.h"

namespace dentate::cuda {

class DeviceEngine {
 public:
  static constexpr std::size_t kMostQueues = 3;

  // A queue, until it is destroyed.
  class Lease {
   public:
    Lease() = default;
    Lease(DeviceEngine* engine, std::unique_ptr<Queue> queue)
        : engine_(engine), queue_(std::move(queue)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = default;
    ~Lease() {
      if (queue_ != nullptr) engine_->Return(std::move(queue_));
    }
    Queue& operator*() const noexcept { return *queue_; }
    Queue* operator->() const noexcept { return queue_.get(); }

   private:
    DeviceEngine* engine_ = nullptr;
    std::unique_ptr<Queue> queue_;
  };

  // `cap` 0: 80% of what is free.
  DeviceEngine(std::unique_ptr<Device> device, Precision precision, std::uint64_t cap);

  Status Borrow(Lease& lease);
  // Remembers a lost device. Returns the status.
  Status Noted(Status status);

  Device& device() noexcept { return *device_; }
  const DeviceLimits& limits() const { return device_->limits(); }
  MemoryPool& memory() noexcept { return pool_; }
  Precision precision() const noexcept { return precision_; }

  // Of the cap, what rows may take for good: the rest is for what a search needs.
  std::uint64_t ResidentBytes() const noexcept { return pool_.cap() - ScratchBytes(); }
  std::uint64_t ScratchBytes() const noexcept;
  // Blocks of `threads` that keep all multiprocessors busy.
  std::uint32_t Blocks(std::uint32_t threads) const noexcept;

 private:
  void Return(std::unique_ptr<Queue> queue);

  const std::unique_ptr<Device> device_;
  const Precision precision_;
  MemoryPool pool_;
  std::atomic<bool> is_lost_ = false;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::size_t made_ = 0;
};

// Whether the caller has given up (plugin.h).
inline bool IsCancelled(const std::int32_t* cancel) noexcept {
  // A reference of a const object may not be had: it is only read.
  return cancel != nullptr && std::atomic_ref<std::int32_t>(const_cast<std::int32_t&>(*cancel))
                                      .load(std::memory_order_relaxed) != 0;
}

inline Status Cancelled() { return {ErrorCode::kAborted, "the operation was aborted"}; }

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_DEVICE_ENGINE_H_
