// The bytes of a Huffman-shaped matrix: huffman_matrix.h lists the sections.

#ifndef DENTATE_SUCCINCT_HUFFMAN_FORMAT_H_
#define DENTATE_SUCCINCT_HUFFMAN_FORMAT_H_

#include <cstdint>

#include "succinct/elias_fano.h"
#include "succinct/huffman_shape.h"
#include "succinct/huffman_view.h"
#include "succinct/quad_level.h"

namespace dentate::succinct {

struct HuffmanHeader {
  std::uint32_t size = 0;
  std::uint32_t symbols = 0;
  std::uint32_t levels = 0;
  std::uint32_t can_select = 0;  // 1 or 0
};
static_assert(sizeof(HuffmanHeader) == 16, "huffman_matrix.h says 16");

// Where the sections begin, in words. `last` is the row behind the levels.
struct HuffmanLayout {
  std::uint64_t lines, supers, samples, ends, word_count;

  HuffmanLayout(const HuffmanHeader& header, const HuffmanLevel& last)
      : lines(Align(
            (sizeof(HuffmanHeader) + (header.levels + std::uint64_t{1}) * sizeof(HuffmanLevel)) /
            8)),
        supers(lines + std::uint64_t{last.first_line} * kLineWordCount),
        samples(supers + std::uint64_t{last.first_super} * 2),
        ends(samples + (std::uint64_t{last.first_sample} + 1) / 2),
        word_count(
            Align(ends + (header.can_select != 0 ? EliasFano::WordCount(header.symbols, header.size)
                                                 : 0))) {}

 private:
  static constexpr std::uint64_t Align(std::uint64_t words) { return (words + 7) / 8 * 8; }
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_HUFFMAN_FORMAT_H_
