// A Huffman-shaped matrix as the kernels see it: pointers into its bytes, and no code.
//
// huffman_shape.h numbers nodes and symbols, quad_view.h draws what a level is. Level k has the
// digits k of all symbols that have one, in the order that level k - 1 sorts them to; its next()
// counts the positions of level k + 1 first and goes on with those of the symbols that have ended:
//
//   order after level k   | level k + 1, node by node | symbols that end on level k, one by one |
//                         0                            size(k + 1) size(k)

#ifndef DENTATE_SUCCINCT_HUFFMAN_VIEW_H_
#define DENTATE_SUCCINCT_HUFFMAN_VIEW_H_

#include <cstdint>

#include "succinct/quad_view.h"

namespace dentate::succinct {

// A row for each level and one behind them, which begins where they end.
struct HuffmanLevel {
  std::uint32_t size;          // digits
  std::uint32_t nodes;         // of the tree
  std::uint32_t first_symbol;  // the first one that ends here
  std::uint32_t first_line;    // where the level's lines, supers and samples begin
  std::uint32_t first_super;   // in supers of four counts
  std::uint32_t first_sample;
};
static_assert(sizeof(HuffmanLevel) == 24, "huffman_matrix.h draws it");

struct HuffmanView {
  const HuffmanLevel* levels;  // level_count + 1
  const std::uint64_t* lines;
  const std::uint32_t* supers;
  const std::uint32_t* samples;
  std::uint32_t level_count;

  // Level k as a matrix of one level.
  QuadView Level(std::uint32_t k) const noexcept {
    const HuffmanLevel& level = levels[k];
    const HuffmanLevel& next = levels[k + 1];
    QuadView view{};
    view.lines = lines + std::uint64_t{level.first_line} * 8;
    view.supers = supers + std::uint64_t{level.first_super} * 4;
    view.samples = samples + level.first_sample;
    view.size = level.size;
    view.levels = 1;
    view.line_count = next.first_line - level.first_line;
    view.super_count = next.first_super - level.first_super;
    view.sample_count = next.first_sample - level.first_sample;
    return view;
  }
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_HUFFMAN_VIEW_H_
