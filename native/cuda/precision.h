// How vectors are held for the scan that proposes candidates. Rows are of unit length, so that:
//
//   precision  bytes  error of a row, as a share of its length, at most (random rows of 384)
//   fp16         2    2^-11, and 2^-25 a component        (2e-4)
//   bf16         2    2^-8                                (1.7e-3)
//   int8         1    its scale / 2 = largest / 254, a component   (7e-3)
//
// The error is not assumed: PrepareVectors measures the largest of all rows, and the search uses
// that (cosine_search.cc).

#ifndef DENTATE_CUDA_PRECISION_H_
#define DENTATE_CUDA_PRECISION_H_

#include "cuda/device_code.h"

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace dentate::cuda {

// Products that stay far below 2^32 are made in 32 bits, a device's own width.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)

enum class Precision : std::uint32_t { kFp16 = 0, kBf16 = 1, kInt8 = 2 };

DENTATE_ANYWHERE std::uint32_t ElementBytes(Precision precision) {
  return precision == Precision::kInt8 ? 1 : 2;
}

#ifndef __CUDACC__
// Round to nearest, ties to even, as the device's conversions do. Finite values; too large ones
// become infinite.
std::uint16_t ToFp16(float value);
float FromFp16(std::uint16_t bits);
std::uint16_t ToBf16(float value);
float FromBf16(std::uint16_t bits);
#else
DENTATE_DEVICE std::uint16_t ToFp16(float value) {
  return __half_as_ushort(__float2half_rn(value));
}
DENTATE_DEVICE float FromFp16(std::uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
DENTATE_DEVICE std::uint16_t ToBf16(float value) {
  return __bfloat16_as_ushort(__float2bfloat16_rn(value));
}
DENTATE_DEVICE float FromBf16(std::uint16_t bits) {
  return __bfloat162float(__ushort_as_bfloat16(bits));
}
#endif

// The elements of 16 bytes as floats, int8 without its scale: 8 of them, or 16.
template <Precision kPrecision>
DENTATE_DEVICE void Unpack(const Vector16& packed, float* values) {
  DENTATE_UNROLL
  for (int word = 0; word < 4; ++word) {
    const std::uint32_t bits = packed.words[word];
    if constexpr (kPrecision == Precision::kInt8) {
      DENTATE_UNROLL
      for (int byte = 0; byte < 4; ++byte) {
        values[4 * word + byte] = static_cast<float>(static_cast<std::int8_t>(bits >> (8 * byte)));
      }
    } else {
      const auto low = static_cast<std::uint16_t>(bits);
      const auto high = static_cast<std::uint16_t>(bits >> 16);
      constexpr bool kIsFp16 = kPrecision == Precision::kFp16;
      values[2 * word] = kIsFp16 ? FromFp16(low) : FromBf16(low);
      values[2 * word + 1] = kIsFp16 ? FromFp16(high) : FromBf16(high);
    }
  }
}

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_PRECISION_H_
