#include "succinct/symbol_starts.h"

#include <algorithm>

namespace dentate::succinct {
namespace {

// Calls visit(first number, one past the last, whether it is long) for each block.
template <typename Visit>
void ForEachBlock(std::span<const std::uint32_t> starts, std::uint32_t low_bits, Visit visit) {
  for (std::size_t first = 0; first < starts.size(); first += kOnesPerStartSample) {
    const std::size_t last = std::min<std::size_t>(first + kOnesPerStartSample, starts.size());
    const std::uint64_t span =
        (starts[last - 1] >> low_bits) - (starts[first] >> low_bits) + last - first;
    visit(first, last, span > kShortBlockBits);
  }
}

SymbolStartsLayout LayoutOf(std::span<const std::uint32_t> starts, std::uint32_t long_blocks) {
  return {static_cast<std::uint32_t>(starts.size() - 1), starts.back(), long_blocks};
}

}  // namespace

std::uint32_t CountLongBlocks(std::span<const std::uint32_t> starts) {
  std::uint32_t count = 0;
  ForEachBlock(starts, LayoutOf(starts, 0).low_bits,
               [&](std::size_t, std::size_t, bool is_long) { count += is_long ? 1 : 0; });
  return count;
}

void WriteSymbolStarts(std::span<const std::uint32_t> starts, std::byte* table) {
  const SymbolStartsLayout layout = LayoutOf(starts, 0);
  const std::uint32_t low_bits = layout.low_bits;
  auto* high = reinterpret_cast<std::uint64_t*>(table);
  auto* low = reinterpret_cast<std::uint64_t*>(table + layout.low);
  auto* samples = reinterpret_cast<std::uint32_t*>(table + layout.samples);
  auto* long_blocks = reinterpret_cast<std::uint32_t*>(table + layout.long_blocks);

  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t one = (starts[i] >> low_bits) + i;
    high[one / 64] |= std::uint64_t{1} << one % 64;
    const std::uint64_t rest = starts[i] & ((std::uint64_t{1} << low_bits) - 1);
    const std::size_t bit = i * low_bits;
    low[bit / 64] |= rest << bit % 64;
    if (bit % 64 + low_bits > 64) low[bit / 64 + 1] |= rest >> (64 - bit % 64);
  }
  std::uint32_t long_count = 0;
  ForEachBlock(starts, low_bits, [&](std::size_t first, std::size_t last, bool is_long) {
    const auto position = [&](std::size_t i) {
      return static_cast<std::uint32_t>((starts[i] >> low_bits) + i);
    };
    samples[first / kOnesPerStartSample] = is_long ? kLongBlockFlag | long_count : position(first);
    if (!is_long) return;
    std::uint32_t* block = long_blocks + std::size_t{long_count++} * kOnesPerStartSample;
    for (std::size_t i = first; i < last; ++i) block[i - first] = position(i);
  });
}

}  // namespace dentate::succinct
