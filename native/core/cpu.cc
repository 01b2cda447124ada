#include "core/cpu.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace dentate {
namespace {

struct Supported {
  std::array<Isa, 3> items{};
  std::size_t count = 0;

  Supported() noexcept {
#if defined(__x86_64__)
    // __builtin_cpu_supports also asks the OS (XGETBV) whether it saves the registers, which a
    // bare CPUID test would miss.
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vnni")) {
      items[count++] = Isa::kAvx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) {
      items[count++] = Isa::kAvx2;
    }
#elif defined(__aarch64__)
    items[count++] = Isa::kNeon;  // part of the architecture
#endif
    items[count++] = Isa::kScalar;
  }
};

const Supported& GetSupported() noexcept {
  static const Supported supported;
  return supported;
}

Isa Choose() noexcept {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): read once, while the addon is being loaded.
  if (const char* forced = std::getenv("DENTATE_KERNEL")) {
    for (const Isa isa : SupportedIsas()) {
      if (std::string_view(IsaName(isa)) == forced) return isa;
    }
  }
  return GetSupported().items[0];
}

}  // namespace

const char* IsaName(Isa isa) noexcept {
  switch (isa) {
    case Isa::kNeon:
      return "neon";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
    case Isa::kScalar:
      break;
  }
  return "scalar";
}

std::span<const Isa> SupportedIsas() noexcept {
  return {GetSupported().items.data(), GetSupported().count};
}

Isa ActiveIsa() noexcept {
  static const Isa active = Choose();
  return active;
}

}  // namespace dentate
