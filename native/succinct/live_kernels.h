// The queries of a live tree, compiled once for each way of counting bits (word_bits.h) and chosen
// once for the process: with POPCNT and BMI2 where ActiveIsa() has them, portable otherwise.

#ifndef DENTATE_SUCCINCT_LIVE_KERNELS_H_
#define DENTATE_SUCCINCT_LIVE_KERNELS_H_

#include <cstdint>

#include "succinct/word_bits.h"

namespace dentate::succinct {

class LiveWaveletTree;

struct LiveKernels {
  std::uint32_t (*access)(const LiveWaveletTree& tree, std::uint32_t position);
  std::uint32_t (*rank)(const LiveWaveletTree& tree, std::uint32_t symbol, std::uint32_t position);
  std::uint32_t (*select)(const LiveWaveletTree& tree, std::uint32_t symbol, std::uint32_t k);
};

const LiveKernels& ActiveLiveKernels() noexcept;

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_KERNELS_H_
