// CRC-32C by SSE4.2's instruction, three streams side by side.
//
//   crc32 r64, m64   latency 3, one a cycle (Intel since Nehalem; AMD since Zen): 8 bytes a cycle
//
// Bottleneck: that one execution port, then memory.

#include "core/crc32c_kernels.h"

#if defined(__x86_64__)

#include <nmmintrin.h>

namespace dentate::crc32c {
namespace {

#define DENTATE_TARGET_SSE42 __attribute__((target("sse4.2")))

std::uint64_t Load(const std::uint8_t* bytes) {
  std::uint64_t word;
  __builtin_memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint32_t Advance(const AdvanceTable& table, std::uint32_t state) {
  return table[0][state & 0xff] ^ table[1][state >> 8 & 0xff] ^ table[2][state >> 16 & 0xff] ^
         table[3][state >> 24];
}

DENTATE_TARGET_SSE42 std::uint32_t ThreeStreams(std::uint32_t state, const std::uint8_t* bytes,
                                                std::size_t stride, const AdvanceTable& table) {
  std::uint64_t first = state;
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  for (std::size_t i = 0; i < stride; i += 8) {
    first = _mm_crc32_u64(first, Load(bytes + i));
    second = _mm_crc32_u64(second, Load(bytes + stride + i));
    third = _mm_crc32_u64(third, Load(bytes + 2 * stride + i));
  }
  const std::uint32_t joined =
      Advance(table, static_cast<std::uint32_t>(first)) ^ static_cast<std::uint32_t>(second);
  return Advance(table, joined) ^ static_cast<std::uint32_t>(third);
}

}  // namespace

DENTATE_TARGET_SSE42 std::uint32_t ExtendSse42(std::uint32_t state, const std::uint8_t* bytes,
                                               std::size_t size) {
  for (; size >= 3 * kLongStride; bytes += 3 * kLongStride, size -= 3 * kLongStride) {
    state = ThreeStreams(state, bytes, kLongStride, kAdvanceLong);
  }
  for (; size >= 3 * kShortStride; bytes += 3 * kShortStride, size -= 3 * kShortStride) {
    state = ThreeStreams(state, bytes, kShortStride, kAdvanceShort);
  }
  std::uint64_t rest = state;
  for (; size >= 8; bytes += 8, size -= 8) rest = _mm_crc32_u64(rest, Load(bytes));
  state = static_cast<std::uint32_t>(rest);
  for (; size > 0; ++bytes, --size) state = _mm_crc32_u8(state, *bytes);
  return state;
}

}  // namespace dentate::crc32c

#endif
