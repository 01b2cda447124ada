// WaveletMatrix::Build: one pass a level to pack digits into lines and count them, one to sort the
// symbols stably by digit into the order of the next level. Nothing depends on how often a symbol
// occurs.

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <memory>

#include "succinct/aligned_bytes.h"
#include "succinct/kernels.h"
#include "succinct/wavelet_format.h"
#include "succinct/wavelet_matrix.h"

namespace dentate::succinct {

class WaveletBuilder {
 public:
  WaveletBuilder(std::span<const std::uint32_t> symbols, unsigned symbol_bits)
      : size_(static_cast<std::uint32_t>(symbols.size())),
        symbol_bits_(symbol_bits),
        levels_(LevelsFor(symbols)),
        starts_(CountStarts(symbols)),
        long_blocks_(starts_.empty() ? 0 : CountLongBlocks(starts_)),
        layout_(size_, levels_, long_blocks_),
        bytes_(std::make_shared<AlignedBytes>(layout_.byte_count)) {
    WaveletHeader header;
    header.size = size_;
    header.symbol_bits = static_cast<std::uint8_t>(symbol_bits_);
    header.levels = static_cast<std::uint8_t>(levels_);
    header.long_start_blocks = long_blocks_;
    header.byte_count = layout_.byte_count;
    std::memcpy(bytes_->data(), &header, sizeof header);
    if (!starts_.empty()) WriteSymbolStarts(starts_, bytes_->data() + layout_.starts);

    // Two orders of the symbols: the level's and the next one's.
    const std::size_t scratch_bytes = symbols.size() * sizeof(std::uint32_t);
    const AlignedBytes first(levels_ > 1 ? scratch_bytes : 0);
    const AlignedBytes second(levels_ > 2 ? scratch_bytes : 0);
    const std::uint32_t* current = symbols.data();
    for (std::uint32_t level = 0; level < levels_; ++level) {
      auto* next = reinterpret_cast<std::uint32_t*>((level % 2 == 0 ? first : second).data());
      PackLevel(level, current);
      SortLevel(level, current, level + 1 < levels_ ? next : nullptr);
      current = next;
    }
  }

  WaveletMatrix Finish() && {
    const std::span<const std::byte> bytes(bytes_->data(), bytes_->size());
    return {std::move(bytes_), bytes};
  }

 private:
  static std::uint32_t LevelsFor(std::span<const std::uint32_t> symbols) {
    std::uint32_t all = 0;
    for (const std::uint32_t symbol : symbols) all |= symbol;
    return std::max(1U, (static_cast<std::uint32_t>(std::bit_width(all)) + 1) / 2);
  }

  // Starts of all the runs after the last level and the end of the last one; empty for a matrix
  // without starts.
  std::vector<std::uint32_t> CountStarts(std::span<const std::uint32_t> symbols) const {
    if (!WaveletLayout(size_, levels_, 0).has_starts) return {};
    std::vector<std::uint32_t> counts(std::size_t{1} << 2 * levels_);
    for (const std::uint32_t symbol : symbols) ++counts[symbol];
    std::vector<std::uint32_t> starts(counts.size() + 1);
    for (std::size_t run = 0; run < counts.size(); ++run) {
      std::uint32_t symbol = 0;  // the run's number with its digits reversed
      for (std::uint32_t level = 0; level < levels_; ++level) {
        symbol = symbol << 2 | (static_cast<std::uint32_t>(run) >> 2 * level & 3);
      }
      starts[run + 1] = starts[run] + counts[symbol];
    }
    return starts;
  }

  std::uint32_t Shift(std::uint32_t level) const { return 2 * (levels_ - 1 - level); }
  std::uint64_t* Lines(std::uint32_t level) const {
    return reinterpret_cast<std::uint64_t*>(bytes_->data() + layout_.lines) +
           std::uint64_t{level} * layout_.line_count * kLineWordCount;
  }
  std::uint32_t* Supers(std::uint32_t level) const {
    return reinterpret_cast<std::uint32_t*>(bytes_->data() + layout_.supers) +
           std::uint64_t{level} * layout_.super_count * 4;
  }
  std::uint32_t* Samples(std::uint32_t level) const {
    return reinterpret_cast<std::uint32_t*>(bytes_->data() + layout_.samples) +
           std::uint64_t{level} * layout_.sample_count;
  }

