// WaveletMatrix::Validate: whether every derived number is what the digits say, so that queries on
// bytes from anywhere stay inside them. Any digits at all are the levels of some text (each level's
// sort is a bijection), so only what is derived has to be checked.

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "succinct/kernels.h"
#include "succinct/quad_level.h"
#include "succinct/symbol_starts.h"
#include "succinct/wavelet_format.h"
#include "succinct/wavelet_matrix.h"

namespace dentate::succinct {
namespace {

Status Corruption(const char* message) { return {ErrorCode::kCorruption, message}; }

// The table must be the one that would be written: rebuilding it is simpler than distrusting each
// of its parts. REQUIRES: all levels passed CheckLevel.
Status CheckStarts(const QuadView& view, const WaveletLayout& layout,
                   std::span<const std::byte> table, const Kernels& kernels) {
  // Level by level, where each prefix's symbols begin; prefixes in the order of the level.
  std::vector<std::uint32_t> starts = {0};
  for (std::uint32_t level = 0; level < view.levels; ++level) {
    std::vector<std::uint32_t> next(starts.size() * 4);
    for (std::size_t prefix = 0; prefix < starts.size(); ++prefix) {
      std::array<Interval, 4> children;
      kernels.children(view, level, {starts[prefix], starts[prefix]}, children.data());
      for (std::size_t digit = 0; digit < 4; ++digit) {
        next[digit * starts.size() + prefix] = children[digit].start;
      }
    }
    starts = std::move(next);
  }
  starts.push_back(view.size);
  const SymbolStartsLayout& expected = layout.starts_layout;
  const std::uint64_t long_bytes = expected.byte_count - expected.long_blocks;
  if (long_bytes != std::uint64_t{CountLongBlocks(starts)} * kOnesPerStartSample * 4) {
    return Corruption("wavelet matrix symbol table has another size than its digits need");
  }
  std::vector<std::uint64_t> rebuilt((expected.byte_count + 7) / 8);
  WriteSymbolStarts(starts, reinterpret_cast<std::byte*>(rebuilt.data()));
  const std::span<const std::byte> rebuilt_bytes = std::as_bytes(std::span(rebuilt));
  if (!std::equal(rebuilt_bytes.begin(),
                  rebuilt_bytes.begin() + static_cast<std::ptrdiff_t>(expected.byte_count),
                  table.begin())) {
    return Corruption("wavelet matrix symbol table differs from its digits");
  }
  return Status::Ok();
}

bool AllZero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// The gaps that round each section up to a multiple of 64 bytes.
Status CheckGaps(const WaveletLayout& layout, std::uint32_t levels,
                 std::span<const std::byte> bytes) {
  const std::uint64_t supers_end = layout.supers + std::uint64_t{levels} * layout.super_count * 16;
  const std::uint64_t samples_end =
      layout.samples + std::uint64_t{levels} * layout.sample_count * 4;
  const std::uint64_t starts_end =
      layout.starts + (layout.has_starts ? layout.starts_layout.byte_count : 0);
  if (!AllZero(bytes.subspan(supers_end, layout.samples - supers_end)) ||
      !AllZero(bytes.subspan(samples_end, layout.starts - samples_end)) ||
      !AllZero(bytes.subspan(starts_end))) {
    return Corruption("wavelet matrix has something between its sections");
  }
  return Status::Ok();
}

}  // namespace

Status WaveletMatrix::Validate() const {
  WaveletHeader header;
  std::memcpy(&header, bytes_.data(), sizeof header);
  const WaveletLayout layout(view_.size, view_.levels, header.long_start_blocks);
  if (Status status = CheckGaps(layout, view_.levels, bytes_); !status.ok()) return status;
  for (std::uint32_t level = 0; level < view_.levels; ++level) {
    if (Status status = CheckLevel(view_, level, *kernels_); !status.ok()) return status;
    if (Status status = CheckSamples(view_, level, *kernels_); !status.ok()) return status;
  }
  if (symbol_bits_ % 2 != 0 && view_.levels == level_count()) {
    // The first digit of an odd number of bits is 0 or 1.
    std::array<Node, 4> children;
    kernels_->children(view_, 0, {0, view_.size}, children.data());
    if (children[2].size() + children[3].size() != 0) {
      return Corruption("wavelet matrix holds a symbol of more bits than its header says");
    }
  }
  if (view_.start_high == nullptr) return Status::Ok();
  return CheckStarts(view_, layout, bytes_.subspan(layout.starts), *kernels_);
}

}  // namespace dentate::succinct
