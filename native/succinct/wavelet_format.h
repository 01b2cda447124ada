// The bytes of a sealed wavelet matrix: what WaveletMatrix::bytes() returns and a segment file
// holds.
//
// Little-endian, no pointers: every section's place follows from the header, so the bytes work
// wherever they are mapped, at an address that is a multiple of 64. Sections lie in this order,
// each from a multiple of 64 bytes on, the gaps zero:
//
//   header   64 bytes
//              offset  size  field
//                   0     8  magic "DENTATWM"
//                   8     4  version, 1
//                  12     4  n, the number of symbols
//                  16     1  symbol bits as declared, 1..32
//                  17     1  levels L, 1..16: two bits of a symbol each, enough for the largest one
//                  18     2  zero
//                  20     4  long blocks among the starts' samples (symbol_starts.h)
//                  24     8  bytes in all
//                  32    32  zero
//   lines    L x (n / 224 + 1) lines of 64 bytes: digits and counts (quad_view.h)
//   supers   L x (n / 224 / 256 + 1) x 4 u32: next-level position of the first digit d of a block
//   samples  L x ceil(n / 512) u32: position whose digit moves to next-level position 512 j
//   starts   where each symbol's run begins in the order of the last level; only if
//            4^L * 2 <= n and L <= 12, otherwise a query finds it by descending (symbol_starts.h)
//
// Valid if and only if the sizes match the header, every count, sample and start is what the digits
// say, digits past n are zero, and no symbol needs more than the declared bits.

#ifndef DENTATE_SUCCINCT_WAVELET_FORMAT_H_
#define DENTATE_SUCCINCT_WAVELET_FORMAT_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "succinct/symbol_starts.h"

namespace dentate::succinct {

static_assert(std::endian::native == std::endian::little, "the bytes are used in place");

inline constexpr std::uint32_t kLineDigitCount = 224;
inline constexpr std::uint32_t kLineWordCount = 8;
inline constexpr std::uint32_t kLinesPerSuper = 256;
inline constexpr std::uint32_t kPositionsPerSample = 512;
inline constexpr std::uint32_t kMaxLevels = 16;
inline constexpr std::uint32_t kMaxStartLevels = 12;
static_assert((kLinesPerSuper - 1) * kLineDigitCount < 1U << 16, "a line's counts have 16 bits");

struct WaveletHeader {
  static constexpr std::array<char, 8> kMagic = {'D', 'E', 'N', 'T', 'A', 'T', 'W', 'M'};
  static constexpr std::uint32_t kVersion = 1;

  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t size = 0;
  std::uint8_t symbol_bits = 0;
  std::uint8_t levels = 0;
  std::uint16_t zero = 0;
  std::uint32_t long_start_blocks = 0;
  std::uint64_t byte_count = 0;
  std::array<std::uint64_t, 4> reserved{};
};
static_assert(sizeof(WaveletHeader) == 64, "the table above");
static_assert(offsetof(WaveletHeader, long_start_blocks) == 20, "the table above");
static_assert(offsetof(WaveletHeader, byte_count) == 24, "the table above");

// Places of the sections, in bytes from the start, for a matrix of `size` symbols.
struct WaveletLayout {
  std::uint32_t line_count;    // a level
  std::uint32_t super_count;   // a level
  std::uint32_t sample_count;  // a level
  bool has_starts;
  SymbolStartsLayout starts_layout;  // meaningful when has_starts
  std::uint64_t lines, supers, samples, starts, byte_count;

  constexpr WaveletLayout(std::uint32_t size, std::uint32_t levels, std::uint32_t long_start_blocks)
      : line_count(size / kLineDigitCount + 1),
        super_count(size / kLineDigitCount / kLinesPerSuper + 1),
        sample_count(size / kPositionsPerSample + (size % kPositionsPerSample != 0 ? 1 : 0)),
        has_starts(levels <= kMaxStartLevels && std::uint64_t{2} << 2 * levels <= size),
        starts_layout(has_starts ? std::uint32_t{1} << 2 * levels : 0, size, long_start_blocks),
        lines(sizeof(WaveletHeader)),
        supers(lines + std::uint64_t{levels} * line_count * kLineWordCount * 8),
        samples(Align(supers + std::uint64_t{levels} * super_count * 16)),
        starts(Align(samples + std::uint64_t{levels} * sample_count * 4)),
        byte_count(starts + (has_starts ? Align(starts_layout.byte_count) : 0)) {}

 private:
  static constexpr std::uint64_t Align(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }
};

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_WAVELET_FORMAT_H_
