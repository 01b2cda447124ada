// WaveletMatrix::Validate: whether every derived number is what the digits say, so that queries on
// bytes from anywhere stay inside them. Any digits at all are the levels of some text (each level's
// sort is a bijection), so only what is derived has to be checked.

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "succinct/kernels.h"
#include "succinct/symbol_starts.h"
#include "succinct/wavelet_format.h"
#include "succinct/wavelet_matrix.h"

namespace dentate::succinct {
namespace {

Status Corruption(const char* message) { return {ErrorCode::kCorruption, message}; }

// The lowest `count` bits.
constexpr std::uint64_t Below(std::uint32_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Digits of a line that has `digit_count` of them, 16 bits each; nothing when there are bits past.
std::optional<std::uint64_t> CountDigits(const std::uint64_t* line, std::uint32_t digit_count,
                                         const Kernels& kernels) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint64_t both = 0;
  for (std::uint32_t word = 0; word < 4; ++word) {
    const std::uint64_t low_bits = word == 3 ? line[7] & Below(32) : line[1 + word];
    const std::uint64_t high_bits = word == 3 ? line[7] >> 32 : line[4 + word];
    const std::uint32_t here = digit_count > 64 * word ? digit_count - 64 * word : 0;
    if (((low_bits | high_bits) & ~Below(here)) != 0) return std::nullopt;
    const std::uint64_t both_bits = low_bits & high_bits;
    low += kernels.count_ones(&low_bits, 64);
    high += kernels.count_ones(&high_bits, 64);
    both += kernels.count_ones(&both_bits, 64);
  }
  return (digit_count - low - high + both) | (low - both) << 16 | (high - both) << 32 | both << 48;
}

// The lines and supers of one level.
Status CheckLevel(const QuadView& view, std::uint32_t level, const Kernels& kernels) {
  const std::uint64_t* lines = view.lines + std::uint64_t{level} * view.line_count * kLineWordCount;
  const std::uint32_t* supers = view.supers + std::uint64_t{level} * view.super_count * 4;
  std::array<std::uint32_t, 4> at = {supers[0], supers[1], supers[2], supers[3]};
  std::uint64_t in_block = 0;
  for (std::uint32_t index = 0; index < view.line_count; ++index) {
    if (index % kLinesPerSuper == 0) {
      for (std::uint32_t digit = 0; digit < 4; ++digit) {
        at[digit] += static_cast<std::uint32_t>(in_block >> 16 * digit & 0xffff);
        if (supers[index / kLinesPerSuper * 4 + digit] != at[digit]) {
          return Corruption("wavelet matrix block counts differ from its digits");
        }
      }
      in_block = 0;
    }
    const std::uint64_t* line = lines + std::uint64_t{index} * kLineWordCount;
    const std::uint32_t rest = view.size - index * kLineDigitCount;
    const auto counts = CountDigits(line, std::min(rest, kLineDigitCount), kernels);
    if (!counts || line[0] != in_block) {
      return Corruption("wavelet matrix line counts differ from its digits");
    }
    in_block += *counts;
  }
  // Each zone must begin where the one before it ends, and the last one end the level.
  std::uint64_t zone = 0;
  for (std::uint32_t digit = 0; digit < 4; ++digit) {
    if (supers[digit] != zone) return Corruption("wavelet matrix zones differ from its digits");
    zone = std::uint64_t{at[digit]} + (in_block >> 16 * digit & 0xffff);
  }
  return Status::Ok();
}

// REQUIRES: CheckLevel passed, so next() answers.
Status CheckSamples(const QuadView& view, std::uint32_t level, const Kernels& kernels) {
  const std::uint32_t* samples = view.samples + std::uint64_t{level} * view.sample_count;
  for (std::uint32_t sample = 0; sample < view.sample_count; ++sample) {
    const std::uint32_t i = samples[sample];
    const std::uint32_t p = sample * kPositionsPerSample;
    bool moves_there = false;
    if (i < view.size) {
      std::array<Interval, 4> children;
      kernels.children(view, level, {i, i + 1}, children.data());
      for (const Interval& child : children) {
        moves_there = moves_there || (child.size() == 1 && child.start == p);
      }
    }
    if (!moves_there) return Corruption("wavelet matrix samples differ from its digits");
  }
  return Status::Ok();
}

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
