// How long each symbol's code is in a Huffman-shaped matrix, and which digits it has.
//
// Codes have digits of two bits. A tree of them has on each level some nodes, whose children are
// symbols or nodes of the next level. Only how many of which matters: the children of level k are
// numbered digit first,
//
//   child c = digit * nodes(k) + node          0 <= c < 4 nodes(k)
//
// and the last of them are symbols, the others, in this order, the nodes of level k + 1. That is
// the order in which a wavelet matrix sorts them: what goes on lies before what has ended. Symbols
// are numbered as they end, level by level; so the whole tree is one number a level, and the digits
// of a symbol follow by division.
//
//   nodes(0) = 1      4 nodes(k) = ends(k) + nodes(k + 1)
//
// On the last level up to three children are nobody's.

#ifndef DENTATE_SUCCINCT_HUFFMAN_SHAPE_H_
#define DENTATE_SUCCINCT_HUFFMAN_SHAPE_H_

#include <cstdint>
#include <span>
#include <vector>

namespace dentate::succinct {

inline constexpr std::uint32_t kMaxHuffmanLevels = 16;

// How many symbols end on each level, so that a text in which they occur `counts` times has the
// fewest digits (but for the limit of levels: codes of what occurs less than once in 2^16 may be
// shorter than they should). The most frequent ones end first. O(n). REQUIRES: counts descend.
std::vector<std::uint32_t> HuffmanEnds(std::span<const std::uint32_t> counts);

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_HUFFMAN_SHAPE_H_
