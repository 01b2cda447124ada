// Matches as numbers: ascending keys are better matches first, of equals the lower id first.
//
//   bit 63                     32 31              0
//       |  distance, or how      |       id       |
//       |  far from the best     |                |
//       |  score, as an integer  |                |
//
// All keys of one search differ, since ids do: the best k are then one set in one order, whatever
// ran first.

#ifndef DENTATE_CUDA_KEYS_H_
#define DENTATE_CUDA_KEYS_H_

#include "cuda/device_code.h"

namespace dentate::cuda {

// Worse than any match. An id is at most 2^32 - 2, so that none has it.
inline constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

DENTATE_DEVICE std::uint64_t DistanceKey(std::uint32_t distance, std::uint32_t id) {
  return (static_cast<std::uint64_t>(distance) << 32) | id;
}

DENTATE_DEVICE std::uint32_t KeyId(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

DENTATE_DEVICE std::uint32_t KeyDistance(std::uint64_t key) {
  return static_cast<std::uint32_t>(key >> 32);
}

// Floats in the order of their values are integers in that order once negative ones are turned
// round. Zeros are one value: -0 counts as 0. REQUIRES: score is no NaN.
DENTATE_DEVICE std::uint64_t ScoreKey(float score, std::uint32_t id) {
  const std::uint32_t bits = BitsOf(score == 0.0F ? 0.0F : score);
  const std::uint32_t ascending = (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
  return (static_cast<std::uint64_t>(~ascending) << 32) | id;
}

DENTATE_DEVICE float KeyScore(std::uint64_t key) {
  const std::uint32_t ascending = ~static_cast<std::uint32_t>(key >> 32);
  return FloatOf((ascending >> 31) != 0 ? ascending & 0x7FFFFFFFU : ~ascending);
}

// The least score that a key below `limit` can have: what a kernel compares first.
DENTATE_DEVICE float LimitScore(std::uint64_t limit) {
  return limit == kNoKey ? -INFINITY : KeyScore(limit);
}

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_KEYS_H_
