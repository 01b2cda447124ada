// The implementations of crc32c.h, and how streams are joined. Internal.
//
//   slicing  any CPU: 8 bytes a step through 8 tables of 256 (Kounavis and Berry, "A Systematic
//            Approach to Building High Performance Software-Based CRC Generators", ISCC 2005)
//   sse42    x86-64 with SSE4.2, which every CPU with AVX2 has
//   arm      arm64 with the CRC32 extension
//
// An instruction takes 8 bytes and is done after 3 cycles, but one can start in each: so the last
// two run three streams side by side, each kStride bytes long, and then move the first two
// registers on over the bytes behind them. That is linear in the register, so a table lookup for
// each of its bytes does it: Advance, with a table for each stride.
//
//   | stream 0: kStride bytes | stream 1 | stream 2 |   register = A(A(r0) ^ r1) ^ r2
//
// Registers below are the inverted checksums that the instructions work on.

#ifndef DENTATE_CORE_CRC32C_KERNELS_H_
#define DENTATE_CORE_CRC32C_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dentate::crc32c {

inline constexpr std::uint32_t kPolynomial = 0x82F63B78;  // 0x1EDC6F41, reflected

// Two strides: the long one for what has thousands of bytes, the short one for the rest.
inline constexpr std::size_t kLongStride = 1024;
inline constexpr std::size_t kShortStride = 128;

struct Kernel {
  const char* name;
  std::uint32_t (*extend)(std::uint32_t state, const std::uint8_t* bytes, std::size_t size);
};

// Those that run here, fastest first; the last is slicing.
std::span<const Kernel> SupportedKernels() noexcept;

std::uint32_t ExtendSlicing(std::uint32_t state, const std::uint8_t* bytes, std::size_t size);
#if defined(__x86_64__)
std::uint32_t ExtendSse42(std::uint32_t state, const std::uint8_t* bytes, std::size_t size);
#elif defined(__aarch64__)
std::uint32_t ExtendArm(std::uint32_t state, const std::uint8_t* bytes, std::size_t size);
#endif

using AdvanceTable = std::array<std::array<std::uint32_t, 256>, 4>;

// Where the register stands after `zeros`, a power of two, zero bytes: by squaring the matrix of
// one byte. Column i of a matrix is where bit i goes.
constexpr AdvanceTable MakeAdvanceTable(std::size_t zeros) {
  std::array<std::uint32_t, 32> matrix{};
  for (unsigned bit = 0; bit < 32; ++bit) {
    std::uint32_t state = UINT32_C(1) << bit;
    for (int i = 0; i < 8; ++i) state = (state >> 1) ^ ((state & 1) != 0 ? kPolynomial : 0);
    matrix[bit] = state;
  }
  const auto apply = [&matrix](std::uint32_t state) {
    std::uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((state >> bit & 1) != 0) result ^= matrix[bit];
    }
    return result;
  };
  for (; zeros > 1; zeros /= 2) {
    std::array<std::uint32_t, 32> square{};
    for (unsigned bit = 0; bit < 32; ++bit) square[bit] = apply(matrix[bit]);
    matrix = square;
  }
  AdvanceTable table{};
  for (unsigned byte = 0; byte < 4; ++byte) {
    for (std::uint32_t value = 0; value < 256; ++value) {
      table[byte][value] = apply(value << (8 * byte));
    }
  }
  return table;
}

inline constexpr AdvanceTable kAdvanceLong = MakeAdvanceTable(kLongStride);
inline constexpr AdvanceTable kAdvanceShort = MakeAdvanceTable(kShortStride);

}  // namespace dentate::crc32c

#endif  // DENTATE_CORE_CRC32C_KERNELS_H_
