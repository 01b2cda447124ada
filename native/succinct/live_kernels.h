// The queries of a live tree, compiled once for each way of counting bits (word_bits.h) and chosen
// once for the process: with POPCNT and BMI2 where ActiveIsa() has them, portable otherwise.

#ifndef DENTATE_SUCCINCT_LIVE_KERNELS_H_
#define DENTATE_SUCCINCT_LIVE_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dentate::succinct {

class LiveWaveletTree;
struct LiveNode;

// What each does, and requires, is said at the methods of LiveWaveletTree.
struct LiveKernels {
  std::uint32_t (*access)(const LiveWaveletTree&, std::uint32_t position);
  std::uint32_t (*rank)(const LiveWaveletTree&, std::uint32_t symbol, std::uint32_t position);
  std::uint32_t (*select)(const LiveWaveletTree&, std::uint32_t symbol, std::uint32_t k);
  // Groups: REQUIRES at most kGroup queries.
  void (*access_group)(const LiveWaveletTree&, std::span<const std::uint32_t> positions,
                       std::uint32_t* out);
  void (*rank_group)(const LiveWaveletTree&, std::span<const std::uint32_t> symbols,
                     std::span<const std::uint32_t> positions, std::uint32_t* out);
  void (*select_group)(const LiveWaveletTree&, std::span<const std::uint32_t> symbols,
                       std::span<const std::uint32_t> ks, std::uint32_t* out);
  void (*access_range)(const LiveWaveletTree&, std::uint32_t start, std::uint32_t end,
                       std::uint32_t* out);
  std::size_t (*occurrences)(const LiveWaveletTree&, std::uint32_t symbol, std::uint32_t from,
                             std::span<std::uint32_t> out);
  // How often each digit comes before a position of the node.
  std::array<std::uint32_t, 4> (*node_ranks)(const LiveNode&, std::uint32_t position);
};

const LiveKernels& ActiveLiveKernels() noexcept;

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_LIVE_KERNELS_H_
