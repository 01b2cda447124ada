// Population count and select inside a 64-bit word, with and without the CPU's own instructions.
//
// The queries of the live tree are templates over one of these policies, instantiated once each and
// chosen at run time (live_kernels.h). The instructions are written as assembly rather than through
// target attributes, because an attribute would have to be repeated on every function of a descent,
// and one that is forgotten silently costs a call. Two policies are two types, so the linker can't
// mix their instantiations up.
//
// Source of the portable select: S. Vigna, "Broadword Implementation of Rank/Select Queries",
// WEA 2008, reduced to a byte search since k is small here.

#ifndef DENTATE_SUCCINCT_WORD_BITS_H_
#define DENTATE_SUCCINCT_WORD_BITS_H_

#include <bit>
#include <cstdint>

#include "succinct/bits_scalar.h"

namespace dentate::succinct {

struct PortableBits {
  static unsigned Count(std::uint64_t word) noexcept { return PopcountScalar(word); }

  // Index of the one bit that has k ones below it. REQUIRES: k < Count(word).
  static unsigned Select(std::uint64_t word, unsigned k) noexcept {
    return SelectInWordScalar(word, k);
  }
};

#if defined(__x86_64__)
// POPCNT and BMI2: Haswell (2013), Zen (2017).
struct Bmi2Bits {
  static unsigned Count(std::uint64_t word) noexcept {
    std::uint64_t count = 0;
    asm("popcntq %1, %0" : "=r"(count) : "r"(word) : "cc");
    return static_cast<unsigned>(count);
  }

  // Index of the one bit that has k ones below it. REQUIRES: k < Count(word).
  static unsigned Select(std::uint64_t word, unsigned k) noexcept {
    std::uint64_t bit = 0;
    asm("pdepq %2, %1, %0" : "=r"(bit) : "r"(std::uint64_t{1} << k), "r"(word));
    return static_cast<unsigned>(std::countr_zero(bit));
  }
};
#endif

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_WORD_BITS_H_
