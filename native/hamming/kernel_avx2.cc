// AVX2: four rows at a time, sixteen a turn.
//
// AVX2 has no popcount. Each byte is split into two nibbles, which index a table of 16 counts:
//
//   VPSHUFB  table look-up of 32 nibbles   1 to 2 a cycle: the bottleneck, two for each vector
//   VPSADBW  adds the 8 bytes of a word    once for each row, after all its words
//
// Limit: a byte counts at most 8 a word, so that it holds 31 words before VPSADBW has to empty it.
// Distances are then 64-bit lanes.
//
// Source: W. Mula, N. Kurz, D. Lemire, "Faster Population Counts Using AVX2 Instructions", The
// Computer Journal 61 (2018). Their carry-save adder needs far longer inputs than one signature.

#if defined(__x86_64__)

#include <immintrin.h>

#include "hamming/kernels.h"

#define DENTATE_TARGET_AVX2 __attribute__((target("avx2,popcnt")))
#define DENTATE_INLINE_AVX2 DENTATE_TARGET_AVX2 inline __attribute__((always_inline))

namespace dentate::hamming {
namespace {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kVectors = 4;  // a turn
constexpr std::size_t kTurn = kLanes * kVectors;
constexpr std::size_t kPrefetchWords = 512;  // 4 KiB: the hardware stops at the end of a page
constexpr std::size_t kWordsPerByteSum = 31;
static_assert(kWordsPerByteSum * 8 <= 255);

DENTATE_INLINE_AVX2 __m256i Load(const std::uint64_t* words) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
}

DENTATE_INLINE_AVX2 __m256i CountBytes(__m256i bits) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2,
                                         1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(bits, nibble));
  const __m256i high =
      _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(bits, 4), nibble));
  return _mm256_add_epi8(low, high);
}

// The distances of kVectors * 4 rows over words [0, prefix). A constant prefix is unrolled.
DENTATE_INLINE_AVX2 void Distances(const std::uint64_t* columns, std::size_t stride,
                                   const std::uint64_t* query, std::size_t prefix, __m256i* sums) {
  const __m256i zero = _mm256_setzero_si256();
  for (std::size_t v = 0; v < kVectors; ++v) sums[v] = zero;
  for (std::size_t from = 0; from < prefix; from += kWordsPerByteSum) {
    const std::size_t to = prefix - from < kWordsPerByteSum ? prefix : from + kWordsPerByteSum;
    __m256i bytes[kVectors] = {zero, zero, zero, zero};
    for (std::size_t w = from; w < to; ++w) {
      const __m256i word = _mm256_set1_epi64x(static_cast<long long>(query[w]));
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::uint64_t* at = columns + w * stride + v * kLanes;
        if (v % 2 == 0) {  // once for each cache line
          _mm_prefetch(reinterpret_cast<const char*>(at + kPrefetchWords), _MM_HINT_T0);
        }
        const __m256i row = Load(at);
        bytes[v] = _mm256_add_epi8(bytes[v], CountBytes(_mm256_xor_si256(row, word)));
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[v] = _mm256_add_epi64(sums[v], _mm256_sad_epu8(bytes[v], zero));
    }
  }
}

// One row whose prefix is at `distance`: reads the rest, and writes it where it matches.
DENTATE_INLINE_AVX2 void Accept(const Block& block, const Probe& probe, std::size_t row,
                                std::uint64_t distance, Found& found, std::uint32_t* ids,
                                std::uint16_t* distances) {
  if (distance > probe.radius) return;
  if (probe.prefix < probe.words) {
    ++found.verified;
    for (std::size_t w = probe.prefix; w < probe.words; ++w) {
      distance += static_cast<std::uint64_t>(
          _mm_popcnt_u64(block.columns[w * block.stride + row] ^ probe.query[w]));
    }
    if (distance > probe.radius) return;
  }
  ids[found.matches] = block.first_id + static_cast<std::uint32_t>(row);
  distances[found.matches] = static_cast<std::uint16_t>(distance);
  ++found.matches;
}

// kPrefix 0 stands for any.
template <std::size_t kPrefix>
DENTATE_TARGET_AVX2 Found RangeOf(const Block& block, const Probe& probe, std::uint32_t* ids,
                                  std::uint16_t* distances) {
  const std::size_t prefix = kPrefix == 0 ? probe.prefix : kPrefix;
  const __m256i limit = _mm256_set1_epi64x(probe.radius);
  Found found{0, 0};
  std::size_t row = 0;
  for (; row + kTurn <= block.rows; row += kTurn) {
    __m256i sums[kVectors];
    Distances(block.columns + row, block.stride, probe.query, prefix, sums);
    // Only the low half of a lane is not zero, so that 32-bit minima are minima of lanes.
    const __m256i least =
        _mm256_min_epu32(_mm256_min_epu32(sums[0], sums[1]), _mm256_min_epu32(sums[2], sums[3]));
    if (_mm256_movemask_epi8(_mm256_cmpgt_epi64(least, limit)) == -1) continue;
    alignas(32) std::uint64_t lanes[kTurn];
    for (std::size_t v = 0; v < kVectors; ++v) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(lanes + v * kLanes), sums[v]);
    }
    for (std::size_t i = 0; i < kTurn; ++i) {
      Accept(block, probe, row + i, lanes[i], found, ids, distances);
    }
  }
  for (; row < block.rows; ++row) {
    std::uint64_t distance = 0;
    for (std::size_t w = 0; w < prefix; ++w) {
      distance += static_cast<std::uint64_t>(
          _mm_popcnt_u64(block.columns[w * block.stride + row] ^ probe.query[w]));
    }
    Accept(block, probe, row, distance, found, ids, distances);
  }
  return found;
}

Found Range(const Block& block, const Probe& probe, std::uint32_t* ids, std::uint16_t* distances) {
  switch (probe.prefix) {
    case 1:
      return RangeOf<1>(block, probe, ids, distances);
    case 2:
      return RangeOf<2>(block, probe, ids, distances);
    case 4:
      return RangeOf<4>(block, probe, ids, distances);
    default:
      return RangeOf<0>(block, probe, ids, distances);
  }
}

DENTATE_TARGET_AVX2 std::uint64_t Sum(const std::uint64_t* words, std::size_t count) {
  __m256i sums[kVectors] = {};
  std::size_t i = 0;
  for (; i + kTurn <= count; i += kTurn) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[v] = _mm256_add_epi64(sums[v], Load(words + i + v * kLanes));
    }
  }
  const __m256i all =
      _mm256_add_epi64(_mm256_add_epi64(sums[0], sums[1]), _mm256_add_epi64(sums[2], sums[3]));
  alignas(32) std::uint64_t lanes[kLanes];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), all);
  std::uint64_t sum = lanes[0] + lanes[1] + lanes[2] + lanes[3];
  for (; i < count; ++i) sum += words[i];
  return sum;
}

}  // namespace

const Kernels kAvx2Kernels = {"avx2", Range, Sum};

}  // namespace dentate::hamming

#endif  // defined(__x86_64__)
