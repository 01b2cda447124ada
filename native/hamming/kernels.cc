#include "hamming/kernels.h"

#include "core/cpu.h"

namespace dentate::hamming {
namespace {

bool HasPopcnt() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_supports("popcnt") != 0;
#else
  return true;  // elsewhere kScalarKernels is plain C++ too
#endif
}

const Kernels& KernelsOf(Isa isa) noexcept {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::kAvx512:
      return kAvx512Kernels;
    case Isa::kAvx2:
      return kAvx2Kernels;
#elif defined(__aarch64__)
    case Isa::kNeon:
      return kNeonKernels;
#endif
    default:
      return HasPopcnt() ? kScalarKernels : kSwarKernels;
  }
}

}  // namespace

const Kernels& ActiveKernels() noexcept {
  static const Kernels& active = KernelsOf(ActiveIsa());
  return active;
}

const Kernels* RunnableKernels(std::size_t index) noexcept {
  const auto supported = SupportedIsas();
  if (index < supported.size()) return &KernelsOf(supported[index]);
  return index == supported.size() && HasPopcnt() ? &kSwarKernels : nullptr;
}

}  // namespace dentate::hamming
