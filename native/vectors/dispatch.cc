#include "vectors/kernels.h"

namespace dentate::vectors {

const Kernels& KernelsFor(Isa isa) noexcept {
#if defined(__x86_64__)
  if (isa == Isa::kAvx512) return kAvx512Kernels;
  if (isa == Isa::kAvx2) return kAvx2Kernels;
#else
  static_cast<void>(isa);
#endif
  return kScalarKernels;
}

const Kernels& ActiveKernels() noexcept {
  static const Kernels& active = KernelsFor(ActiveIsa());
  return active;
}

}  // namespace dentate::vectors
