// NEON (arm64): two rows at a time, eight a turn.
//
//   CNT      popcount of 16 bytes
//   UADALP   adds pairs of lanes into lanes twice as wide
//
// Limit: a byte counts at most 8 a word, so that it holds 31 words before it has to be widened.

#if defined(__aarch64__)

#include <arm_neon.h>

#include "hamming/kernels.h"

namespace dentate::hamming {
namespace {

constexpr std::size_t kLanes = 2;
constexpr std::size_t kVectors = 4;  // a turn
constexpr std::size_t kTurn = kLanes * kVectors;
constexpr std::size_t kWordsPerByteSum = 31;
static_assert(kWordsPerByteSum * 8 <= 255);

inline uint8x16_t CountBytes(const std::uint64_t* row, uint64x2_t word) {
  return vcntq_u8(vreinterpretq_u8_u64(veorq_u64(vld1q_u64(row), word)));
}

inline uint64x2_t Widen(uint8x16_t bytes) { return vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(bytes))); }

// The distance of one row over words [from, to).
inline std::uint64_t RowDistance(const Block& block, const Probe& probe, std::size_t row,
                                 std::size_t from, std::size_t to) {
  std::uint64_t distance = 0;
  for (std::size_t w = from; w < to; ++w) {
    const std::uint64_t bits = block.columns[w * block.stride + row] ^ probe.query[w];
    distance += vaddv_u8(vcnt_u8(vcreate_u8(bits)));
  }
  return distance;
}

// One row whose prefix is at `distance`: reads the rest, and writes it where it matches.
inline void Accept(const Block& block, const Probe& probe, std::size_t row, std::uint64_t distance,
                   Found& found, std::uint32_t* ids, std::uint16_t* distances) {
  if (distance > probe.radius) return;
  if (probe.prefix < probe.words) {
    ++found.verified;
    distance += RowDistance(block, probe, row, probe.prefix, probe.words);
    if (distance > probe.radius) return;
  }
  ids[found.matches] = block.first_id + static_cast<std::uint32_t>(row);
  distances[found.matches] = static_cast<std::uint16_t>(distance);
  ++found.matches;
}

Found Range(const Block& block, const Probe& probe, std::uint32_t* ids, std::uint16_t* distances) {
  Found found{0, 0};
  std::size_t row = 0;
  for (; row + kTurn <= block.rows; row += kTurn) {
    uint64x2_t sums[kVectors] = {vdupq_n_u64(0), vdupq_n_u64(0), vdupq_n_u64(0), vdupq_n_u64(0)};
    for (std::size_t from = 0; from < probe.prefix; from += kWordsPerByteSum) {
      const std::size_t left = probe.prefix - from;
      const std::size_t to = left < kWordsPerByteSum ? probe.prefix : from + kWordsPerByteSum;
      uint8x16_t bytes[kVectors] = {vdupq_n_u8(0), vdupq_n_u8(0), vdupq_n_u8(0), vdupq_n_u8(0)};
      for (std::size_t w = from; w < to; ++w) {
        const uint64x2_t word = vdupq_n_u64(probe.query[w]);
        const std::uint64_t* column = block.columns + w * block.stride + row;
        for (std::size_t v = 0; v < kVectors; ++v) {
          bytes[v] = vaddq_u8(bytes[v], CountBytes(column + v * kLanes, word));
        }
      }
      for (std::size_t v = 0; v < kVectors; ++v) sums[v] = vaddq_u64(sums[v], Widen(bytes[v]));
    }
    // Distances fit in the low half of a lane, whose high half is zero: turned to all ones, it
    // drops out of a 32-bit minimum.
    const uint64x2_t high = vdupq_n_u64(0xffffffff00000000);
    uint32x4_t least = vreinterpretq_u32_u64(vorrq_u64(sums[0], high));
    for (std::size_t v = 1; v < kVectors; ++v) {
      least = vminq_u32(least, vreinterpretq_u32_u64(vorrq_u64(sums[v], high)));
    }
    if (vminvq_u32(least) > probe.radius) continue;
    for (std::size_t v = 0; v < kVectors; ++v) {
      Accept(block, probe, row + v * kLanes, vgetq_lane_u64(sums[v], 0), found, ids, distances);
      Accept(block, probe, row + v * kLanes + 1, vgetq_lane_u64(sums[v], 1), found, ids, distances);
    }
  }
  for (; row < block.rows; ++row) {
    Accept(block, probe, row, RowDistance(block, probe, row, 0, probe.prefix), found, ids,
           distances);
  }
  return found;
}

std::uint64_t Sum(const std::uint64_t* words, std::size_t count) {
  uint64x2_t sums[kVectors] = {vdupq_n_u64(0), vdupq_n_u64(0), vdupq_n_u64(0), vdupq_n_u64(0)};
  std::size_t i = 0;
  for (; i + kTurn <= count; i += kTurn) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[v] = vaddq_u64(sums[v], vld1q_u64(words + i + v * kLanes));
    }
  }
  std::uint64_t sum =
      vaddvq_u64(vaddq_u64(vaddq_u64(sums[0], sums[1]), vaddq_u64(sums[2], sums[3])));
  for (; i < count; ++i) sum += words[i];
  return sum;
}

}  // namespace

const Kernels kNeonKernels = {"neon", Range, Sum};

}  // namespace dentate::hamming

#endif  // defined(__aarch64__)
