#include "succinct/dynamic_wavelet_matrix.h"

#include <algorithm>
#include <utility>

#include "succinct/epoch.h"
#include "succinct/parts_source.h"

namespace dentate::succinct {

DynamicWaveletMatrix::DynamicWaveletMatrix(unsigned symbol_bits, const DynamicOptions& options)
    : DynamicWaveletMatrix(symbol_bits, options, {}) {}

DynamicWaveletMatrix::DynamicWaveletMatrix(unsigned symbol_bits, const DynamicOptions& options,
                                           std::vector<DynamicPart> sealed)
    : symbol_bits_(symbol_bits),
      seal_after_(options.seal_after),
      parts_(std::make_shared<DynamicParts>(symbol_bits, options, std::move(sealed))) {}

DynamicWaveletMatrix::~DynamicWaveletMatrix() {
  if (parts_ != nullptr) parts_->Abandon();
}

std::uint32_t DynamicWaveletMatrix::Append(std::span<const std::uint32_t> symbols) {
  const DynamicPart& part = parts_->live();
  const std::uint32_t live_size = part.live->Append(symbols);
  const std::uint32_t size = part.start + live_size;
  if (seal_after_ != 0 && live_size >= seal_after_) parts_->Roll();
  return size;
}

std::uint32_t DynamicWaveletMatrix::size() const {
  const EpochGuard guard;
  const DynamicPart& last = parts_->view().parts.back();
  return last.start + last.live->size();
}

std::uint32_t DynamicWaveletMatrix::Access(std::uint32_t i) const {
  const EpochGuard guard;
  const DynamicPart& part = parts_->view().PartAt(i);
  return part.live != nullptr ? part.live->Access(i - part.start)
                              : part.sealed->Access(i - part.start);
}

void DynamicWaveletMatrix::AccessMany(std::span<const std::uint32_t> positions,
                                      std::uint32_t* out) const {
  const EpochGuard guard;
  const DynamicView& view = parts_->view();
  if (view.parts.size() == 1) {
    view.parts[0].live->AccessMany(positions, out);
    return;
  }
  std::vector<std::uint32_t> where;
  std::vector<std::uint32_t> local;
  std::vector<std::uint32_t> found(positions.size());
  for (const DynamicPart& part : view.parts) {
    where.clear();
    local.clear();
    for (std::uint32_t j = 0; j < positions.size(); ++j) {
      if (&view.PartAt(positions[j]) != &part) continue;
      where.push_back(j);
      local.push_back(positions[j] - part.start);
    }
    if (part.live != nullptr) {
      part.live->AccessMany(local, found.data());
    } else {
      part.sealed->AccessMany(local, found.data());
    }
    for (std::size_t j = 0; j < where.size(); ++j) out[where[j]] = found[j];
  }
}

void DynamicWaveletMatrix::AccessRange(std::uint32_t start, std::uint32_t end,
                                       std::uint32_t* out) const {
  const EpochGuard guard;
  const DynamicView& view = parts_->view();
  for (std::size_t p = 0; p < view.parts.size(); ++p) {
    const DynamicPart& part = view.parts[p];
    const std::uint32_t part_end =
        p + 1 < view.parts.size() ? view.parts[p + 1].start : std::max(end, part.start);
    const std::uint32_t from = std::max(start, part.start);
    const std::uint32_t to = std::min(end, part_end);
    if (from >= to) continue;
    if (part.live != nullptr) {
      part.live->AccessRange(from - part.start, to - part.start, out + (from - start));
    } else {
      part.sealed->AccessRange(from - part.start, to - part.start, out + (from - start));
    }
  }
}

std::uint32_t DynamicWaveletMatrix::Rank(std::uint32_t symbol, std::uint32_t i) const {
  if (!Occurs(symbol)) return 0;
  const EpochGuard guard;
  const DynamicView& view = parts_->view();
  const DynamicPart& part = view.PartAt(i);
  std::uint32_t rank = part.Rank(symbol, i - part.start);
  for (const DynamicPart* before = view.parts.data(); before != &part; ++before) {
    rank += before->Count(symbol);
  }
  return rank;
}

void DynamicWaveletMatrix::RankMany(std::span<const std::uint32_t> symbols,
                                    std::span<const std::uint32_t> positions,
                                    std::uint32_t* out) const {
  const EpochGuard guard;
  const DynamicView& view = parts_->view();
  if (view.parts.size() == 1) {
    view.parts[0].live->RankMany(symbols, positions, out);
  } else {
    std::vector<std::uint32_t> local(positions.size());
    std::vector<std::uint32_t> found(positions.size());
    std::fill_n(out, positions.size(), 0);
    for (const DynamicPart& part : view.parts) {
      const std::uint32_t size = part.size();
      for (std::size_t j = 0; j < positions.size(); ++j) {
        local[j] = positions[j] <= part.start ? 0 : std::min(positions[j] - part.start, size);
      }
      if (part.live != nullptr) {
        part.live->RankMany(symbols, local, found.data());
      } else {
        part.sealed->RankMany(symbols, local, found.data());
      }
      for (std::size_t j = 0; j < positions.size(); ++j) out[j] += found[j];
    }
  }
  for (std::size_t j = 0; j < symbols.size(); ++j) {
    if (!Occurs(symbols[j])) out[j] = 0;
  }
}

std::uint32_t DynamicWaveletMatrix::Count(std::uint32_t symbol) const {
  if (!Occurs(symbol)) return 0;
  const EpochGuard guard;
  std::uint32_t count = 0;
  for (const DynamicPart& part : parts_->view().parts) count += part.Count(symbol);
  return count;
}

std::uint32_t DynamicWaveletMatrix::Select(std::uint32_t symbol, std::uint32_t k) const {
  if (!Occurs(symbol)) return kNotFound;
  const EpochGuard guard;
  const DynamicView& view = parts_->view();
  for (std::size_t p = 0; p + 1 < view.parts.size(); ++p) {
    const DynamicPart& part = view.parts[p];
    const std::uint32_t count = part.Count(symbol);
    if (k < count) {
      return part.start +
             (part.live != nullptr ? part.live->Select(symbol, k) : part.sealed->Select(symbol, k));
    }
    k -= count;
  }
  const DynamicPart& last = view.parts.back();
  const std::uint32_t size = last.live->size();
  const std::uint32_t position = last.live->Select(symbol, k);
  return position < size ? last.start + position : kNotFound;
}

void DynamicWaveletMatrix::SelectMany(std::span<const std::uint32_t> symbols,
                                      std::span<const std::uint32_t> ks, std::uint32_t* out) const {
  const EpochGuard guard;
  const DynamicView& view = parts_->view();
  // Those whose occurrence lies in none of the parts looked at, with k counted from the next one.
  std::vector<std::uint32_t> where;
  std::vector<std::uint32_t> rest_symbols;
  std::vector<std::uint32_t> rest_ks;
  for (std::uint32_t j = 0; j < symbols.size(); ++j) {
    out[j] = kNotFound;
    if (!Occurs(symbols[j])) continue;
    where.push_back(j);
    rest_symbols.push_back(symbols[j]);
    rest_ks.push_back(ks[j]);
  }
  std::vector<std::uint32_t> found(where.size());
  for (const DynamicPart& part : view.parts) {
    const std::uint32_t size = part.size();
    if (part.live != nullptr) {
      part.live->SelectMany(rest_symbols, rest_ks, found.data());
    } else {
      part.sealed->SelectMany(rest_symbols, rest_ks, found.data());
    }
    std::size_t left = 0;
    for (std::size_t j = 0; j < where.size(); ++j) {
      if (found[j] < size) {
        out[where[j]] = part.start + found[j];
        continue;
      }
      where[left] = where[j];
      rest_symbols[left] = rest_symbols[j];
      rest_ks[left] = rest_ks[j];
      if (&part != &view.parts.back()) rest_ks[left] -= part.Count(rest_symbols[j]);
      ++left;
    }
    where.resize(left);
    rest_symbols.resize(left);
    rest_ks.resize(left);
  }
}

std::size_t DynamicWaveletMatrix::Occurrences(std::uint32_t symbol, std::uint32_t from,
                                              std::span<std::uint32_t> out) const {
  if (!Occurs(symbol)) return 0;
  const EpochGuard guard;
  const DynamicView& view = parts_->view();
  std::size_t written = 0;
  for (std::size_t p = 0; p < view.parts.size() && written < out.size(); ++p) {
    const DynamicPart& part = view.parts[p];
    const std::uint32_t size = part.size();
    const bool last = p + 1 == view.parts.size();
    const std::uint32_t count = last ? kNotFound : part.Count(symbol);
    if (from >= count) {
      from -= count;
      continue;
    }
    const auto here = out.subspan(written);
    std::size_t found = part.live != nullptr ? part.live->Occurrences(symbol, from, here)
                                             : part.sealed->Occurrences(symbol, from, here);
    while (found > 0 && here[found - 1] >= size) --found;  // not published yet
    for (std::size_t j = 0; j < found; ++j) here[j] += part.start;
    written += found;
    from = 0;
  }
  return written;
}

// Runs query(source, root), where root(start, end) is the source's node for an interval.
template <typename Query>
auto DynamicWaveletMatrix::WithSource(Query query) const {
  const EpochGuard guard;
  const DynamicView& view = parts_->view();
  if (view.parts.size() == 1) {
    const LiveSource source(*view.parts[0].live);
    return query(source,
                 [&](std::uint32_t start, std::uint32_t end) { return source.Root(start, end); });
  }
  const PartsSource source(view);
  return query(source,
               [&](std::uint32_t start, std::uint32_t end) { return source.Root(start, end); });
}

std::uint32_t DynamicWaveletMatrix::RangeCount(std::uint32_t start, std::uint32_t end,
                                               std::uint64_t low, std::uint64_t high) const {
  if (low >= high) return 0;
  return WithSource([&](const auto& source, auto root) {
    return CountBelow(source, root(start, end), high) - CountBelow(source, root(start, end), low);
  });
}

std::optional<std::uint32_t> DynamicWaveletMatrix::RangeQuantile(std::uint32_t start,
                                                                 std::uint32_t end,
                                                                 std::uint32_t k) const {
  return WithSource(
      [&](const auto& source, auto root) { return Quantile(source, root(start, end), k); });
}

std::vector<SymbolCount> DynamicWaveletMatrix::RangeTopK(std::uint32_t start, std::uint32_t end,
                                                         std::size_t k) const {
  return WithSource(
      [&](const auto& source, auto root) { return TopK(source, root(start, end), k); });
}

std::vector<SymbolCount> DynamicWaveletMatrix::RangeDistinct(std::uint32_t start,
                                                             std::uint32_t end) const {
  return WithSource(
      [&](const auto& source, auto root) { return Distinct(source, root(start, end)); });
}

std::vector<std::uint32_t> DynamicWaveletMatrix::RangeIntersect(
    std::span<const Interval> ranges) const {
  return WithSource([&](const auto& source, auto root) {
    std::vector<decltype(root(0, 0))> nodes;
    nodes.reserve(ranges.size());
    for (const Interval& range : ranges) nodes.push_back(root(range.start, range.end));
    using Node = typename std::decay_t<decltype(source)>::Node;
    return Intersect(source, std::span<const Node>(nodes));
  });
}

std::size_t DynamicWaveletMatrix::SizeInBytes() const {
  const EpochGuard guard;
  std::size_t bytes = sizeof(*this) + sizeof(DynamicParts);
  for (const DynamicPart& part : parts_->view().parts) {
    bytes += sizeof part;
    bytes += part.live != nullptr ? part.live->SizeInBytes() : part.sealed->SizeInBytes();
  }
  return bytes;
}

}  // namespace dentate::succinct
