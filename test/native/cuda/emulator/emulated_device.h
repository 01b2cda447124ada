// A CUDA device on the CPU, for the engine as it is: memory is malloc's, kernels run in
// EmulatedBlock.

#ifndef DENTATE_TEST_CUDA_EMULATED_DEVICE_H_
#define DENTATE_TEST_CUDA_EMULATED_DEVICE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "cuda/device.h"

namespace dentate::cuda {

// What a test sets and reads.
struct EmulatedSettings {
  DeviceLimits limits = {"emulated device", 2, 227 * 1024, std::uint64_t{1} << 30};
  std::uint32_t order = 0;  // of threads (emulated_block.h)
  // Allocations beyond this many bytes fail.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  // The launch after this many fails as of a lost device; negative: none.
  std::atomic<std::int64_t> launches_until_lost = -1;
  std::atomic<std::uint64_t> launches = 0;
  std::atomic<std::uint64_t> allocated_bytes = 0;
};

std::unique_ptr<Device> NewEmulatedDevice(std::shared_ptr<EmulatedSettings> settings);

}  // namespace dentate::cuda

#endif  // DENTATE_TEST_CUDA_EMULATED_DEVICE_H_
