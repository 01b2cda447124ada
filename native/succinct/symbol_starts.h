// Where each symbol's run begins once a wavelet matrix has sorted its text: m + 1 ascending numbers
// v_0 = 0, ..., v_m = n in a few bits each (Elias-Fano).
//
// A number is cut into `low_bits` low bits, stored as they are, and the rest h_i, stored in unary:
// bit h_i + i of `high` is one. So v_i takes one select on `high` and one read of `low`, and
//
//   symbol i occurs v_(i+1) - v_i times: count in about two cache misses, of a table that mostly
//   fits in L2 (0.25 MB for 2^18 symbols of a text of 10^7: 0.025 bytes a symbol of text).
//
//   sections   high     ceil((n >> low_bits) + m + 1) / 64) words
//              low      (m + 1) x low_bits bits, and one word more so that a read needs no test
//              samples  u32 for every 64th one: its position in `high`; with the top bit set, an
//                       index into long blocks
//              long     64 u32 each: positions of the ones of a block that spans more than 4,096
//                       bits (a very frequent symbol leaves a long run of zeros)
//
// low_bits = floor(log2(n / m)), so `high` has between 2 and 3 bits a number: short blocks span a
// few words and a lookup scans at most 64. Long blocks are at most 3 m / 4096, so take at most 6%
// of m words.
//
// Source: P. Elias (1974), R. Fano (1971); D. Clark's split of blocks into short and long (1996).

#ifndef DENTATE_SUCCINCT_SYMBOL_STARTS_H_
#define DENTATE_SUCCINCT_SYMBOL_STARTS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dentate::succinct {

inline constexpr std::uint32_t kOnesPerStartSample = 64;
inline constexpr std::uint32_t kShortBlockBits = 4096;
inline constexpr std::uint32_t kLongBlockFlag = std::uint32_t{1} << 31;

// Places of the sections, in bytes from the table's start. m symbols, n >= 2 m.
struct SymbolStartsLayout {
  std::uint32_t low_bits;
  std::uint64_t high_words, sample_count;
  std::uint64_t low, samples, long_blocks, byte_count;

  constexpr SymbolStartsLayout(std::uint32_t m, std::uint32_t n, std::uint32_t long_block_count)
      : low_bits(m == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(n / m) - 1)),
        high_words(((n >> low_bits) + std::uint64_t{m} + 1 + 63) / 64),
        sample_count(m / kOnesPerStartSample + 1),
        low(high_words * 8),
        samples(low + ((std::uint64_t{m} + 1) * low_bits / 64 + 2) * 8),
        long_blocks(samples + sample_count * 4),
        byte_count(long_blocks + std::uint64_t{long_block_count} * kOnesPerStartSample * 4) {}
};

// Long blocks the table of these starts needs. REQUIRES: starts ascend; starts.size() = m + 1.
std::uint32_t CountLongBlocks(std::span<const std::uint32_t> starts);

// Writes the table to zeroed memory of SymbolStartsLayout's size.
void WriteSymbolStarts(std::span<const std::uint32_t> starts, std::byte* table);

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_SYMBOL_STARTS_H_
