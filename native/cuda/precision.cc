#include "cuda/precision.h"

namespace dentate::cuda {

std::uint16_t ToFp16(float value) {
  const std::uint32_t bits = BitsOf(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const float magnitude = std::fabs(value);
  // 65520 is halfway between the largest number and the next power, and rounds up to infinity.
  if (!(magnitude < 65520.0F)) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 6.103515625e-05F) {
    // Subnormal: multiples of 2^-24. Scaling by a power of two is exact, and nearbyint rounds to
    // even.
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 24))));
  }
  // Ten of 23 bits of the fraction stay; adding just under half a unit rounds, and may carry
  // upwards.
  const std::uint32_t odd = (bits >> 13) & 1U;
  const std::uint32_t rounded = (bits & 0x7FFFFFFFU) + 0xFFFU + odd;
  return static_cast<std::uint16_t>(sign | ((rounded - (112U << 23)) >> 13));
}

float FromFp16(std::uint16_t bits) {
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  float magnitude = 0;
  if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else if (exponent == 31) {
    magnitude = fraction == 0 ? INFINITY : NAN;
  } else {
    magnitude = std::ldexp(static_cast<float>(fraction | 0x400U), static_cast<int>(exponent) - 25);
  }
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

std::uint16_t ToBf16(float value) {
  const std::uint32_t bits = BitsOf(value);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

float FromBf16(std::uint16_t bits) { return FloatOf(std::uint32_t{bits} << 16); }

}  // namespace dentate::cuda
