// A level takes one pass to pack its digits into lines and count them, and one to sort the symbols
// stably by digit into the order of the next.

#include "succinct/quad_level.h"

#include <algorithm>
#include <array>
#include <optional>

#include "succinct/wavelet_format.h"

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

}  // namespace

void PackLevel(std::span<const std::uint32_t> symbols, std::uint32_t shift,
               const QuadLevelOut& out) {
  const Kernels& kernels = ActiveKernels();
  const auto size = static_cast<std::uint32_t>(symbols.size());
  std::uint64_t* lines = out.lines;
  std::uint32_t* supers = out.supers;
  std::array<std::uint32_t, 4> before{};  // digits in the blocks before
  std::uint64_t in_block = 0;             // digits in this block's lines so far, 16 bits each
  std::array<std::uint32_t, kLineDigitCount> padded{};
  for (std::uint32_t line = 0; line < LineCountOf(size); ++line) {
    if (line % kLinesPerSuper == 0) {
      for (std::uint32_t digit = 0; digit < 4; ++digit) {
        before[digit] += static_cast<std::uint32_t>(in_block >> 16 * digit & 0xffff);
        supers[line / kLinesPerSuper * 4 + digit] = before[digit];
      }
      in_block = 0;
    }
    const std::uint32_t first = line * kLineDigitCount;
    const std::uint32_t* source = symbols.data() + first;
    std::uint64_t padding = 0;
    if (size - first < kLineDigitCount) {
      padded = {};
      std::copy_n(source, size - first, padded.begin());
      padding = kLineDigitCount - (size - first);  // digits 0 that are not there
      source = padded.data();
    }
    lines[line * std::size_t{kLineWordCount}] = in_block;
    in_block +=
        kernels.pack_line(source, shift, lines + line * std::size_t{kLineWordCount}) - padding;
  }
  // So far the supers count; from here on they say where the first digit of the block goes.
  std::array<std::uint32_t, 4> zone{};
  for (std::uint32_t digit = 0; digit < 3; ++digit) {
    zone[digit + 1] =
        zone[digit] + before[digit] + static_cast<std::uint32_t>(in_block >> 16 * digit & 0xffff);
  }
  for (std::uint32_t i = 0; i < SuperCountOf(size) * 4; ++i) supers[i] += zone[i % 4];
}

void SortLevel(std::span<const std::uint32_t> symbols, std::uint32_t shift, const QuadLevelOut& out,
               std::uint32_t* next) {
  const auto size = static_cast<std::uint32_t>(symbols.size());
  const std::uint32_t* zones = out.supers;
  std::array<std::uint32_t, 4> at = {zones[0], zones[1], zones[2], zones[3]};
  for (std::uint32_t first = 0; first < size; first += kLineDigitCount) {
    const std::uint32_t count = std::min(kLineDigitCount, size - first);
    // The four cursors are 16-bit fields of one register, so that no store has to be waited for.
    const std::uint32_t* from = symbols.data() + first;
    const std::array<std::uint32_t, 4> old = at;
    if (next != nullptr) {
      std::array<std::uint32_t*, 4> to = {next + at[0], next + at[1], next + at[2], next + at[3]};
      std::uint64_t placed = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t symbol = from[i];
        const std::uint32_t field = (symbol >> shift & 3) * 16;
        to[field / 16][placed >> field & 0xffff] = symbol;
        placed += std::uint64_t{1} << field;
      }
      for (std::uint32_t digit = 0; digit < 4; ++digit) {
        at[digit] += static_cast<std::uint32_t>(placed >> 16 * digit & 0xffff);
      }
    } else {
      for (std::uint32_t i = 0; i < count; ++i) ++at[from[i] >> shift & 3];
    }
    if (out.samples == nullptr) continue;
    for (std::uint32_t digit = 0; digit < 4; ++digit) {
      // A line has fewer digits than a sample's reach, so at most one sample of each digit.
      const std::uint32_t sample = (old[digit] + kPositionsPerSample - 1) / kPositionsPerSample;
      const std::uint64_t p = std::uint64_t{sample} * kPositionsPerSample;
      if (p >= at[digit]) continue;
      auto rest = static_cast<std::uint32_t>(p) - old[digit];
      std::uint32_t i = 0;
      for (; (from[i] >> shift & 3) != digit || rest-- > 0; ++i) {
      }
      out.samples[sample] = first + i;
    }
  }
}

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

}  // namespace dentate::succinct
