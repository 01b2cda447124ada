#include "cuda/device_engine.h"

#include <algorithm>
#include <string>

namespace dentate::cuda {

DeviceEngine::DeviceEngine(std::unique_ptr<Device> device, Precision precision, std::uint64_t cap)
    : device_(std::move(device)),
      precision_(precision),
      pool_(*device_, cap != 0 ? cap : device_->limits().free_bytes / 5 * 4) {}

std::uint64_t DeviceEngine::ScratchBytes() const noexcept {
  return std::min<std::uint64_t>(pool_.cap() / 2, std::uint64_t{1} << 30);
}

std::uint32_t DeviceEngine::Blocks(std::uint32_t threads) const noexcept {
  constexpr std::uint32_t kThreadsAMultiprocessor = 1024;  // half of what fits: registers
  return device_->limits().multiprocessors * std::max(1U, kThreadsAMultiprocessor / threads);
}

Status DeviceEngine::Borrow(Lease& lease) {
  if (is_lost_.load()) return {ErrorCode::kUnavailable, "the CUDA device is lost"};
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [this] { return !queues_.empty() || made_ < kMostQueues; });
  if (!queues_.empty()) {
    lease = Lease(this, std::move(queues_.back()));
    queues_.pop_back();
    return Status::Ok();
  }
  ++made_;
  std::unique_ptr<Queue> queue;
  Status status = device_->NewQueue(queue);
  if (!status.ok()) {
    --made_;
    returned_.notify_one();
    lock.unlock();
    return Noted(std::move(status));
  }
  lease = Lease(this, std::move(queue));
  return status;
}

void DeviceEngine::Return(std::unique_ptr<Queue> queue) {
  {
    const std::lock_guard lock(mutex_);
    queues_.push_back(std::move(queue));
  }
  returned_.notify_one();
}

Status DeviceEngine::Noted(Status status) {
  if (status.code() == ErrorCode::kUnavailable) is_lost_.store(true);
  return status;
}

}  // namespace dentate::cuda
