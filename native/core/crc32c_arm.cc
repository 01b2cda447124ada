// CRC-32C by the instructions of arm64's CRC32 extension, three streams side by side.
//
//   crc32cx   latency 2 to 3, one a cycle (Cortex-A72 on, Apple M1): 8 bytes a cycle
//
// Bottleneck: that one execution port, then memory.
//
// Written as assembly, because GCC and Clang 14 agree neither on the name of the target attribute
// nor on when arm_acle.h declares the intrinsics.

#include "core/crc32c_kernels.h"

#if defined(__aarch64__)

namespace dentate::crc32c {
namespace {

std::uint64_t Load(const std::uint8_t* bytes) {
  std::uint64_t word;
  __builtin_memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint32_t Step8(std::uint32_t state, std::uint64_t word) {
  asm(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(state) : "r"(word));
  return state;
}

std::uint32_t Step1(std::uint32_t state, std::uint8_t byte) {
  asm(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(state) : "r"(byte));
  return state;
}

std::uint32_t Advance(const AdvanceTable& table, std::uint32_t state) {
  return table[0][state & 0xff] ^ table[1][state >> 8 & 0xff] ^ table[2][state >> 16 & 0xff] ^
         table[3][state >> 24];
}

std::uint32_t ThreeStreams(std::uint32_t state, const std::uint8_t* bytes, std::size_t stride,
                           const AdvanceTable& table) {
  std::uint32_t first = state;
  std::uint32_t second = 0;
  std::uint32_t third = 0;
  for (std::size_t i = 0; i < stride; i += 8) {
    first = Step8(first, Load(bytes + i));
    second = Step8(second, Load(bytes + stride + i));
    third = Step8(third, Load(bytes + 2 * stride + i));
  }
  return Advance(table, Advance(table, first) ^ second) ^ third;
}

}  // namespace

std::uint32_t ExtendArm(std::uint32_t state, const std::uint8_t* bytes, std::size_t size) {
  for (; size >= 3 * kLongStride; bytes += 3 * kLongStride, size -= 3 * kLongStride) {
    state = ThreeStreams(state, bytes, kLongStride, kAdvanceLong);
  }
  for (; size >= 3 * kShortStride; bytes += 3 * kShortStride, size -= 3 * kShortStride) {
    state = ThreeStreams(state, bytes, kShortStride, kAdvanceShort);
  }
  for (; size >= 8; bytes += 8, size -= 8) state = Step8(state, Load(bytes));
  for (; size > 0; ++bytes, --size) state = Step1(state, *bytes);
  return state;
}

}  // namespace dentate::crc32c

#endif
