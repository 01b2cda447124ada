// Starts each kernel of launches.h on a stream. One .cu file a family, so that they compile side by
// side.

#ifndef DENTATE_CUDA_CUDA_LAUNCH_H_
#define DENTATE_CUDA_CUDA_LAUNCH_H_

#include <cuda_runtime_api.h>

#include "cuda/launches.h"

namespace dentate::cuda {

// hamming.cu
cudaError_t Start(const HammingScan& launch, const Shape& shape, cudaStream_t stream);
cudaError_t Start(const HammingMark& launch, const Shape& shape, cudaStream_t stream);
cudaError_t Start(const HammingList& launch, const Shape& shape, cudaStream_t stream);
// lists.cu
cudaError_t Start(const Select& launch, const Shape& shape, cudaStream_t stream);
cudaError_t Start(const PrepareVectors& launch, const Shape& shape, cudaStream_t stream);
cudaError_t Start(const EmbedSum& launch, const Shape& shape, cudaStream_t stream);
cudaError_t Start(const EmbedFinish& launch, const Shape& shape, cudaStream_t stream);
// cosine_scan.cu
cudaError_t Start(const CosineScan& launch, const Shape& shape, cudaStream_t stream);
cudaError_t Start(const ExactScan& launch, const Shape& shape, cudaStream_t stream);
cudaError_t Start(const Rescore& launch, const Shape& shape, cudaStream_t stream);
// cosine_tile.cu
cudaError_t Start(const CosineTile& launch, const Shape& shape, cudaStream_t stream);
// singular.cu
cudaError_t Start(const Gram& launch, const Shape& shape, cudaStream_t stream);
cudaError_t Start(const Square& launch, const Shape& shape, cudaStream_t stream);
cudaError_t Start(const Singular& launch, const Shape& shape, cudaStream_t stream);

#ifdef __CUDACC__

// Beyond this a kernel must be told how much shared memory a block may have.
inline constexpr std::uint32_t kUsualSharedBytes = 48 * 1024;

template <class Parameters>
cudaError_t StartKernel(void (*kernel)(Parameters), const Parameters& parameters,
                        const Shape& shape, cudaStream_t stream) {
  if (shape.shared_bytes > kUsualSharedBytes) {
    const cudaError_t error = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared_bytes));
    if (error != cudaSuccess) return error;
  }
  kernel<<<shape.blocks, shape.threads, shape.shared_bytes, stream>>>(parameters);
  return cudaGetLastError();
}

#endif

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_CUDA_LAUNCH_H_
