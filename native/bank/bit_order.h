// Numbers as a wavelet tree likes them.
//
// Numbers that are given in order share their high bits and differ in the low ones. A wavelet tree
// takes the high ones first: reversed, its first levels divide what is there, and rare symbols end
// in a leaf early.

#ifndef DENTATE_BANK_BIT_ORDER_H_
#define DENTATE_BANK_BIT_ORDER_H_

#include <cstdint>

namespace dentate::bank {

// The low kBits of `value`, the other way round. Its own inverse.
template <unsigned kBits>
constexpr std::uint32_t ReverseBits(std::uint32_t value) noexcept {
  static_assert(kBits > 0 && kBits <= 32);
  value = (value & 0x55555555) << 1 | (value >> 1 & 0x55555555);
  value = (value & 0x33333333) << 2 | (value >> 2 & 0x33333333);
  value = (value & 0x0f0f0f0f) << 4 | (value >> 4 & 0x0f0f0f0f);
  return __builtin_bswap32(value) >> (32 - kBits);
}

}  // namespace dentate::bank

#endif  // DENTATE_BANK_BIT_ORDER_H_
