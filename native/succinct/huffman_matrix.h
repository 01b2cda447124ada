// An immutable sequence of symbols in little more than its entropy, with access, rank and select,
// read where it lies.
//
// A wavelet matrix whose codes are as long as Huffman's method makes them: a frequent symbol has
// digits on few levels, so that a million tokens of text take 12.0 bits each where the matrix of
// fixed depth takes 18.6, and are read in fewer steps. In exchange symbols have no order that range
// queries could compare: they are numbered by where they end (huffman_shape.h).
//
//   sections  header   16 bytes: n, symbols s, levels L, whether it can select (u32 each)
//             levels   L + 1 rows of 24 bytes (huffman_view.h)
//             lines    digits and counts, level by level (quad_view.h)
//             supers   four u32 for each 256 lines of a level
//             samples  u32: position whose digit moves to next-level position 512 j
//             ends     s ascending numbers up to n: how often symbols up to this one occur
//
// Each begins at a multiple of 8 bytes, the lines and the end at one of 64. Without select there
// are neither samples nor ends.
//
//   operation      what                                                cost: cache lines
//   AccessRange    the symbols at [start, end)                         levels of each symbol,
//   shared Count          occurrences in all                                  two or three CountIn
//   occurrences in [start, end)                         2 a level Occurrences    positions of
//   occurrences from, from + 1, ...        1 a level and occurrence
//
// Space. 2.29 bits a digit, 0.06 of them samples where it can select.
//
// Threads. A view of constant bytes: any number of readers.
//
// Source: F. Claude, G. Navarro, A. Ordóñez, "The wavelet matrix: An efficient wavelet tree for
// large alphabets", Inf. Syst. 2015, section 4; D. Huffman, "A Method for the Construction of
// Minimum-Redundancy Codes", 1952.

#ifndef DENTATE_SUCCINCT_HUFFMAN_MATRIX_H_
#define DENTATE_SUCCINCT_HUFFMAN_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/status.h"
#include "succinct/elias_fano.h"
#include "succinct/huffman_view.h"
#include "succinct/kernels.h"

namespace dentate::succinct {

class HuffmanMatrix {
 public:
  static constexpr std::size_t kAlignment = 64;

  // The empty sequence.
  HuffmanMatrix() noexcept = default;

  // Appends the bytes of the sequence, as words: a multiple of 8 of them. `ends` says how many
  // symbols end on each level. O(digits) time, 8 bytes of scratch a symbol. False, with anything
  // appended, where `cancelled`, asked once a level (and never if empty), says so.
  // REQUIRES: ends is of HuffmanEnds, or another shape; every symbol is below their sum.
  static bool Write(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> ends,
                    bool can_select, const std::function<bool()>& cancelled,
                    std::vector<std::uint64_t>& words);

  // Uses words in place, which must outlive the matrix. Only the header and the levels are checked:
  // whoever calls this has verified a checksum, or calls Validate().
  // REQUIRES: words.data() is a multiple of kAlignment.
  static Status Open(std::span<const std::uint64_t> words, HuffmanMatrix& out);
  // Checks every count against the digits. O(digits / 224 + symbols).
  Status Validate() const;

  std::uint32_t size() const noexcept { return size_; }
  // Symbols are below this.
  std::uint32_t symbol_count() const noexcept { return symbol_count_; }
  std::uint32_t level_count() const noexcept { return view_.level_count; }
  // Symbols below this end before level k, or on the levels before it. REQUIRES: k <=
  // level_count().
  std::uint32_t first_symbol(std::uint32_t k) const noexcept {
    return view_.level_count == 0 ? 0 : view_.levels[k].first_symbol;
  }

  // The same matrix queried by another table of kernels: for tests and benches.
  HuffmanMatrix With(const Kernels& kernels) const;

  // Symbols [start, end) to out. Allocates scratch for spans of more than a few hundred.
  void AccessRange(std::uint32_t start, std::uint32_t end, std::uint32_t* out) const;
  // Occurrences of `symbol` at positions [start, end). REQUIRES: symbol < symbol_count().
  std::uint32_t CountIn(std::uint32_t symbol, std::uint32_t start,
                        std::uint32_t end) const noexcept {
    return kernels_->huffman_count(view_, symbol, {start, end});
  }

  // REQUIRES, for both: it can select; symbol < symbol_count().
  std::uint32_t Count(std::uint32_t symbol) const noexcept {
    return static_cast<std::uint32_t>(ends_.RangeOf(symbol).size());
  }
  // Positions of the occurrences from, from + 1, ... in ascending order; returns how many were
  // written: as many as there are, at most out.size().
  std::size_t Occurrences(std::uint32_t symbol, std::uint32_t from,
                          std::span<std::uint32_t> out) const noexcept;

 private:
  // Where the occurrences of `symbol` are in the order after its last level.
  Interval RunOf(std::uint32_t symbol) const noexcept;
  Status CheckGaps() const;

  HuffmanView view_{};
  EliasFano ends_;
  std::span<const std::uint64_t> words_;
  std::uint32_t size_ = 0;
  std::uint32_t symbol_count_ = 0;
  const Kernels* kernels_ = &ActiveKernels();
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_HUFFMAN_MATRIX_H_
