#include "accelerate/panel_kernels.h"

namespace dentate::accelerate {

const PanelKernels& PanelKernelsFor(Isa isa) noexcept {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::kAvx512:
      return kAvx512PanelKernels;
    case Isa::kAvx2:
      return kAvx2PanelKernels;
#elif defined(__aarch64__)
    case Isa::kNeon:
      return kNeonPanelKernels;
#endif
    default:
      return kScalarPanelKernels;
  }
}

const PanelKernels& ActivePanelKernels() noexcept {
  static const PanelKernels& active = PanelKernelsFor(ActiveIsa());
  return active;
}

}  // namespace dentate::accelerate
