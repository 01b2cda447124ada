#include "accelerate/cosine_kernels.h"

namespace dentate::accelerate {

const CosineKernels& CosineKernelsFor(Isa isa) noexcept {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::kAvx512:
      return kAvx512CosineKernels;
    case Isa::kAvx2:
      return kAvx2CosineKernels;
#elif defined(__aarch64__)
    case Isa::kNeon:
      return kNeonCosineKernels;
#endif
    default:
      return kScalarCosineKernels;
  }
}

const CosineKernels& ActiveCosineKernels() noexcept {
  static const CosineKernels& active = CosineKernelsFor(ActiveIsa());
  return active;
}

}  // namespace dentate::accelerate
