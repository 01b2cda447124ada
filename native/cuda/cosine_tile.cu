#include "cuda/cuda_launch.h"
#include "cuda/cuda_thread.cuh"
#include "cuda/kernels/cosine_tile.h"

namespace dentate::cuda {
namespace {

// kNarrow fits twice in a multiprocessor's registers, the others would spill.
template <std::uint32_t kTile, Precision kPrecision>
__global__ void __launch_bounds__(kTileThreads, kTile == kNarrow ? 2 : 1)
    TileKernel(CosineTile tile) {
  CudaThread thread;
  RunTile<kTile, kPrecision>(thread, tile);
}

template <std::uint32_t kTile>
cudaError_t StartTile(const CosineTile& launch, const Shape& shape, cudaStream_t stream) {
  switch (launch.precision) {
    case Precision::kFp16:
      return StartKernel(TileKernel<kTile, Precision::kFp16>, launch, shape, stream);
    case Precision::kBf16:
      return StartKernel(TileKernel<kTile, Precision::kBf16>, launch, shape, stream);
    default:
      return StartKernel(TileKernel<kTile, Precision::kInt8>, launch, shape, stream);
  }
}

}  // namespace

cudaError_t Start(const CosineTile& launch, const Shape& shape, cudaStream_t stream) {
  switch (launch.tile) {
    case kNarrow:
      return StartTile<kNarrow>(launch, shape, stream);
    case kMiddle:
      return StartTile<kMiddle>(launch, shape, stream);
    default:
      return StartTile<kWide>(launch, shape, stream);
  }
}

}  // namespace dentate::cuda
