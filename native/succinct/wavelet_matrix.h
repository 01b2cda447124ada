// A sealed text: an immutable sequence of symbols with access, rank, select and range queries in
// about the space of the symbols themselves.
//
// It is a wavelet matrix with two bits a level. quad_view.h draws the levels, wavelet_format.h the
// bytes; the structure *is* its bytes, so that a matrix can be written to a file as it stands and
// used from a mapping of it.
//
//   operation    what                                            cost: cache lines, L = levels
//   Access(i)    the symbol at position i                        L
//   Rank(c, i)   occurrences of c in [0, i)                      L, and the start of c's run
//   Count(c)     occurrences of c in all                         the start of c's run: about 2
//   Select(c, k) position of occurrence k, k from 0              L, now and then one more
//
// Positions start at 0 and ranges are half-open. Only as many levels are stored as the largest
// symbol needs. A symbol the text can't hold (2^symbol_bits and above) occurs nowhere.
//
// Why rank follows one boundary and not two: after the last level a symbol's occurrences are one
// run, and the table of runs (symbol_starts.h, present when the alphabet is at most half the text)
// gives its start without a descent. Select starts there too, so it only climbs.
//
// Why the first levels overlap: where a level's nodes are longer than a block, the block counts
// tell nearly where a position goes on the next level before its line has come. So a rank fetches
// its first lines together, and an access two levels' at a time: 885 and 1,110 ns at n = 10^7 where
// the plain descents took 1,276 and 1,270 (medians of two runs beside other work; micro-benchmark).
//
// Batches (…Many, Occurrences, AccessRange) take all their queries through one level before the
// next, prefetching: their misses overlap.
//
// Space at n = 10^7, 18 bits: 2.57 bytes a symbol in lines, 0.07 samples, 0.024 starts, 0.003
// supers.
//
// Threads. Immutable: any number of readers. Copies share the bytes.

#ifndef DENTATE_SUCCINCT_WAVELET_MATRIX_H_
#define DENTATE_SUCCINCT_WAVELET_MATRIX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/status.h"
#include "succinct/aligned_bytes.h"
#include "succinct/kernels.h"
#include "succinct/quad_view.h"
#include "succinct/range_query.h"

namespace dentate::succinct {

class WaveletMatrix {
 public:
  static constexpr std::uint32_t kNotFound = Kernels::kNotFound;
  static constexpr std::size_t kAlignment = 64;

  // The empty text.
  WaveletMatrix();

  // O(n log σ) time, about 8 bytes of scratch a symbol. Throws std::bad_alloc.
  // REQUIRES: every symbol < 2^symbol_bits, 1 <= symbol_bits <= 32; at most 2^32 - 2 symbols.
  static WaveletMatrix Build(std::span<const std::uint32_t> symbols, unsigned symbol_bits);

  // Takes bytes that bytes() once returned, from any source: they are copied and checked as a whole
  // in O(n log σ), and kCorruption (kVersion for a newer format) leaves `out` as it was.
  static Status Deserialize(std::span<const std::byte> bytes, WaveletMatrix& out);

  // Uses bytes in place: they must outlive the matrix and every copy of it. Only the header and the
  // length are checked, so whoever calls this has verified a checksum, or calls Validate().
  // REQUIRES: bytes.data() is a multiple of kAlignment.
  static Status Open(std::span<const std::byte> bytes, WaveletMatrix& out);

  // Checks every count against the digits. O(n log σ), about 16 ms for 10^7 symbols.
  Status Validate() const;

  // The serialized form, at an address that is a multiple of kAlignment.
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  std::size_t SizeInBytes() const noexcept { return bytes_.size(); }

  std::uint32_t size() const noexcept { return view_.size; }
  unsigned symbol_bits() const noexcept { return symbol_bits_; }

  // The same matrix queried by another table of kernels: for tests and benches.
  WaveletMatrix With(const Kernels& kernels) const;

  // REQUIRES: i < size().
  std::uint32_t Access(std::uint32_t i) const noexcept { return kernels_->access(view_, i); }
  // REQUIRES: i <= size().
  std::uint32_t Rank(std::uint32_t symbol, std::uint32_t i) const noexcept {
    return kernels_->rank(view_, symbol, i);
  }
  std::uint32_t Count(std::uint32_t symbol) const noexcept {
    return kernels_->run(view_, symbol).size();
  }
  // kNotFound when there are at most k occurrences.
  std::uint32_t Select(std::uint32_t symbol, std::uint32_t k) const noexcept {
    return kernels_->select(view_, symbol, k);
  }

  // Symbols [start, end) to out. Allocates scratch for spans of more than a few hundred.
  void AccessRange(std::uint32_t start, std::uint32_t end, std::uint32_t* out) const;
  void AccessMany(std::span<const std::uint32_t> positions, std::uint32_t* out) const noexcept {
    kernels_->access_many(view_, positions.data(), positions.size(), out);
  }
  // REQUIRES: symbols.size() == positions.size(), and for SelectMany == ks.size().
  void RankMany(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> positions,
                std::uint32_t* out) const noexcept {
    kernels_->rank_many(view_, symbols.data(), positions.data(), positions.size(), out);
  }
  void SelectMany(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> ks,
                  std::uint32_t* out) const noexcept {
    kernels_->select_many(view_, symbols.data(), ks.data(), ks.size(), out);
  }
  // Positions of the occurrences from, from + 1, ... in ascending order; returns how many were
  // written: as many as there are, at most out.size().
  std::size_t Occurrences(std::uint32_t symbol, std::uint32_t from,
                          std::span<std::uint32_t> out) const noexcept;

  // Symbols in [low, high) at positions [start, end). REQUIRES here and below: start <= end <=
  // size().
  std::uint32_t RangeCount(std::uint32_t start, std::uint32_t end, std::uint64_t low,
                           std::uint64_t high) const;
  // The k-th smallest symbol at positions [start, end), k from 0.
  std::optional<std::uint32_t> RangeQuantile(std::uint32_t start, std::uint32_t end,
                                             std::uint32_t k) const;
  // The k most frequent, most frequent first, ties by the lower symbol.
  std::vector<SymbolCount> RangeTopK(std::uint32_t start, std::uint32_t end, std::size_t k) const;
  // The different symbols and their counts, ascending.
  std::vector<SymbolCount> RangeDistinct(std::uint32_t start, std::uint32_t end) const;
  // The symbols that occur in every range, ascending.
  std::vector<std::uint32_t> RangeIntersect(std::span<const Interval> ranges) const;

  // A source for range_query.h. Levels above the stored ones have only digit 0.
  using Node = Interval;
  unsigned level_count() const noexcept { return (symbol_bits_ + 1) / 2; }
  std::uint32_t Size(const Node& node) const noexcept { return node.size(); }
  void Split(unsigned level, const Node& node, std::array<Node, 4>& children) const noexcept;

 private:
  friend class WaveletBuilder;
  WaveletMatrix(std::shared_ptr<const AlignedBytes> owned, std::span<const std::byte> bytes);

  std::shared_ptr<const AlignedBytes> owned_;  // null when the bytes are somebody else's
  std::span<const std::byte> bytes_;
  QuadView view_{};
  unsigned symbol_bits_ = 1;
  const Kernels* kernels_;
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_WAVELET_MATRIX_H_
