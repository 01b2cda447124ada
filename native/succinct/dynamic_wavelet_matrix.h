// A sequence of symbols that grows at its end and answers access, rank and select at once.
//
// The structure of the Hippocampus paper, as a wavelet tree while it grows (live_wavelet_tree.h
// says why a matrix's levels can't be appended to). Positions count from 0 and are 32 bits wide,
// intervals are half-open, rank counts in [0, i), and select(symbol, 0) is the first occurrence.
//
// Threads. One writer calls Append; any thread may query meanwhile, without a lock. A query sees
// the symbols of whole Append calls: those that were published before it began. Each query
// announces itself for as long as it runs (epoch.h).

#ifndef DENTATE_SUCCINCT_DYNAMIC_WAVELET_MATRIX_H_
#define DENTATE_SUCCINCT_DYNAMIC_WAVELET_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "succinct/live_wavelet_tree.h"

namespace dentate::succinct {

class DynamicWaveletMatrix {
 public:
  static constexpr std::uint32_t kNotFound = LiveWaveletTree::kNotFound;

  // REQUIRES: 1 <= symbol_bits <= 32.
  explicit DynamicWaveletMatrix(unsigned symbol_bits) : live_(symbol_bits) {}

  unsigned symbol_bits() const noexcept { return live_.symbol_bits(); }

  // Appends all or, when memory runs out (std::bad_alloc), nothing. Returns the new size. Writer
  // only. REQUIRES: each symbol < 2^symbol_bits; size() + symbols.size() < 2^32.
  std::uint32_t Append(std::span<const std::uint32_t> symbols) { return live_.Append(symbols); }

  // For all that follows: any thread. REQUIRES: positions and ends of intervals <= size(), below it
  // for Access; parallel spans of one length. Symbols of 2^symbol_bits and above do not occur.
  std::uint32_t size() const noexcept { return live_.size(); }

  std::uint32_t Access(std::uint32_t i) const;
  void AccessMany(std::span<const std::uint32_t> positions, std::uint32_t* out) const;
  // The symbols of [start, end), level by level over the whole interval.
  void AccessRange(std::uint32_t start, std::uint32_t end, std::uint32_t* out) const;

  // Occurrences in [0, i).
  std::uint32_t Rank(std::uint32_t symbol, std::uint32_t i) const;
  void RankMany(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> positions,
                std::uint32_t* out) const;
  std::uint32_t Count(std::uint32_t symbol) const;

  // Position of the occurrence that has k before it; kNotFound where there is none.
  std::uint32_t Select(std::uint32_t symbol, std::uint32_t k) const;
  void SelectMany(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> ks,
                  std::uint32_t* out) const;

  // Positions of the occurrences from, from + 1, ... in ascending order, as many as there are and
  // fit; returns how many.
  std::size_t Occurrences(std::uint32_t symbol, std::uint32_t from,
                          std::span<std::uint32_t> out) const;

  // Bytes taken from the system, unused ones included. Writer only.
  std::size_t SizeInBytes() const noexcept { return live_.SizeInBytes(); }

 private:
  bool Occurs(std::uint32_t symbol) const noexcept {
    return symbol_bits() == 32 || symbol >> symbol_bits() == 0;
  }

  LiveWaveletTree live_;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_DYNAMIC_WAVELET_MATRIX_H_
