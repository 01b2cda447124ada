// Chooses the table once, at first use, by the instruction set core/cpu.h picked.

#include <array>
#include <cstddef>

#include "core/cpu.h"
#include "succinct/kernels.h"

namespace dentate::succinct {
namespace {

const Kernels* TableOf(Isa isa) noexcept {
#if defined(__x86_64__)
  if (isa == Isa::kAvx512) return &kAvx512Kernels;
  if (isa == Isa::kAvx2) return &kAvx2Kernels;
#endif
  static_cast<void>(isa);  // arm64: the scalar table, whose popcounts compile to CNT
  return &kScalarKernels;
}

struct Supported {
  std::array<const Kernels*, 3> items{};
  std::size_t count = 0;

  Supported() noexcept {
    for (const Isa isa : SupportedIsas()) {
      const Kernels* table = TableOf(isa);
      if (count == 0 || items[count - 1] != table) items[count++] = table;
    }
  }
};

}  // namespace

const Kernels& ActiveKernels() noexcept {
  static const Kernels& active = *TableOf(ActiveIsa());
  return active;
}

std::span<const Kernels* const> SupportedKernels() noexcept {
  static const Supported supported;
  return {supported.items.data(), supported.count};
}

}  // namespace dentate::succinct
