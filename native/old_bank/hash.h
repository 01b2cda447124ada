// The mixing function of the bank's hash tables.

#ifndef DENTATE_OLD_BANK_HASH_H_
#define DENTATE_OLD_BANK_HASH_H_

#include <cstdint>

namespace dentate::old_bank {

// A bijection in which each input bit reaches each output bit.
// Source: the finalizer of SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom
// Number Generators", OOPSLA 2014), in D. Stafford's variant 13.
constexpr std::uint64_t Mix(std::uint64_t value) noexcept {
  value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
  return value ^ (value >> 31);
}

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_HASH_H_
