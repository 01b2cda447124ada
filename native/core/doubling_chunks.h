// Where an element lies among chunks of doubling size, which never move: chunk 0 holds `first`
// elements, chunk k > 0 holds first * 2^(k-1), so that a chunk comes from the position of the
// highest set bit, and a directory of one pointer for each power of two never grows.
//
//   chunk     0        1        2                 3
//          +--------+--------+-----------------+----------------------------------- ...
//   index  0     F-1 F   2F-1 2F          4F-1  4F

#ifndef DENTATE_CORE_DOUBLING_CHUNKS_H_
#define DENTATE_CORE_DOUBLING_CHUNKS_H_

#include <algorithm>
#include <bit>
#include <cstddef>

namespace dentate {

template <std::size_t kFirst>
struct DoublingChunks {
  static_assert(std::has_single_bit(kFirst), "a chunk is found from the highest set bit");

  static constexpr std::size_t ChunkOf(std::size_t index) noexcept {
    return static_cast<std::size_t>(std::bit_width(index >> std::countr_zero(kFirst)));
  }
  static constexpr std::size_t Start(std::size_t chunk) noexcept {
    return chunk == 0 ? 0 : kFirst << (chunk - 1);
  }
  static constexpr std::size_t Size(std::size_t chunk) noexcept {
    return chunk == 0 ? kFirst : kFirst << (chunk - 1);
  }
  // How many elements from `index`, cut at `end`, lie one behind the other. REQUIRES: index < end.
  static constexpr std::size_t RunLength(std::size_t index, std::size_t end) noexcept {
    const std::size_t chunk = ChunkOf(index);
    return std::min(end, Start(chunk) + Size(chunk)) - index;
  }
  // Chunks that hold `limit` elements between them, a power of two.
  static constexpr std::size_t CountFor(std::size_t limit) noexcept {
    return ChunkOf(limit - 1) + 1;
  }
};

}  // namespace dentate

#endif  // DENTATE_CORE_DOUBLING_CHUNKS_H_
