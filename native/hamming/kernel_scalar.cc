// The reference kernels: a row at a time.
//
//   POPCNT   1 a cycle on Intel, 3 or 4 on AMD: a 128-bit row takes about a nanosecond
//   SWAR     12 operations a word, for an x86-64 CPU older than 2008 or any other CPU
//
// The distance is kept in 32 bits: no limit is in reach.

#include "hamming/kernels.h"

#if defined(__x86_64__)
#define DENTATE_TARGET_POPCNT __attribute__((target("popcnt")))
#else
#define DENTATE_TARGET_POPCNT
#endif
// Inlined before it is compiled, and so compiled for the caller's target: the builtin becomes one
// instruction in RangePopcnt.
#define DENTATE_INLINE inline __attribute__((always_inline))

namespace dentate::hamming {
namespace {

struct Popcnt {
  static DENTATE_INLINE std::uint32_t Count(std::uint64_t word) {
    return static_cast<std::uint32_t>(__builtin_popcountll(word));
  }
};

struct Swar {
  static DENTATE_INLINE std::uint32_t Count(std::uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555;
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return static_cast<std::uint32_t>((word * 0x0101010101010101) >> 56);
  }
};

template <typename Counter>
DENTATE_INLINE std::uint32_t Distance(const Block& block, const Probe& probe, std::size_t row,
                                      std::size_t from, std::size_t to) {
  std::uint32_t distance = 0;
  for (std::size_t w = from; w < to; ++w) {
    distance += Counter::Count(block.columns[w * block.stride + row] ^ probe.query[w]);
  }
  return distance;
}

// A constant prefix is unrolled.
template <typename Counter>
DENTATE_INLINE Found RangeOf(std::size_t prefix, const Block& block, const Probe& probe,
                             std::uint32_t* ids, std::uint16_t* distances) {
  Found found{0, 0};
  for (std::size_t row = 0; row < block.rows; ++row) {
    std::uint32_t distance = Distance<Counter>(block, probe, row, 0, prefix);
    if (distance > probe.radius) continue;
    if (prefix < probe.words) {
      ++found.verified;
      distance += Distance<Counter>(block, probe, row, prefix, probe.words);
      if (distance > probe.radius) continue;
    }
    ids[found.matches] = block.first_id + static_cast<std::uint32_t>(row);
    distances[found.matches] = static_cast<std::uint16_t>(distance);
    ++found.matches;
  }
  return found;
}

template <typename Counter>
DENTATE_INLINE Found Range(const Block& block, const Probe& probe, std::uint32_t* ids,
                           std::uint16_t* distances) {
  switch (probe.prefix) {
    case 1:
      return RangeOf<Counter>(1, block, probe, ids, distances);
    case 2:
      return RangeOf<Counter>(2, block, probe, ids, distances);
    case 4:
      return RangeOf<Counter>(4, block, probe, ids, distances);
    default:
      return RangeOf<Counter>(probe.prefix, block, probe, ids, distances);
  }
}

DENTATE_TARGET_POPCNT Found RangePopcnt(const Block& block, const Probe& probe, std::uint32_t* ids,
                                        std::uint16_t* distances) {
  return Range<Popcnt>(block, probe, ids, distances);
}

Found RangeSwar(const Block& block, const Probe& probe, std::uint32_t* ids,
                std::uint16_t* distances) {
  return Range<Swar>(block, probe, ids, distances);
}

std::uint64_t Sum(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += words[i];
  return sum;
}

}  // namespace

const Kernels kScalarKernels = {"scalar", RangePopcnt, Sum};
const Kernels kSwarKernels = {"swar", RangeSwar, Sum};

}  // namespace dentate::hamming
