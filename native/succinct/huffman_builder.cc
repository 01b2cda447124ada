// HuffmanMatrix::Write: level by level, as a matrix of fixed depth, but that each level sorts only
// what has not ended. HuffmanMatrix::Validate: whether every derived number is what the digits say.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "succinct/huffman_format.h"
#include "succinct/huffman_matrix.h"

namespace dentate::succinct {
namespace {

Status Corruption(const char* message) { return {ErrorCode::kCorruption, message}; }

// Of each symbol its digits, two bits each, the first one highest.
std::vector<std::uint32_t> PathsOf(std::span<const HuffmanLevel> levels) {
  std::vector<std::uint32_t> paths;
  paths.reserve(levels.back().first_symbol);
  // Of the level's nodes, in order.
  std::vector<std::uint32_t> nodes = {0};
  for (std::uint32_t k = 0; k + 1 < levels.size(); ++k) {
    const std::uint32_t ended = levels[k + 1].first_symbol - levels[k].first_symbol;
    std::vector<std::uint32_t> next;
    next.reserve(levels[k + 1].nodes);
    for (std::uint32_t child = 0; child < levels[k + 1].nodes + ended; ++child) {
      const std::uint32_t digit = child / levels[k].nodes;
      const std::uint32_t path = nodes[child % levels[k].nodes] | digit << (30 - 2 * k);
      (child < levels[k + 1].nodes ? next : paths).push_back(path);
    }
    nodes = std::move(next);
  }
  return paths;
}

std::vector<HuffmanLevel> LevelsOf(std::span<const std::uint64_t> ends_of_symbols,
                                   std::span<const std::uint32_t> ends, bool can_select) {
  std::vector<HuffmanLevel> levels(ends.size() + 1);
  const auto n = static_cast<std::uint32_t>(ends_of_symbols.empty() ? 0 : ends_of_symbols.back());
  levels[0].nodes = ends.empty() ? 0 : 1;
  levels[0].size = n;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const HuffmanLevel& level = levels[k];
    HuffmanLevel& next = levels[k + 1];
    next.first_symbol = level.first_symbol + ends[k];
    next.nodes = k + 1 < ends.size() ? 4 * level.nodes - ends[k] : 0;
    next.size = next.first_symbol == 0
                    ? n
                    : n - static_cast<std::uint32_t>(ends_of_symbols[next.first_symbol - 1]);
    next.first_line = level.first_line + LineCountOf(level.size);
    next.first_super = level.first_super + SuperCountOf(level.size);
    next.first_sample = level.first_sample + (can_select ? SampleCountOf(level.size) : 0);
  }
  return levels;
}

}  // namespace

bool HuffmanMatrix::Write(std::span<const std::uint32_t> symbols,
                          std::span<const std::uint32_t> ends, bool can_select,
                          const std::function<bool()>& cancelled,
                          std::vector<std::uint64_t>& words) {
  std::uint32_t symbol_count = 0;
  for (const std::uint32_t end : ends) symbol_count += end;
  std::vector<std::uint64_t> ends_of_symbols(symbol_count);
  for (const std::uint32_t symbol : symbols) ++ends_of_symbols[symbol];
  for (std::size_t i = 1; i < symbol_count; ++i) ends_of_symbols[i] += ends_of_symbols[i - 1];

  const std::vector<HuffmanLevel> levels = LevelsOf(ends_of_symbols, ends, can_select);
  const HuffmanHeader header{static_cast<std::uint32_t>(symbols.size()), symbol_count,
                             static_cast<std::uint32_t>(ends.size()), can_select ? 1U : 0U};
  const HuffmanLayout layout(header, levels.back());
  const std::size_t first = words.size();
  words.reserve(first + layout.word_count);
  if (can_select) {
    words.resize(first + layout.ends);
    EliasFano::Write(ends_of_symbols, words);
  }
  words.resize(first + layout.word_count);
  std::uint64_t* const base = words.data() + first;
  std::memcpy(base, &header, sizeof header);
  std::memcpy(base + sizeof header / sizeof *base, levels.data(),
              levels.size() * sizeof(HuffmanLevel));

  const std::vector<std::uint32_t> paths = PathsOf(levels);
  std::vector<std::uint32_t> current(symbols.size());
  std::vector<std::uint32_t> next(symbols.size());
  for (std::size_t i = 0; i < symbols.size(); ++i) current[i] = paths[symbols[i]];
  for (std::uint32_t k = 0; k < header.levels; ++k) {
    if (cancelled && cancelled()) return false;
    const QuadLevelOut out{
        base + layout.lines + std::uint64_t{levels[k].first_line} * kLineWordCount,
        reinterpret_cast<std::uint32_t*>(base + layout.supers) +
            std::uint64_t{levels[k].first_super} * 4,
        can_select
            ? reinterpret_cast<std::uint32_t*>(base + layout.samples) + levels[k].first_sample
            : nullptr};
    const std::span<const std::uint32_t> order(current.data(), levels[k].size);
    PackLevel(order, 30 - 2 * k, out);
    // What has ended comes behind the rest, and is forgotten.
    SortLevel(order, 30 - 2 * k, out, next.data());
    current.swap(next);
  }
  return true;
}

