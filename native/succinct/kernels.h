// The succinct structures' bit kernels: one table per instruction set.
//
// A table is chosen once by core/cpu.h (DENTATE_KERNEL forces one by name). The baseline object has
// no POPCNT, so even a single popcount goes through the table; an object that asks many questions
// keeps the reference that ActiveKernels() returns.

#ifndef DENTATE_SUCCINCT_KERNELS_H_
#define DENTATE_SUCCINCT_KERNELS_H_

#include <cstdint>
#include <span>

namespace dentate::succinct {

struct Kernels {
  const char* name;  // "scalar", "avx2", "avx512": also what DENTATE_KERNEL accepts.

  // Ones among the first `bit_count` bits of `words`. Words are read by relaxed atomic loads, so a
  // writer may be setting bits at and after `bit_count` meanwhile.
  // REQUIRES: bit_count <= 448, a line of RankLine.
  std::uint32_t (*count_ones)(const std::uint64_t* words, std::uint32_t bit_count);

  // Position of the one bit number k, k from 0. REQUIRES: k < popcount(word).
  std::uint32_t (*select_in_word)(std::uint64_t word, std::uint32_t k);
};

// The table in use, constant for the life of the process; any thread.
const Kernels& ActiveKernels() noexcept;

// Every table this CPU can run, fastest first; the last is always scalar.
std::span<const Kernels* const> SupportedKernels() noexcept;

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_KERNELS_H_
