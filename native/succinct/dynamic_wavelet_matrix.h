// A sequence of symbols that grows at its end and answers access, rank and select at once.
//
// The structure of the Hippocampus paper, as a wavelet tree while it grows (live_wavelet_tree.h
// says why a matrix's levels can't be appended to) and as wavelet matrices once it is long
// (dynamic_parts.h says when and how). Positions count from 0 and are 32 bits wide, intervals are
// half-open, rank counts in [0, i), and select(symbol, 0) is the first occurrence. Symbols keep
// their order: the range queries compare them as numbers.
//
// Across parts. A rank is the counts in the parts before its position and a rank in the part of it;
// a select looks for its part by the counts. Batches and ranges are split by part, and the range
// queries walk all parts in step.
//
// Threads. One writer calls Append and Seal; any thread may query meanwhile, without a
// lock. A query sees the symbols of whole Append calls: those that were published before it began.
// Each query announces itself for as long as it runs (epoch.h).

#ifndef DENTATE_SUCCINCT_DYNAMIC_WAVELET_MATRIX_H_
#define DENTATE_SUCCINCT_DYNAMIC_WAVELET_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/status.h"
#include "succinct/dynamic_parts.h"
#include "succinct/range_query.h"

namespace dentate::succinct {

class DynamicWaveletMatrix {
 public:
  static constexpr std::uint32_t kNotFound = LiveWaveletTree::kNotFound;
  static constexpr std::uint32_t kMaxSize = 0xfffffffe;

  // REQUIRES: 1 <= symbol_bits <= 32.
  explicit DynamicWaveletMatrix(unsigned symbol_bits, const DynamicOptions& options = {});
  DynamicWaveletMatrix(DynamicWaveletMatrix&&) noexcept = default;
  DynamicWaveletMatrix& operator=(DynamicWaveletMatrix&&) = delete;
  DynamicWaveletMatrix(const DynamicWaveletMatrix&) = delete;
  DynamicWaveletMatrix& operator=(const DynamicWaveletMatrix&) = delete;
  // REQUIRES: no query is running.
  ~DynamicWaveletMatrix();

  unsigned symbol_bits() const noexcept { return symbol_bits_; }

  // Appends all or, when memory runs out (std::bad_alloc), nothing. Returns the new size. Writer
  // only. REQUIRES: each symbol < 2^symbol_bits; size() + symbols.size() <= kMaxSize.
  std::uint32_t Append(std::span<const std::uint32_t> symbols);

  // Has everything appended so far sealed in the background. Writer only.
  void Seal() noexcept { parts_->Roll(); }
  // Returns when nothing is left to seal or merge. Any thread.
  void WaitUntilSealed() const { parts_->WaitUntilSealed(); }
  void SealAndWait() {
    Seal();
    WaitUntilSealed();
  }

  // For all that follows: any thread. REQUIRES: positions and ends of intervals <= size(), below it
  // for Access; start <= end; parallel spans of one length. Symbols of 2^symbol_bits and above do
  // not occur.
  std::uint32_t size() const;

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

  // Positions of [start, end) whose symbol is in [low, high).
  std::uint32_t RangeCount(std::uint32_t start, std::uint32_t end, std::uint64_t low,
                           std::uint64_t high) const;
  // The k-th smallest symbol of [start, end), k from 0; nothing where k >= end - start.
  std::optional<std::uint32_t> RangeQuantile(std::uint32_t start, std::uint32_t end,
                                             std::uint32_t k) const;
  // The k most frequent symbols of [start, end), most frequent first, ties by the lower symbol.
  std::vector<SymbolCount> RangeTopK(std::uint32_t start, std::uint32_t end, std::size_t k) const;
  // The different symbols of [start, end) and how often they occur, ascending.
  std::vector<SymbolCount> RangeDistinct(std::uint32_t start, std::uint32_t end) const;
  // The symbols that occur in each of the ranges, ascending.
  std::vector<std::uint32_t> RangeIntersect(std::span<const Interval> ranges) const;

  // Bytes taken from the system, unused ones included.
  std::size_t SizeInBytes() const;

  // The whole sequence as one static matrix. O(n log σ), about 12 bytes of scratch a symbol.
  WaveletMatrix Freeze() const;
  // Position-independent bytes: sealed parts as they are, the rest sealed for the occasion
  // (dynamic_serialize.cc draws them).
  std::vector<std::byte> Serialize() const;
  // Takes bytes from anywhere: all of them are checked. Null `out` and a status where they are
  // wrong.
  static Status Deserialize(std::span<const std::byte> bytes, const DynamicOptions& options,
                            std::unique_ptr<DynamicWaveletMatrix>& out);

 private:
  DynamicWaveletMatrix(unsigned symbol_bits, const DynamicOptions& options,
                       std::vector<DynamicPart> sealed);
  bool Occurs(std::uint32_t symbol) const noexcept {
    return symbol_bits_ == 32 || symbol >> symbol_bits_ == 0;
  }
  template <typename Query>
  auto WithSource(Query query) const;

  unsigned symbol_bits_;
  std::uint32_t seal_after_;
  std::shared_ptr<DynamicParts> parts_;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_DYNAMIC_WAVELET_MATRIX_H_
