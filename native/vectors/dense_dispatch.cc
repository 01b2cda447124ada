#include "vectors/dense_kernels.h"

namespace dentate::vectors {

const DenseKernels& DenseKernelsFor(Isa isa) noexcept {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::kAvx512:
      return kAvx512DenseKernels;
    case Isa::kAvx2:
      return kAvx2DenseKernels;
#elif defined(__aarch64__)
    case Isa::kNeon:
      return kNeonDenseKernels;
#endif
    default:
      return kScalarDenseKernels;
  }
}

const DenseKernels& ActiveDenseKernels() noexcept {
  static const DenseKernels& active = DenseKernelsFor(ActiveIsa());
  return active;
}

}  // namespace dentate::vectors
