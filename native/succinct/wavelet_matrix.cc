#include "succinct/wavelet_matrix.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

#include "succinct/wavelet_format.h"

namespace dentate::succinct {
namespace {

constexpr std::uint32_t kScratchPerSymbol = 6;
// Spans up to here need no allocation; 12 KiB of stack.
constexpr std::uint32_t kShortSpan = 512;
// Longer ones are cut here: by then every line is shared by many symbols of the span.
constexpr std::uint32_t kLongSpan = 1U << 20;

Status Corruption(const char* message) { return {ErrorCode::kCorruption, message}; }

// What can be said from the header and the length alone.
Status CheckHeader(std::span<const std::byte> bytes, WaveletHeader& header) {
  if (bytes.size() < sizeof header) return Corruption("wavelet matrix is shorter than its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != WaveletHeader::kMagic) return Corruption("not a wavelet matrix");
  if (header.version != WaveletHeader::kVersion) {
    return {ErrorCode::kVersion, "wavelet matrix is of an unknown version"};
  }
  const bool fields_fit = header.symbol_bits >= 1 && header.symbol_bits <= 32 &&
                          header.levels >= 1 && header.levels <= (header.symbol_bits + 1) / 2 &&
                          header.zero == 0 && header.reserved == decltype(header.reserved){} &&
                          header.size != WaveletMatrix::kNotFound;
  if (!fields_fit) return Corruption("wavelet matrix header holds an impossible value");
  const WaveletLayout layout(header.size, header.levels, header.long_start_blocks);
  if (!layout.has_starts && header.long_start_blocks != 0) {
    return Corruption("wavelet matrix header counts blocks of a table it does not have");
  }
  if (header.byte_count != bytes.size() || layout.byte_count != bytes.size()) {
    return Corruption("wavelet matrix has another length than its header says");
  }
  return Status::Ok();
}

}  // namespace

WaveletMatrix::WaveletMatrix() : WaveletMatrix(Build({}, 1)) {}

// REQUIRES: CheckHeader passes.
WaveletMatrix::WaveletMatrix(std::shared_ptr<const AlignedBytes> owned,
                             std::span<const std::byte> bytes)
    : owned_(std::move(owned)), bytes_(bytes), kernels_(&ActiveKernels()) {
  assert(reinterpret_cast<std::uintptr_t>(bytes.data()) % kAlignment == 0);
  WaveletHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const WaveletLayout layout(header.size, header.levels, header.long_start_blocks);
  const std::byte* base = bytes.data();
  symbol_bits_ = header.symbol_bits;
  view_ = {.lines = reinterpret_cast<const std::uint64_t*>(base + layout.lines),
           .supers = reinterpret_cast<const std::uint32_t*>(base + layout.supers),
           .samples = reinterpret_cast<const std::uint32_t*>(base + layout.samples),
           .size = header.size,
           .levels = header.levels,
           .line_count = layout.line_count,
           .super_count = layout.super_count,
           .sample_count = layout.sample_count,
           .start_low_bits = layout.starts_layout.low_bits,
           .start_high = nullptr,
           .start_low = nullptr,
           .start_samples = nullptr,
           .start_long_blocks = nullptr};
  if (!layout.has_starts) return;
  const std::byte* starts = base + layout.starts;
  view_.start_high = reinterpret_cast<const std::uint64_t*>(starts);
  view_.start_low = reinterpret_cast<const std::uint64_t*>(starts + layout.starts_layout.low);
  view_.start_samples =
      reinterpret_cast<const std::uint32_t*>(starts + layout.starts_layout.samples);
  view_.start_long_blocks =
      reinterpret_cast<const std::uint32_t*>(starts + layout.starts_layout.long_blocks);
}

Status WaveletMatrix::Open(std::span<const std::byte> bytes, WaveletMatrix& out) {
  WaveletHeader header;
  if (Status status = CheckHeader(bytes, header); !status.ok()) return status;
  out = WaveletMatrix(nullptr, bytes);
  return Status::Ok();
}

Status WaveletMatrix::Deserialize(std::span<const std::byte> bytes, WaveletMatrix& out) {
  WaveletHeader header;
  if (Status status = CheckHeader(bytes, header); !status.ok()) return status;
  auto owned = std::make_shared<AlignedBytes>(bytes.size());
  std::memcpy(owned->data(), bytes.data(), bytes.size());
  const std::span<const std::byte> copy(owned->data(), owned->size());
  const WaveletMatrix matrix(std::move(owned), copy);
  if (Status status = matrix.Validate(); !status.ok()) return status;
  out = matrix;
  return Status::Ok();
}

WaveletMatrix WaveletMatrix::With(const Kernels& kernels) const {
  WaveletMatrix copy = *this;
  copy.kernels_ = &kernels;
  return copy;
}

void WaveletMatrix::AccessRange(std::uint32_t start, std::uint32_t end, std::uint32_t* out) const {
  assert(start <= end && end <= size());
  if (end - start <= kShortSpan) {
    std::array<std::uint32_t, std::size_t{kShortSpan} * kScratchPerSymbol> scratch;
    kernels_->access_span(view_, start, end - start, scratch.data(), out);
    return;
  }
  std::vector<std::uint32_t> scratch(std::size_t{std::min(end - start, kLongSpan)} *
                                     kScratchPerSymbol);
  while (start < end) {
    const std::uint32_t count = std::min(end - start, kLongSpan);
    kernels_->access_span(view_, start, count, scratch.data(), out);
    start += count;
    out += count;
  }
}

std::size_t WaveletMatrix::Occurrences(std::uint32_t symbol, std::uint32_t from,
                                       std::span<std::uint32_t> out) const noexcept {
  const Interval run = kernels_->run(view_, symbol);
  if (from >= run.size()) return 0;
  const std::size_t count = std::min<std::size_t>(run.size() - from, out.size());
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = run.start + from + static_cast<std::uint32_t>(i);
  }
  kernels_->lift(view_, symbol, out.data(), count);
  return count;
}

void WaveletMatrix::Split(unsigned level, const Node& node,
                          std::array<Node, 4>& children) const noexcept {
  const unsigned above = level_count() - view_.levels;
  if (level < above) {
    children = {node, Node{0, 0}, Node{0, 0}, Node{0, 0}};
    return;
  }
  kernels_->children(view_, level - above, node, children.data());
}

std::uint32_t WaveletMatrix::RangeCount(std::uint32_t start, std::uint32_t end, std::uint64_t low,
                                        std::uint64_t high) const {
  if (low >= high) return 0;
  return CountBelow(*this, Node{start, end}, high) - CountBelow(*this, Node{start, end}, low);
}

std::optional<std::uint32_t> WaveletMatrix::RangeQuantile(std::uint32_t start, std::uint32_t end,
                                                          std::uint32_t k) const {
  return Quantile(*this, Node{start, end}, k);
}

std::vector<SymbolCount> WaveletMatrix::RangeTopK(std::uint32_t start, std::uint32_t end,
                                                  std::size_t k) const {
  return TopK(*this, Node{start, end}, k);
}

std::vector<SymbolCount> WaveletMatrix::RangeDistinct(std::uint32_t start,
                                                      std::uint32_t end) const {
  return Distinct(*this, Node{start, end});
}

std::vector<std::uint32_t> WaveletMatrix::RangeIntersect(std::span<const Interval> ranges) const {
  return Intersect(*this, ranges);
}

}  // namespace dentate::succinct
