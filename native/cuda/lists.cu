#include "cuda/cuda_launch.h"
#include "cuda/cuda_thread.cuh"
#include "cuda/kernels/embed.h"
#include "cuda/kernels/prepare.h"
#include "cuda/kernels/select.h"

namespace dentate::cuda {
namespace {

template <class Parameters>
__global__ void __launch_bounds__(512) Kernel(Parameters parameters) {
  CudaThread thread;
  Run(thread, parameters);
}

}  // namespace

cudaError_t Start(const Select& launch, const Shape& shape, cudaStream_t stream) {
  return StartKernel(Kernel<Select>, launch, shape, stream);
}

cudaError_t Start(const PrepareVectors& launch, const Shape& shape, cudaStream_t stream) {
  return StartKernel(Kernel<PrepareVectors>, launch, shape, stream);
}

cudaError_t Start(const EmbedSum& launch, const Shape& shape, cudaStream_t stream) {
  return StartKernel(Kernel<EmbedSum>, launch, shape, stream);
}

cudaError_t Start(const EmbedFinish& launch, const Shape& shape, cudaStream_t stream) {
  return StartKernel(Kernel<EmbedFinish>, launch, shape, stream);
}

}  // namespace dentate::cuda
