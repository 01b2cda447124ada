#include "cuda/cuda_launch.h"
#include "cuda/cuda_thread.cuh"
#include "cuda/kernels/cosine_scan.h"

namespace dentate::cuda {
namespace {

template <Precision kPrecision, std::uint32_t kQueries>
__global__ void __launch_bounds__(256) ScanKernel(CosineScan scan) {
  CudaThread thread;
  RunScan<kPrecision, kQueries>(thread, scan);
}

template <class Parameters>
__global__ void __launch_bounds__(256) ExactKernel(Parameters parameters) {
  CudaThread thread;
  Run(thread, parameters);
}

template <Precision kPrecision>
cudaError_t StartScan(const CosineScan& scan, const Shape& shape, cudaStream_t stream) {
  return scan.query_count == 1
             ? StartKernel(ScanKernel<kPrecision, 1>, scan, shape, stream)
             : StartKernel(ScanKernel<kPrecision, kScanQueries>, scan, shape, stream);
}

}  // namespace

cudaError_t Start(const CosineScan& launch, const Shape& shape, cudaStream_t stream) {
  switch (launch.precision) {
    case Precision::kFp16:
      return StartScan<Precision::kFp16>(launch, shape, stream);
    case Precision::kBf16:
      return StartScan<Precision::kBf16>(launch, shape, stream);
    default:
      return StartScan<Precision::kInt8>(launch, shape, stream);
  }
}

cudaError_t Start(const ExactScan& launch, const Shape& shape, cudaStream_t stream) {
  return StartKernel(ExactKernel<ExactScan>, launch, shape, stream);
}

cudaError_t Start(const Rescore& launch, const Shape& shape, cudaStream_t stream) {
  return StartKernel(ExactKernel<Rescore>, launch, shape, stream);
}

}  // namespace dentate::cuda
