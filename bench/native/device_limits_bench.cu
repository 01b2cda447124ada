// What a CUDA device can do at most, as limits_bench.cc has it of the machine: how fast it copies
// and reads its memory, and multiplies matrices of bfloat16 that are in registers. The lines are
// the same, of "copy" (bytes read and written), "read" and "multiply-add" (two operations each).
//
// The last is by WMMA, which every device since Ampere has. Hopper's own wgmma takes its operands
// from shared memory and is faster still.

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr int kRounds = 12;
constexpr int kThreads = 256;
constexpr int kSteps = 4096;
// Products that need not wait for each other, of 16 x 16 x 16.
constexpr int kChains = 4;
constexpr int kSide = 16;

void Check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

__global__ void Read(const uint4* words, std::uint64_t count, std::uint32_t* sink) {
  std::uint32_t mixed = 0;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const uint4 word = words[i];
    mixed ^= word.x ^ word.y ^ word.z ^ word.w;
  }
  // Never: the memory is all zeros. But that can't be known when it is compiled.
  if (mixed != 0) *sink = mixed;
}

__global__ void MultiplyAdd(float* sink) {
  namespace wmma = nvcuda::wmma;
  wmma::fragment<wmma::matrix_a, kSide, kSide, kSide, __nv_bfloat16, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, kSide, kSide, kSide, __nv_bfloat16, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, kSide, kSide, kSide, float> sums[kChains];
  wmma::fill_fragment(a, __float2bfloat16(0.5f));
  wmma::fill_fragment(b, __float2bfloat16(0.25f));
  for (auto& sum : sums) wmma::fill_fragment(sum, 0.0f);
  for (int step = 0; step < kSteps; ++step) {
#pragma unroll
    for (auto& sum : sums) wmma::mma_sync(sum, a, b, sum);
  }
  for (auto& sum : sums) {
    if (sum.x[0] < 0.0f) *sink = sum.x[0];
  }
}

// The shortest of some rounds, in seconds.
template <typename Work>
double BestSeconds(const Work& work) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  Check(cudaEventCreate(&begin));
  Check(cudaEventCreate(&end));
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    Check(cudaEventRecord(begin));
    work();
    Check(cudaGetLastError());
    Check(cudaEventRecord(end));
    Check(cudaEventSynchronize(end));
    float ms = 0;
    Check(cudaEventElapsedTime(&ms, begin, end));
    best = std::min(best, ms / 1000.0);
  }
  Check(cudaEventDestroy(begin));
  Check(cudaEventDestroy(end));
  return best;
}

void Print(const char* what, std::uint64_t bytes, double value) {
  std::printf("{\"limit\":\"%s\",\"bytes\":%llu,\"threads\":1,\"value\":%.6g}\n", what,
              static_cast<unsigned long long>(bytes), value);
}

}  // namespace

int main() {
  cudaDeviceProp properties{};
  Check(cudaGetDeviceProperties(&properties, 0));
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  Check(cudaMemGetInfo(&free_bytes, &total_bytes));
  const std::uint64_t bytes = std::min<std::uint64_t>(kMostBytes, free_bytes / 4);
  char* from = nullptr;
  char* to = nullptr;
  Check(cudaMalloc(&from, bytes));
  Check(cudaMalloc(&to, bytes));
  Check(cudaMemset(from, 0, bytes));
  auto* sink = reinterpret_cast<std::uint32_t*>(to);

  const double copy =
      BestSeconds([&] { Check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice)); });
  Print("copy", bytes, 2.0 * static_cast<double>(bytes) / copy);

  const int blocks = properties.multiProcessorCount * 8;
  const double read = BestSeconds([&] {
    Read<<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(from), bytes / sizeof(uint4), sink);
  });
  Print("read", bytes, static_cast<double>(bytes) / read);

  const double multiply =
      BestSeconds([&] { MultiplyAdd<<<blocks, kThreads>>>(reinterpret_cast<float*>(to)); });
  const double products = static_cast<double>(blocks) * (kThreads / 32) * kSteps * kChains;
  Print("multiply-add", 0, products * 2 * kSide * kSide * kSide / multiply);
  return 0;
}
