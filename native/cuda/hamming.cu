#include "cuda/cuda_launch.h"
#include "cuda/cuda_thread.cuh"
#include "cuda/kernels/hamming.h"

namespace dentate::cuda {
namespace {

// A kernel for each number of words that has a path of its own, so that none pays for another's
// registers.
template <std::uint32_t kWords, class Scan>
__global__ void __launch_bounds__(256) ScanKernel(Scan scan) {
  CudaThread thread;
  RunWords<kWords>(thread, scan);
}

__global__ void __launch_bounds__(256) ListKernel(HammingList list) {
  CudaThread thread;
  Run(thread, list);
}

template <class Scan>
cudaError_t StartScan(const Scan& scan, const Shape& shape, cudaStream_t stream) {
  switch (scan.words) {
    case 1:
      return StartKernel(ScanKernel<1, Scan>, scan, shape, stream);
    case 2:
      return StartKernel(ScanKernel<2, Scan>, scan, shape, stream);
    case 4:
      return StartKernel(ScanKernel<4, Scan>, scan, shape, stream);
    default:
      return StartKernel(ScanKernel<0, Scan>, scan, shape, stream);
  }
}

}  // namespace

cudaError_t Start(const HammingScan& launch, const Shape& shape, cudaStream_t stream) {
  return StartScan(launch, shape, stream);
}

cudaError_t Start(const HammingMark& launch, const Shape& shape, cudaStream_t stream) {
  return StartScan(launch, shape, stream);
}

cudaError_t Start(const HammingList& launch, const Shape& shape, cudaStream_t stream) {
  return StartKernel(ListKernel, launch, shape, stream);
}

}  // namespace dentate::cuda
