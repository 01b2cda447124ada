// WaveletMatrix::Build: level by level (quad_level.h). Nothing depends on how often a symbol
// occurs.

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <memory>

#include "succinct/aligned_bytes.h"
#include "succinct/quad_level.h"
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
      const std::span<const std::uint32_t> order(current, size_);
      const std::uint32_t shift = 2 * (levels_ - 1 - level);
      PackLevel(order, shift, Out(level));
      SortLevel(order, shift, Out(level), level + 1 < levels_ ? next : nullptr);
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

  QuadLevelOut Out(std::uint32_t level) const {
    std::byte* base = bytes_->data();
    return {reinterpret_cast<std::uint64_t*>(base + layout_.lines) +
                std::uint64_t{level} * layout_.line_count * kLineWordCount,
            reinterpret_cast<std::uint32_t*>(base + layout_.supers) +
                std::uint64_t{level} * layout_.super_count * 4,
            reinterpret_cast<std::uint32_t*>(base + layout_.samples) +
                std::uint64_t{level} * layout_.sample_count};
  }

  std::uint32_t size_;
  unsigned symbol_bits_;
  std::uint32_t levels_;
  std::vector<std::uint32_t> starts_;
  std::uint32_t long_blocks_;
  WaveletLayout layout_;
  std::shared_ptr<AlignedBytes> bytes_;
};

WaveletMatrix WaveletMatrix::Build(std::span<const std::uint32_t> symbols, unsigned symbol_bits) {
  assert(symbol_bits >= 1 && symbol_bits <= 32);
  return WaveletBuilder(symbols, symbol_bits).Finish();
}

}  // namespace dentate::succinct