Status HuffmanMatrix::CheckGaps() const {
  HuffmanHeader header;
  std::memcpy(&header, std::as_bytes(words_).data(), sizeof header);
  const HuffmanLevel& last = view_.levels[view_.level_count];
  const HuffmanLayout layout(header, last);
  const auto all_zero = [&](std::uint64_t begin, std::uint64_t end) {
    return std::all_of(words_.begin() + static_cast<std::ptrdiff_t>(begin),
                       words_.begin() + static_cast<std::ptrdiff_t>(end),
                       [](std::uint64_t word) { return word == 0; });
  };
  const std::uint64_t ends_end =
      layout.ends + (header.can_select != 0 ? EliasFano::WordCount(symbol_count_, size_) : 0);
  if (!all_zero((sizeof header + (view_.level_count + 1) * sizeof last) / 8, layout.lines) ||
      !all_zero(ends_end, layout.word_count) ||
      (last.first_sample % 2 != 0 && view_.samples[last.first_sample] != 0)) {
    return Corruption("matrix has something between its sections");
  }
  return Status::Ok();
}

Status HuffmanMatrix::Validate() const {
  if (words_.empty()) return Status::Ok();
  if (Status status = CheckGaps(); !status.ok()) return status;
  const bool can_select = ends_.size() > 0;
  if (can_select) {
    if (Status status = ends_.Validate(size_); !status.ok()) return status;
  }
  std::uint64_t symbol_end = 0;  // occurrences of the symbols so far
  // Where the nodes of the level begin, and its end.
  std::vector<std::uint32_t> starts = {0, size_};
  for (std::uint32_t k = 0; k < view_.level_count; ++k) {
    const QuadView level = view_.Level(k);
    if (Status status = CheckLevel(level, 0, *kernels_); !status.ok()) return status;
    if (can_select) {
      if (Status status = CheckSamples(level, 0, *kernels_); !status.ok()) return status;
    }
    const std::uint32_t nodes = view_.levels[k].nodes;
    std::vector<std::uint32_t> children(std::size_t{4} * nodes + 1);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      std::array<Interval, 4> four;
      kernels_->children(level, 0, {starts[node], starts[node]}, four.data());
      for (std::size_t digit = 0; digit < 4; ++digit) {
        children[digit * nodes + node] = four[digit].start;
      }
    }
    children.back() = level.size;
    const HuffmanLevel& next = view_.levels[k + 1];
    if (children[next.nodes] != next.size) {
      return Corruption("matrix levels go on with other symbols than their shape says");
    }
    for (std::uint32_t symbol = view_.levels[k].first_symbol; symbol < next.first_symbol;
         ++symbol) {
      const std::size_t child = next.nodes + (symbol - view_.levels[k].first_symbol);
      symbol_end += children[child + 1] - children[child];
      if (can_select && ends_.Get(symbol) != symbol_end) {
        return Corruption("matrix counts of symbols differ from its digits");
      }
    }
    children.resize(next.nodes + 1);
    starts = std::move(children);
  }
  // Nothing belongs to the children that nobody is.
  return symbol_end == size_ ? Status::Ok() : Corruption("matrix has digits of no symbol");
}

}  // namespace dentate::succinct
