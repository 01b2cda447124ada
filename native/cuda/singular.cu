#include "cuda/cuda_launch.h"
#include "cuda/cuda_thread.cuh"
#include "cuda/kernels/singular.h"

namespace dentate::cuda {
namespace {

template <class Parameters>
__global__ void __launch_bounds__(256) Kernel(Parameters parameters) {
  CudaThread thread;
  Run(thread, parameters);
}

}  // namespace

cudaError_t Start(const Gram& launch, const Shape& shape, cudaStream_t stream) {
  return StartKernel(Kernel<Gram>, launch, shape, stream);
}

cudaError_t Start(const Square& launch, const Shape& shape, cudaStream_t stream) {
  return StartKernel(Kernel<Square>, launch, shape, stream);
}

cudaError_t Start(const Singular& launch, const Shape& shape, cudaStream_t stream) {
  return StartKernel(Kernel<Singular>, launch, shape, stream);
}

}  // namespace dentate::cuda
