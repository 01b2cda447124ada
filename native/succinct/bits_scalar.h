// Popcount and select in a word without any instruction for them: SWAR ("SIMD within a register").
//
// Source: S. Vigna, "Broadword Implementation of Rank/Select Queries", WEA 2008.

#ifndef DENTATE_SUCCINCT_BITS_SCALAR_H_
#define DENTATE_SUCCINCT_BITS_SCALAR_H_

#include <cstdint>

namespace dentate::succinct {

inline constexpr std::uint64_t kByteOnes = 0x0101010101010101;

// Ones of each byte, in that byte.
constexpr std::uint64_t ByteCounts(std::uint64_t word) noexcept {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  return (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
}

constexpr std::uint32_t PopcountScalar(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(ByteCounts(word) * kByteOnes >> 56);
}

// Position of the one bit number k, k from 0. REQUIRES: k < popcount(word).
constexpr std::uint32_t SelectInWordScalar(std::uint64_t word, std::uint32_t k) noexcept {
  // Byte b of `sums` holds the ones of bytes 0..b; the answer lies in the first byte whose sum
  // exceeds k. All sums are at most 64, so no byte's subtraction borrows from its neighbour.
  const std::uint64_t sums = ByteCounts(word) * kByteOnes;
  const std::uint64_t not_above = ((k * kByteOnes | kByteOnes << 7) - sums) & kByteOnes << 7;
  const std::uint32_t byte = PopcountScalar(not_above) * 8;
  k -= static_cast<std::uint32_t>(sums << 8 >> byte & 0xff);
  std::uint64_t rest = word >> byte;
  for (; k > 0; --k) rest &= rest - 1;
  std::uint32_t position = byte;
  for (; (rest & 1) == 0; rest >>= 1) ++position;
  return position;
}

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_BITS_SCALAR_H_
