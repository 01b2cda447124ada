#include "succinct/huffman_matrix.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "succinct/huffman_format.h"

namespace dentate::succinct {
namespace {

constexpr std::uint32_t kScratchPerSymbol = 8;
// Spans up to here need no allocation; 16 KiB of stack.
constexpr std::uint32_t kShortSpan = 512;
// Longer ones are cut here: by then every line is shared by many symbols of the span.
constexpr std::uint32_t kLongSpan = 1U << 20;

Status Corruption(const char* message) { return {ErrorCode::kCorruption, message}; }

// Whether the rows are those of a tree and of levels that follow each other.
bool LevelsFit(const HuffmanHeader& header, const HuffmanLevel* levels) {
  const HuffmanLevel& first = levels[0];
  const HuffmanLevel& last = levels[header.levels];
  if (first.first_symbol != 0 || first.first_line != 0 || first.first_super != 0 ||
      first.first_sample != 0 || first.size != header.size || last.size != 0 || last.nodes != 0 ||
      last.first_symbol != header.symbols || (header.levels > 0) != (first.nodes == 1)) {
    return false;
  }
  for (std::uint32_t k = 0; k < header.levels; ++k) {
    const HuffmanLevel& level = levels[k];
    const HuffmanLevel& next = levels[k + 1];
    const std::uint64_t children = std::uint64_t{4} * level.nodes;
    const std::uint64_t ended =
        std::uint64_t{next.first_symbol} - std::uint64_t{level.first_symbol};
    // Only the last level may have children that nobody is.
    const std::uint64_t nobody = children - ended - next.nodes;
    if (next.first_symbol < level.first_symbol || next.nodes > header.symbols ||
        ended + next.nodes > children || nobody > (k + 1 < header.levels ? 0 : 3) ||
        next.size > level.size || (k + 1 < header.levels && next.nodes == 0) ||
        next.first_line != std::uint64_t{level.first_line} + LineCountOf(level.size) ||
        next.first_super != std::uint64_t{level.first_super} + SuperCountOf(level.size) ||
        next.first_sample != std::uint64_t{level.first_sample} +
                                 (header.can_select != 0 ? SampleCountOf(level.size) : 0)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Status HuffmanMatrix::Open(std::span<const std::uint64_t> words, HuffmanMatrix& out) {
  HuffmanHeader header;
  constexpr std::size_t kHeaderWords = sizeof header / sizeof(std::uint64_t);
  if (words.size() < kHeaderWords) return Corruption("matrix is shorter than its header");
  std::memcpy(&header, std::as_bytes(words).data(), sizeof header);
  if (header.levels > kMaxHuffmanLevels || header.can_select > 1 ||
      header.size == Kernels::kNotFound || header.symbols > EliasFano::kMaxCount) {
    return Corruption("matrix header holds an impossible value");
  }
  const std::size_t level_words = (header.levels + std::size_t{1}) * sizeof(HuffmanLevel) / 8;
  if (words.size() < kHeaderWords + level_words) {
    return Corruption("matrix is shorter than its levels");
  }
  const auto* levels = reinterpret_cast<const HuffmanLevel*>(words.data() + kHeaderWords);
  if (!LevelsFit(header, levels)) return Corruption("levels of a matrix don't fit together");
  const HuffmanLayout layout(header, levels[header.levels]);
  if (layout.word_count != words.size()) {
    return Corruption("matrix has another length than its header says");
  }
  out = HuffmanMatrix();
  out.words_ = words;
  out.size_ = header.size;
  out.symbol_count_ = header.symbols;
  out.view_ = {levels, words.data() + layout.lines,
               reinterpret_cast<const std::uint32_t*>(words.data() + layout.supers),
               reinterpret_cast<const std::uint32_t*>(words.data() + layout.samples),
               header.levels};
  if (header.can_select != 0) {
    out.ends_ = EliasFano(words.data() + layout.ends, header.symbols, header.size);
  }
  return Status::Ok();
}

HuffmanMatrix HuffmanMatrix::With(const Kernels& kernels) const {
  HuffmanMatrix copy = *this;
  copy.kernels_ = &kernels;
  return copy;
}

void HuffmanMatrix::AccessRange(std::uint32_t start, std::uint32_t end, std::uint32_t* out) const {
  assert(start <= end && end <= size());
  if (end - start <= kShortSpan) {
    std::array<std::uint32_t, std::size_t{kShortSpan} * kScratchPerSymbol> scratch;
    kernels_->huffman_span(view_, start, end - start, scratch.data(), out);
    return;
  }
  std::vector<std::uint32_t> scratch(std::size_t{std::min(end - start, kLongSpan)} *
                                     kScratchPerSymbol);
  while (start < end) {
    const std::uint32_t count = std::min(end - start, kLongSpan);
    kernels_->huffman_span(view_, start, count, scratch.data(), out);
    start += count;
    out += count;
  }
}

Interval HuffmanMatrix::RunOf(std::uint32_t symbol) const noexcept {
  std::uint32_t k = 0;
  while (symbol >= view_.levels[k + 1].first_symbol) ++k;
  // Of the symbols in the order of their numbers, those before level k take size() - size(k).
  const EliasFano::Range range = ends_.RangeOf(symbol);
  const auto start = static_cast<std::uint32_t>(range.begin - (size_ - view_.levels[k].size));
  const std::uint32_t first = view_.levels[k + 1].size + start;
  return {first, first + static_cast<std::uint32_t>(range.size())};
}

std::size_t HuffmanMatrix::Occurrences(std::uint32_t symbol, std::uint32_t from,
                                       std::span<std::uint32_t> out) const noexcept {
  const Interval run = RunOf(symbol);
  if (from >= run.size()) return 0;
  const std::size_t count = std::min<std::size_t>(run.size() - from, out.size());
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = run.start + from + static_cast<std::uint32_t>(i);
  }
  kernels_->huffman_lift(view_, symbol, out.data(), count);
  return count;
}

}  // namespace dentate::succinct
