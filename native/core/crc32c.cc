#include "core/crc32c.h"

#include <array>
#include <cstring>
#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "core/cpu.h"
#include "core/crc32c_kernels.h"

namespace dentate {
namespace crc32c {
namespace {

using SlicingTables = std::array<std::array<std::uint32_t, 256>, 8>;

// Table k: the register after a byte and k zero bytes.
constexpr SlicingTables MakeSlicingTables() {
  SlicingTables tables{};
  for (std::uint32_t value = 0; value < 256; ++value) {
    std::uint32_t state = value;
    for (int i = 0; i < 8; ++i) state = (state >> 1) ^ ((state & 1) != 0 ? kPolynomial : 0);
    tables[0][value] = state;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t value = 0; value < 256; ++value) {
      const std::uint32_t state = tables[k - 1][value];
      tables[k][value] = (state >> 8) ^ tables[0][state & 0xff];
    }
  }
  return tables;
}

constexpr SlicingTables kTables = MakeSlicingTables();

bool HasInstruction() noexcept {
#if defined(__x86_64__)
  return ActiveIsa() != Isa::kScalar;
#elif defined(__aarch64__) && defined(__linux__)
  return ActiveIsa() != Isa::kScalar && (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#elif defined(__aarch64__) && defined(__APPLE__)
  return ActiveIsa() != Isa::kScalar;  // every arm64 Mac has it
#else
  return false;
#endif
}

}  // namespace

std::uint32_t ExtendSlicing(std::uint32_t state, const std::uint8_t* bytes, std::size_t size) {
  for (; size >= 8; bytes += 8, size -= 8) {
    // Put together byte by byte, so that the byte order of the machine does not matter.
    const std::uint32_t low =
        state ^ (std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 |
                 std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24);
    state = kTables[7][low & 0xff] ^ kTables[6][low >> 8 & 0xff] ^ kTables[5][low >> 16 & 0xff] ^
            kTables[4][low >> 24] ^ kTables[3][bytes[4]] ^ kTables[2][bytes[5]] ^
            kTables[1][bytes[6]] ^ kTables[0][bytes[7]];
  }
  for (; size > 0; ++bytes, --size) state = (state >> 8) ^ kTables[0][(state ^ *bytes) & 0xff];
  return state;
}

std::span<const Kernel> SupportedKernels() noexcept {
  static constexpr Kernel kKernels[] = {
#if defined(__x86_64__)
    {"sse42", ExtendSse42},
#elif defined(__aarch64__)
    {"arm", ExtendArm},
#endif
    {"slicing", ExtendSlicing},
  };
  const std::span<const Kernel> all(kKernels);
  return HasInstruction() ? all : all.last(1);
}

}  // namespace crc32c

std::uint32_t ExtendCrc32c(std::uint32_t crc, std::span<const std::uint8_t> bytes) noexcept {
  static const auto extend = crc32c::SupportedKernels().front().extend;
  return ~extend(~crc, bytes.data(), bytes.size());
}

}  // namespace dentate
