#include "cuda/cuda_device.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <variant>

#include "cuda/cuda_launch.h"
#include "cuda/cuda_status.h"

namespace dentate::cuda {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
// Where a container allows little pinned memory.
constexpr std::size_t kSmallPieceBytes = std::size_t{256} << 10;

Status Checked(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return Status::Ok();
  static_cast<void>(cudaGetLastError());  // else the next call would report it once more
  return ToStatus(static_cast<int>(error), doing, cudaGetErrorString(error));
}

class CudaQueue final : public Queue {
 public:
  explicit CudaQueue(int device) : device_(device) {}
  ~CudaQueue() override {
    static_cast<void>(cudaSetDevice(device_));
    if (pinned_ != nullptr) static_cast<void>(cudaFreeHost(pinned_));
    for (cudaEvent_t event : sent_) {
      if (event != nullptr) static_cast<void>(cudaEventDestroy(event));
    }
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
  }
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  Status Open() {
    cudaError_t error = cudaSetDevice(device_);
    if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    for (cudaEvent_t& event : sent_) {
      if (error == cudaSuccess) error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    }
    if (error == cudaSuccess) error = Pin();
    return Checked(error, "opening a stream");
  }

  Status Upload(void* to, const void* from, std::size_t bytes) override {
    cudaError_t error = cudaSetDevice(device_);
    for (std::size_t at = 0; error == cudaSuccess && at < bytes; at += piece_bytes_) {
      const std::size_t size = std::min(piece_bytes_, bytes - at);
      char* const piece = pinned_ + static_cast<std::size_t>(next_) * piece_bytes_;
      error = cudaEventSynchronize(sent_[next_]);
      if (error != cudaSuccess) break;
      std::memcpy(piece, static_cast<const char*>(from) + at, size);
      error = cudaMemcpyAsync(static_cast<char*>(to) + at, piece, size, cudaMemcpyHostToDevice,
                              stream_);
      if (error == cudaSuccess) error = cudaEventRecord(sent_[next_], stream_);
      next_ = 1 - next_;
    }
    return Checked(error, "a copy to the device");
  }

  Status Fill(void* to, int byte, std::size_t bytes) override {
    cudaError_t error = cudaSetDevice(device_);
    if (error == cudaSuccess && bytes > 0) error = cudaMemsetAsync(to, byte, bytes, stream_);
    return Checked(error, "filling memory");
  }

  Status Run(const Launch& launch, const Shape& shape) override {
    cudaError_t error = cudaSetDevice(device_);
    if (error == cudaSuccess) {
      error = std::visit([&](const auto& kernel) { return Start(kernel, shape, stream_); }, launch);
    }
    return Checked(error, "a launch");
  }

