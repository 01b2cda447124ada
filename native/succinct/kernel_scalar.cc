// The reference kernels: x86-64 baseline, and every other CPU.

#include "succinct/bits_scalar.h"
#include "succinct/kernels.h"
#include "succinct/symbol_starts.h"

#define DENTATE_KERNEL

namespace dentate::succinct {
namespace {

inline std::uint32_t Popcount(std::uint64_t word) {
#if defined(__aarch64__)
  return static_cast<std::uint32_t>(__builtin_popcountll(word));  // CNT and ADDV
#else
  return PopcountScalar(word);
#endif
}

std::uint32_t SelectInWord(std::uint64_t word, std::uint32_t k) {
  return SelectInWordScalar(word, k);
}

inline std::uint64_t LowMask(std::uint32_t n) {
  return ((std::uint64_t{1} << n % 64) - 1) | (std::uint64_t{0} - (n >= 64 ? 1 : 0));
}

std::uint32_t CountOnes(const std::uint64_t* words, std::uint32_t bit_count) {
  std::uint32_t ones = 0;
  for (; bit_count >= 64; bit_count -= 64) {
    ones += Popcount(__atomic_load_n(words++, __ATOMIC_RELAXED));
  }
  if (bit_count == 0) return ones;  // else *words may lie past the line
  const std::uint64_t below = (std::uint64_t{1} << bit_count) - 1;
  return ones + Popcount(__atomic_load_n(words, __ATOMIC_RELAXED) & below);
}

std::uint32_t BatchLineRank(const std::uint64_t* line, std::uint32_t digit, std::uint32_t offset);

#include "succinct/quad_ops.h"

#include "succinct/huffman_ops.h"  // needs it

std::uint32_t BatchLineRank(const std::uint64_t* line, std::uint32_t digit, std::uint32_t offset) {
  return LineRank(line, digit, offset);
}

std::uint64_t PackLine(const std::uint32_t* symbols, std::uint32_t shift, std::uint64_t* line) {
  std::uint64_t low[4] = {};
  std::uint64_t high[4] = {};
  for (std::uint32_t i = 0; i < kLineDigits; ++i) {
    const std::uint64_t digit = symbols[i] >> shift;
    low[i / 64] |= (digit & 1) << i % 64;
    high[i / 64] |= (digit >> 1 & 1) << i % 64;
  }
  return StoreLine(low, high, line);
}

}  // namespace

const Kernels kScalarKernels = {"scalar",   CountOnes, SelectInWord, PackLine,    Access,      Rank,
                                Select,     Run,       AccessMany,   RankMany,    SelectMany,  Lift,
                                AccessSpan, Children,  HuffmanSpan,  HuffmanLift, HuffmanCount};

}  // namespace dentate::succinct
