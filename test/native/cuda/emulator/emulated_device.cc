#include "cuda/emulator/emulated_device.h"

#include <cstdlib>
#include <cstring>
#include <variant>

#include "cuda/cuda_status.h"
#include "cuda/emulator/emulated_block.h"
#include "cuda/kernels/cosine_scan.h"
#include "cuda/kernels/cosine_tile.h"
#include "cuda/kernels/embed.h"
#include "cuda/kernels/hamming.h"
#include "cuda/kernels/prepare.h"
#include "cuda/kernels/select.h"
#include "cuda/kernels/singular.h"

namespace dentate::cuda {
namespace {

class EmulatedQueue final : public Queue {
 public:
  explicit EmulatedQueue(std::shared_ptr<EmulatedSettings> settings)
      : settings_(std::move(settings)) {}

  Status Upload(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
    return Check();
  }
  Status Fill(void* to, int byte, std::size_t bytes) override {
    std::memset(to, byte, bytes);
    return Check();
  }
  Status Run(const Launch& launch, const Shape& shape) override {
    ++settings_->launches;
    if (settings_->launches_until_lost >= 0 && settings_->launches_until_lost-- == 0) {
      is_lost_ = true;
    }
    if (shape.blocks == 0 || shape.shared_bytes > settings_->limits.shared_bytes) {
      return ToStatus(9, "a launch", "invalid configuration argument");
    }
    if (is_lost_) return Check();
    EmulatedBlock block(shape, settings_->order);
    std::visit(
        [&](const auto& parameters) {
          for (std::uint32_t i = 0; i < shape.blocks; ++i) {
            block.Run(i, [&](EmulatedThread& thread) { ::dentate::cuda::Run(thread, parameters); });
          }
        },
        launch);
    return Status::Ok();
  }
  Status Download(void* to, const void* from, std::size_t bytes, std::size_t rows,
                  std::size_t stride) override {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(static_cast<char*>(to) + row * bytes,
                  static_cast<const char*>(from) + row * stride, bytes);
    }
    return Check();
  }
  Status Wait() override { return Check(); }

 private:
  Status Check() const {
    return is_lost_ ? ToStatus(719, "a launch", "unspecified launch failure") : Status::Ok();
  }

  const std::shared_ptr<EmulatedSettings> settings_;
  bool is_lost_ = false;
};

class EmulatedDevice final : public Device {
 public:
  explicit EmulatedDevice(std::shared_ptr<EmulatedSettings> settings)
      : settings_(std::move(settings)) {}

  const DeviceLimits& limits() const override { return settings_->limits; }

  Status Allocate(std::size_t bytes, void** memory) override {
    const std::lock_guard lock(mutex_);
    if (settings_->allocated_bytes + bytes > settings_->memory_bytes) {
      return ToStatus(2, "an allocation", "out of memory");
    }
    settings_->allocated_bytes += bytes;
    // Not malloc's least alignment: the device's is 256.
    *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(*memory, 0xC7, bytes);  // what is read before it is written shows
    sizes_[*memory] = bytes;
    return Status::Ok();
  }
  void Free(void* memory) override {
    const std::lock_guard lock(mutex_);
    settings_->allocated_bytes -= sizes_[memory];
    sizes_.erase(memory);
    std::free(memory);
  }
  Status NewQueue(std::unique_ptr<Queue>& queue) override {
    queue = std::make_unique<EmulatedQueue>(settings_);
    return Status::Ok();
  }

 private:
  const std::shared_ptr<EmulatedSettings> settings_;
  std::mutex mutex_;
  std::unordered_map<void*, std::size_t> sizes_;
};

}  // namespace

std::unique_ptr<Device> NewEmulatedDevice(std::shared_ptr<EmulatedSettings> settings) {
  return std::make_unique<EmulatedDevice>(std::move(settings));
}

}  // namespace dentate::cuda
