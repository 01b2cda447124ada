// Code that runs on the device, and on the host where it is emulated.
//
// Each kernel is written once, as a template over the thread that runs it (kernels/*.h). nvcc
// compiles it with CudaThread (cuda_thread.cuh), whose members are the machine's instructions. The
// tests compile the very same text with EmulatedThread (test/native/cuda/emulator/), a coroutine a
// thread: blocks, barriers, shuffles, atomics, matrix fragments and asynchronous copies then run on
// a CPU, so that indices, barriers and layouts are proven before a device is at hand.
//
// A Thread has:
//   block() blocks() index() size()        of the grid, and of the block; one-dimensional
//   shared()                               the block's dynamic shared memory, aligned to 16 bytes
//   Sync()                                 barrier of the block
//   Ballot(p) Shuffle(v, lane) ShuffleXor(v, mask) ShuffleUp(v, by)    of all 32 lanes of a warp
//   AtomicAdd(at, v) AtomicMax(at, v)      of 32 bits; they return what was there before
//   CopyAsync16(to, from) CommitCopies() WaitCopies<left>()            global to shared, cp.async
//   LoadMatrices(out, row) MultiplyAdd<precision>(sums, a, b)          ldmatrix.x4, mma.sync

#ifndef DENTATE_CUDA_DEVICE_CODE_H_
#define DENTATE_CUDA_DEVICE_CODE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define DENTATE_DEVICE __device__ __forceinline__
#define DENTATE_ANYWHERE __host__ __device__ constexpr
#define DENTATE_UNROLL _Pragma("unroll")
#else
#define DENTATE_DEVICE inline
#define DENTATE_ANYWHERE constexpr
#define DENTATE_UNROLL
#endif

namespace dentate::cuda {

inline constexpr std::uint32_t kWarp = 32;

// 16 bytes: the widest load of one thread.
struct alignas(16) Vector16 {
  std::uint32_t words[4];
};

DENTATE_DEVICE int Ones(std::uint64_t word) {
#ifdef __CUDACC__
  return __popcll(word);
#else
  return __builtin_popcountll(word);
#endif
}

DENTATE_DEVICE int Ones(std::uint32_t word) {
#ifdef __CUDACC__
  return __popc(word);
#else
  return __builtin_popcount(word);
#endif
}

// The place of the lowest one. REQUIRES: word != 0.
DENTATE_DEVICE std::uint32_t LowestOne(std::uint32_t word) {
#ifdef __CUDACC__
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(word)) - 1);
#else
  return static_cast<std::uint32_t>(__builtin_ctz(word));
#endif
}

DENTATE_DEVICE std::uint32_t BitsOf(float value) {
#ifdef __CUDACC__
  return __float_as_uint(value);
#else
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

DENTATE_DEVICE float FloatOf(std::uint32_t bits) {
#ifdef __CUDACC__
  return __uint_as_float(bits);
#else
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_DEVICE_CODE_H_