  Status Download(void* to, const void* from, std::size_t bytes, std::size_t rows,
                  std::size_t stride) override {
    cudaError_t error = cudaSetDevice(device_);
    char* const piece = pinned_ + 2 * piece_bytes_;
    auto* out = static_cast<char*>(to);
    const auto* in = static_cast<const char*>(from);
    if (bytes <= piece_bytes_) {
      // Whole rows, as many as fit.
      const std::size_t most = bytes == 0 ? rows : piece_bytes_ / bytes;
      for (std::size_t row = 0; error == cudaSuccess && bytes > 0 && row < rows; row += most) {
        const std::size_t count = std::min(most, rows - row);
        error = cudaMemcpy2DAsync(piece, bytes, in + row * stride, count == 1 ? bytes : stride,
                                  bytes, count, cudaMemcpyDeviceToHost, stream_);
        if (error == cudaSuccess) error = cudaStreamSynchronize(stream_);
        if (error == cudaSuccess) std::memcpy(out + row * bytes, piece, count * bytes);
      }
    } else {
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t at = 0; error == cudaSuccess && at < bytes; at += piece_bytes_) {
          const std::size_t size = std::min(piece_bytes_, bytes - at);
          error =
              cudaMemcpyAsync(piece, in + row * stride + at, size, cudaMemcpyDeviceToHost, stream_);
          if (error == cudaSuccess) error = cudaStreamSynchronize(stream_);
          if (error == cudaSuccess) std::memcpy(out + row * bytes + at, piece, size);
        }
      }
    }
    return Checked(error, "a copy from the device");
  }

  Status Wait() override {
    cudaError_t error = cudaSetDevice(device_);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream_);
    return Checked(error, "waiting for the device");
  }

 private:
  cudaError_t Pin() {
    void* memory = nullptr;
    cudaError_t error = cudaMallocHost(&memory, 3 * kPieceBytes);
    piece_bytes_ = kPieceBytes;
    if (error == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      error = cudaMallocHost(&memory, 3 * kSmallPieceBytes);
      piece_bytes_ = kSmallPieceBytes;
    }
    pinned_ = static_cast<char*>(memory);
    return error;
  }

  const int device_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t sent_[2] = {};  // that the piece may be written again
  char* pinned_ = nullptr;
  std::size_t piece_bytes_ = 0;
  int next_ = 0;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(int number, DeviceLimits limits) : number_(number), limits_(std::move(limits)) {}

  const DeviceLimits& limits() const override { return limits_; }

  Status Allocate(std::size_t bytes, void** memory) override {
    cudaError_t error = cudaSetDevice(number_);
    if (error == cudaSuccess) error = cudaMalloc(memory, bytes);
    return Checked(error, "an allocation");
  }

  void Free(void* memory) override {
    static_cast<void>(cudaSetDevice(number_));
    static_cast<void>(cudaFree(memory));
  }

  Status NewQueue(std::unique_ptr<Queue>& queue) override {
    auto opened = std::make_unique<CudaQueue>(number_);
    Status status = opened->Open();
    if (status.ok()) queue = std::move(opened);
    return status;
  }

 private:
  const int number_;
  const DeviceLimits limits_;
};

// One decimal is enough to know a card by.
std::string Describe(const cudaDeviceProp& properties) {
  int driver = 0;
  static_cast<void>(cudaDriverGetVersion(&driver));
  char text[128];
  std::snprintf(text, sizeof text, ", %.1f GiB, compute capability %d.%d, driver %d.%d",
                static_cast<double>(properties.totalGlobalMem) / (1 << 30), properties.major,
                properties.minor, driver / 1000, driver % 1000 / 10);
  return std::string(static_cast<const char*>(properties.name)) + static_cast<const char*>(text);
}

}  // namespace

Status OpenCudaDevice(int number, std::unique_ptr<Device>& device) {
  int count = 0;
  Status status = Checked(cudaGetDeviceCount(&count), "counting devices");
  if (!status.ok()) return status;
  if (number >= count) {
    return {ErrorCode::kUnavailable, "no CUDA device: number " + std::to_string(number) +
                                         " was asked for, there are " + std::to_string(count)};
  }
  cudaDeviceProp properties = {};
  status = Checked(cudaGetDeviceProperties(&properties, number), "reading properties");
  if (!status.ok()) return status;
  if (properties.major < 8) {
    return {ErrorCode::kUnavailable,
            "no CUDA device: '" + Describe(properties) + "' is below compute capability 8.0"};
  }
  std::size_t free = 0;
  std::size_t total = 0;
  status = Checked(cudaSetDevice(number), "starting the device");
  if (status.ok()) status = Checked(cudaMemGetInfo(&free, &total), "starting the device");
  if (!status.ok()) return status;
  DeviceLimits limits;
  limits.name = Describe(properties);
  limits.multiprocessors = static_cast<std::uint32_t>(properties.multiProcessorCount);
  limits.shared_bytes = static_cast<std::uint32_t>(properties.sharedMemPerBlockOptin);
  limits.free_bytes = free;
  device = std::make_unique<CudaDevice>(number, std::move(limits));
  return status;
}

}  // namespace dentate::cuda
