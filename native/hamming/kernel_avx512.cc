// AVX-512: eight rows at a time, thirty-two a turn.
//
//   VPXORQ from memory   2 a cycle
//   VPOPCNTQ             1 or 2 a cycle: eight 64-bit popcounts
//   VPCOMPRESSQ          packs the lanes that match; to a register, since to memory is microcoded
//                        on Zen 4
//
// Out of the caches the bottleneck is memory: 256 bytes a turn and word. The hardware prefetcher
// stops at the end of a 4 KiB page, so a loop over one column asks 4 KiB ahead itself: ten million
// rows then took 1.9 ms instead of 2.5 on Zen 5. With two columns it made no difference, with four
// it was slower. (Asking past the end of memory is harmless.)
//
// Lanes are 64-bit distances: no limit is in reach. Tails are masked, and a masked lane reads
// nothing.

#if defined(__x86_64__)

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns inside its own avx512fintrin.h, where _mm512_undefined_epi32 is meant to be
// uninitialised (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#include "hamming/kernels.h"

#define DENTATE_TARGET_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,popcnt")))
#define DENTATE_INLINE_AVX512 DENTATE_TARGET_AVX512 inline __attribute__((always_inline))

namespace dentate::hamming {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kVectors = 4;  // a turn
constexpr std::size_t kTurn = kLanes * kVectors;
constexpr std::size_t kPrefetchWords = 512;
static_assert(kOutputSlack >= kLanes, "Accept writes whole vectors");

DENTATE_INLINE_AVX512 __m512i Differences(__m512i rows, std::uint64_t word) {
  return _mm512_popcnt_epi64(
      _mm512_xor_si512(rows, _mm512_set1_epi64(static_cast<long long>(word))));
}

// Eight rows whose prefixes are at `distance`; only those of `mask` exist and are near enough.
// Reads the rest of their words, and writes those that match.
DENTATE_INLINE_AVX512 void Accept(const Block& block, const Probe& probe, std::size_t row,
                                  __m512i distance, __mmask8 mask, Found& found, std::uint32_t* ids,
                                  std::uint16_t* distances) {
  if (probe.prefix < probe.words) {
    found.verified += static_cast<std::size_t>(_mm_popcnt_u32(mask));
    for (std::size_t w = probe.prefix; w < probe.words; ++w) {
      const __m512i rows = _mm512_maskz_loadu_epi64(mask, block.columns + w * block.stride + row);
      distance = _mm512_add_epi64(distance, Differences(rows, probe.query[w]));
    }
    mask = _mm512_mask_cmple_epu64_mask(mask, distance, _mm512_set1_epi64(probe.radius));
  }
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i first = _mm256_set1_epi32(static_cast<int>(block.first_id + row));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(ids + found.matches),
                      _mm256_maskz_compress_epi32(mask, _mm256_add_epi32(first, lanes)));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(distances + found.matches),
                   _mm512_cvtepi64_epi16(_mm512_maskz_compress_epi64(mask, distance)));
  found.matches += static_cast<std::size_t>(_mm_popcnt_u32(mask));
}

// kPrefix 0 stands for any. A constant prefix is unrolled, with the query held in registers.
template <std::size_t kPrefix>
DENTATE_TARGET_AVX512 Found RangeOf(const Block& block, const Probe& probe, std::uint32_t* ids,
                                    std::uint16_t* distances) {
  const std::size_t prefix = kPrefix == 0 ? probe.prefix : kPrefix;
  const __m512i limit = _mm512_set1_epi64(probe.radius);
  Found found{0, 0};
  std::size_t row = 0;
  for (; row + kTurn <= block.rows; row += kTurn) {
    __m512i sums[kVectors] = {};
    for (std::size_t w = 0; w < prefix; ++w) {
      const std::uint64_t* column = block.columns + w * block.stride + row;
      for (std::size_t v = 0; v < kVectors; ++v) {
        if (kPrefix == 1) {
          _mm_prefetch(reinterpret_cast<const char*>(column + v * kLanes + kPrefetchWords),
                       _MM_HINT_T0);
        }
        sums[v] = _mm512_add_epi64(
            sums[v], Differences(_mm512_loadu_si512(column + v * kLanes), probe.query[w]));
      }
    }
    const __m512i least =
        _mm512_min_epu64(_mm512_min_epu64(sums[0], sums[1]), _mm512_min_epu64(sums[2], sums[3]));
    if (_mm512_cmple_epu64_mask(least, limit) == 0) continue;
    for (std::size_t v = 0; v < kVectors; ++v) {
      const __mmask8 near = _mm512_cmple_epu64_mask(sums[v], limit);
      if (near != 0) Accept(block, probe, row + v * kLanes, sums[v], near, found, ids, distances);
    }
  }
  for (; row < block.rows; row += kLanes) {
    const std::size_t left = block.rows - row;
    const auto mask = static_cast<__mmask8>(left < kLanes ? (1U << left) - 1 : 0xff);
    __m512i sum = _mm512_setzero_si512();
    for (std::size_t w = 0; w < prefix; ++w) {
      const __m512i rows = _mm512_maskz_loadu_epi64(mask, block.columns + w * block.stride + row);
      sum = _mm512_add_epi64(sum, Differences(rows, probe.query[w]));
    }
    const __mmask8 near = _mm512_mask_cmple_epu64_mask(mask, sum, limit);
    if (near != 0) Accept(block, probe, row, sum, near, found, ids, distances);
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

DENTATE_TARGET_AVX512 std::uint64_t Sum(const std::uint64_t* words, std::size_t count) {
  __m512i sums[kVectors] = {};
  std::size_t i = 0;
  for (; i + kTurn <= count; i += kTurn) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[v] = _mm512_add_epi64(sums[v], _mm512_loadu_si512(words + i + v * kLanes));
    }
  }
  const __m512i all =
      _mm512_add_epi64(_mm512_add_epi64(sums[0], sums[1]), _mm512_add_epi64(sums[2], sums[3]));
  alignas(64) std::uint64_t lanes[kLanes];
  _mm512_store_si512(lanes, all);
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : lanes) sum += lane;
  for (; i < count; ++i) sum += words[i];
  return sum;
}

}  // namespace

const Kernels kAvx512Kernels = {"avx512", Range, Sum};

}  // namespace dentate::hamming

#endif  // defined(__x86_64__)
