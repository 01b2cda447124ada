// A device as the engine sees it: memory, and queues of copies and kernels. CudaDevice
// (cuda_device.cu) is the real one; the tests have one that runs kernels on the CPU.
//
// Errors. kOutOfMemory: an allocation failed, and nothing else has. kUnavailable: there is no
// device, or it is lost, and all calls from then on fail so. kInternal: a launch was refused.

#ifndef DENTATE_CUDA_DEVICE_H_
#define DENTATE_CUDA_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/status.h"
#include "cuda/launches.h"

namespace dentate::cuda {

struct DeviceLimits {
  std::string name;
  std::uint32_t multiprocessors = 1;
  std::uint32_t shared_bytes = 48 * 1024;  // of one block, at most
  std::uint64_t free_bytes = 0;            // when it was opened
};

// Work in order. One thread at a time.
class Queue {
 public:
  virtual ~Queue() = default;

  // Copies `bytes`; `from` may change once it returns. The device has them for what is queued
  // later.
  virtual Status Upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual Status Fill(void* to, int byte, std::size_t bytes) = 0;
  virtual Status Run(const Launch& launch, const Shape& shape) = 0;
  // Waits for all that is queued, then for `rows` pieces of `bytes`, which lie `stride` bytes apart
  // on the device and side by side in `to`.
  virtual Status Download(void* to, const void* from, std::size_t bytes, std::size_t rows = 1,
                          std::size_t stride = 0) = 0;
  virtual Status Wait() = 0;
};

// Any thread.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceLimits& limits() const = 0;
  // Aligned to 256 bytes.
  virtual Status Allocate(std::size_t bytes, void** memory) = 0;
  virtual void Free(void* memory) = 0;
  virtual Status NewQueue(std::unique_ptr<Queue>& queue) = 0;
};

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_DEVICE_H_
