// A thread of a real device, for kernels/*.h: each member is an instruction or two (device_code.h
// says what they do, the emulator of the tests how).
//
// Compute capability 8.0 has all of them: cp.async, ldmatrix, mma.sync of fp16, bf16 and int8.

#ifndef DENTATE_CUDA_CUDA_THREAD_CUH_
#define DENTATE_CUDA_CUDA_THREAD_CUH_

#include "cuda/launches.h"

namespace dentate::cuda {

class CudaThread {
 public:
  __device__ std::uint32_t block() const { return blockIdx.x; }
  __device__ std::uint32_t blocks() const { return gridDim.x; }
  __device__ std::uint32_t index() const { return threadIdx.x; }
  __device__ std::uint32_t size() const { return blockDim.x; }
  __device__ char* shared() const {
    extern __shared__ Vector16 dentate_shared[];
    return reinterpret_cast<char*>(dentate_shared);
  }

  __device__ void Sync() { __syncthreads(); }
  __device__ std::uint32_t Ballot(bool predicate) { return __ballot_sync(kAllLanes, predicate); }
  template <class T>
  __device__ T Shuffle(T value, std::uint32_t lane) {
    return __shfl_sync(kAllLanes, value, static_cast<int>(lane));
  }
  template <class T>
  __device__ T ShuffleXor(T value, std::uint32_t mask) {
    return __shfl_xor_sync(kAllLanes, value, static_cast<int>(mask));
  }
  template <class T>
  __device__ T ShuffleUp(T value, std::uint32_t by) {
    return __shfl_up_sync(kAllLanes, value, by);
  }

  __device__ std::uint32_t AtomicAdd(std::uint32_t* at, std::uint32_t value) {
    return atomicAdd(at, value);
  }
  __device__ std::uint32_t AtomicMax(std::uint32_t* at, std::uint32_t value) {
    return atomicMax(at, value);
  }

  // Past the L1: a tile's rows are read once by a multiprocessor.
  __device__ void CopyAsync16(void* to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(SharedAddress(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
  }
  __device__ void CommitCopies() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
  template <int kLeft>
  __device__ void WaitCopies() {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(kLeft) : "memory");
  }

  __device__ void LoadMatrices(std::uint32_t* out, const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(SharedAddress(row))
                 : "memory");
  }

  template <Precision kPrecision>
  __device__ void MultiplyAdd(float* sums, const std::uint32_t* a, const std::uint32_t* b) {
    if constexpr (kPrecision == Precision::kFp16) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
          "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
          : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    } else {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
          "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
          : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  template <Precision kPrecision>
  __device__ void MultiplyAdd(std::int32_t* sums, const std::uint32_t* a, const std::uint32_t* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }

 private:
  static constexpr std::uint32_t kAllLanes = 0xFFFFFFFF;

  static __device__ std::uint32_t SharedAddress(const void* generic) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(generic));
  }
};

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_CUDA_THREAD_CUH_