  void PackLevel(std::uint32_t level, const std::uint32_t* symbols) const {
    std::uint64_t* lines = Lines(level);
    std::uint32_t* supers = Supers(level);
    std::array<std::uint32_t, 4> before{};  // digits in the blocks before
    std::uint64_t in_block = 0;             // digits in this block's lines so far, 16 bits each
    std::array<std::uint32_t, kLineDigitCount> padded{};
    for (std::uint32_t line = 0; line < layout_.line_count; ++line) {
      if (line % kLinesPerSuper == 0) {
        for (std::uint32_t digit = 0; digit < 4; ++digit) {
          before[digit] += static_cast<std::uint32_t>(in_block >> 16 * digit & 0xffff);
          supers[line / kLinesPerSuper * 4 + digit] = before[digit];
        }
        in_block = 0;
      }
      const std::uint32_t first = line * kLineDigitCount;
      const std::uint32_t* source = symbols + first;
      std::uint64_t padding = 0;
      if (size_ - first < kLineDigitCount) {
        padded = {};
        std::copy_n(source, size_ - first, padded.begin());
        padding = kLineDigitCount - (size_ - first);  // digits 0 that are not there
        source = padded.data();
      }
      lines[line * std::size_t{kLineWordCount}] = in_block;
      in_block +=
          kernels_.pack_line(source, Shift(level), lines + line * std::size_t{kLineWordCount}) -
          padding;
    }
    // So far the supers count; from here on they say where the first digit of the block goes.
    std::array<std::uint32_t, 4> zone{};
    for (std::uint32_t digit = 0; digit < 3; ++digit) {
      zone[digit + 1] =
          zone[digit] + before[digit] + static_cast<std::uint32_t>(in_block >> 16 * digit & 0xffff);
    }
    for (std::uint32_t i = 0; i < layout_.super_count * 4; ++i) supers[i] += zone[i % 4];
  }

  // Fills the level's samples and, unless next is null, the next level's order.
  void SortLevel(std::uint32_t level, const std::uint32_t* symbols, std::uint32_t* next) const {
    const std::uint32_t* zones = Supers(level);
    std::uint32_t* samples = Samples(level);
    const std::uint32_t shift = Shift(level);
    std::array<std::uint32_t, 4> at = {zones[0], zones[1], zones[2], zones[3]};
    for (std::uint32_t first = 0; first < size_; first += kLineDigitCount) {
      const std::uint32_t count = std::min(kLineDigitCount, size_ - first);
      // The four cursors are 16-bit fields of one register, so that no store has to be waited for.
      const std::uint32_t* from = symbols + first;
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
      for (std::uint32_t digit = 0; digit < 4; ++digit) {
        // A line has fewer digits than a sample's reach, so at most one sample of each digit.
        const std::uint32_t sample = (old[digit] + kPositionsPerSample - 1) / kPositionsPerSample;
        const std::uint64_t p = std::uint64_t{sample} * kPositionsPerSample;
        if (p >= at[digit]) continue;
        auto rest = static_cast<std::uint32_t>(p) - old[digit];
        std::uint32_t i = 0;
        for (; (from[i] >> shift & 3) != digit || rest-- > 0; ++i) {
        }
        samples[sample] = first + i;
      }
    }
  }

  std::uint32_t size_;
  unsigned symbol_bits_;
  std::uint32_t levels_;
  std::vector<std::uint32_t> starts_;
  std::uint32_t long_blocks_;
  WaveletLayout layout_;
  std::shared_ptr<AlignedBytes> bytes_;
  const Kernels& kernels_ = ActiveKernels();
};

WaveletMatrix WaveletMatrix::Build(std::span<const std::uint32_t> symbols, unsigned symbol_bits) {
  assert(symbol_bits >= 1 && symbol_bits <= 32);
  return WaveletBuilder(symbols, symbol_bits).Finish();
}

}  // namespace dentate::succinct
