// The reference kernels: x86-64 baseline, and every other CPU.

#include "succinct/bits_scalar.h"
#include "succinct/kernels.h"

namespace dentate::succinct {
namespace {

std::uint32_t CountOnes(const std::uint64_t* words, std::uint32_t bit_count) {
  std::uint32_t ones = 0;
  for (; bit_count >= 64; bit_count -= 64) {
    ones += PopcountScalar(__atomic_load_n(words++, __ATOMIC_RELAXED));
  }
  if (bit_count == 0) return ones;  // else *words may lie past the line
  const std::uint64_t below = (std::uint64_t{1} << bit_count) - 1;
  return ones + PopcountScalar(__atomic_load_n(words, __ATOMIC_RELAXED) & below);
}

std::uint32_t SelectInWord(std::uint64_t word, std::uint32_t k) {
  return SelectInWordScalar(word, k);
}

}  // namespace

const Kernels kScalarKernels = {"scalar", CountOnes, SelectInWord};

}  // namespace dentate::succinct
