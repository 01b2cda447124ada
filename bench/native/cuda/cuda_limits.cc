#include "cuda_limits.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

namespace dentate::cuda {
namespace {

constexpr int kRepeats = 10;

double SecondsOf(const std::chrono::steady_clock::time_point& began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// The few functions of cuBLAS that are needed, by its ABI: the library need not be there to build.
using CreateFunction = int (*)(void** handle);
using ProductFunction = int (*)(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                                const void* alpha, const void* a, int a_type, int a_stride,
                                const void* b, int b_type, int b_stride, const void* beta, void* c,
                                int c_type, int c_stride, int compute_type, int algorithm);
constexpr int kTransposed = 1;     // CUBLAS_OP_T
constexpr int kStraight = 0;       // CUBLAS_OP_N
constexpr int kBf16 = 14;          // CUDA_R_16BF
constexpr int kComputeFloat = 68;  // CUBLAS_COMPUTE_32F
constexpr int kAnyAlgorithm = -1;  // CUBLAS_GEMM_DEFAULT

void* OpenCublas() {
  const char* const named = std::getenv("DENTATE_CUBLAS");
  for (const char* name : {named, "libcublas.so.13", "libcublas.so.12"}) {
    if (name == nullptr) continue;
    if (void* const library = ::dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

}  // namespace

double CopyBytesPerSecond() {
  constexpr std::size_t kBytes = std::size_t{4} << 30;
  void* from = nullptr;
  void* to = nullptr;
  double rate = 0;
  if (cudaMalloc(&from, kBytes) == cudaSuccess && cudaMalloc(&to, kBytes) == cudaSuccess &&
      cudaMemset(from, 1, kBytes) == cudaSuccess &&
      cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDeviceToDevice, nullptr) == cudaSuccess &&
      cudaDeviceSynchronize() == cudaSuccess) {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < kRepeats; ++i) {
      static_cast<void>(cudaMemcpyAsync(to, from, kBytes, cudaMemcpyDeviceToDevice, nullptr));
    }
    if (cudaDeviceSynchronize() == cudaSuccess) rate = 2.0 * kBytes * kRepeats / SecondsOf(began);
  }
  static_cast<void>(cudaFree(from));
  static_cast<void>(cudaFree(to));
  return rate;
}

double Bf16OperationsPerSecond() {
  void* const library = OpenCublas();
  if (library == nullptr) return 0;
  const auto create = reinterpret_cast<CreateFunction>(::dlsym(library, "cublasCreate_v2"));
  const auto product = reinterpret_cast<ProductFunction>(::dlsym(library, "cublasGemmEx"));
  void* handle = nullptr;
  if (create == nullptr || product == nullptr || create(&handle) != 0) return 0;

  constexpr int kSide = 8192;
  constexpr std::size_t kNumbers = std::size_t{kSide} * kSide;
  // Random: zeros run faster. bf16 of 1 to 2, and their negatives.
  std::vector<std::uint16_t> numbers(kNumbers);
  std::minstd_rand random;
  for (std::uint16_t& number : numbers) {
    const auto bits = static_cast<std::uint16_t>(random() >> 8);
    number = static_cast<std::uint16_t>(0x3F80 | (bits & 0x807F));
  }
  void* memory[3] = {};
  bool is_ready = true;
  for (void*& matrix : memory) {
    is_ready =
        is_ready && cudaMalloc(&matrix, kNumbers * 2) == cudaSuccess &&
        cudaMemcpy(matrix, numbers.data(), kNumbers * 2, cudaMemcpyHostToDevice) == cudaSuccess;
  }
  const float one = 1;
  const float zero = 0;
  const auto multiply = [&] {
    return product(handle, kTransposed, kStraight, kSide, kSide, kSide, &one, memory[0], kBf16,
                   kSide, memory[1], kBf16, kSide, &zero, memory[2], kBf16, kSide, kComputeFloat,
                   kAnyAlgorithm);
  };
  double rate = 0;
  if (is_ready && multiply() == 0 && multiply() == 0 && cudaDeviceSynchronize() == cudaSuccess) {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < kRepeats; ++i) static_cast<void>(multiply());
    if (cudaDeviceSynchronize() == cudaSuccess) {
      rate = 2.0 * kSide * kSide * kSide * kRepeats / SecondsOf(began);
    }
  }
  for (void* matrix : memory) static_cast<void>(cudaFree(matrix));
  return rate;
}

}  // namespace dentate::cuda
