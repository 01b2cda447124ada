// What the x86 kernels have in common: words by BMI2, and the digits of a line in four lanes.
//
// Included by kernel_avx2.cc and kernel_avx512.cc only, as quad_ops.h is and before it, inside
// their anonymous namespaces: what is compiled for one instruction set can't be inlined into
// another. Before it the file defines DENTATE_KERNEL, its target attribute, and
// DENTATE_KERNEL_INLINE.

DENTATE_KERNEL_INLINE std::uint32_t Popcount(std::uint64_t word) {
  return static_cast<std::uint32_t>(_mm_popcnt_u64(word));
}

DENTATE_KERNEL static inline std::uint32_t SelectInWord(std::uint64_t word, std::uint32_t k) {
  return static_cast<std::uint32_t>(_tzcnt_u64(_pdep_u64(std::uint64_t{1} << k, word)));
}

DENTATE_KERNEL_INLINE std::uint64_t LowMask(std::uint32_t n) {
  return _bzhi_u64(~std::uint64_t{0}, n);
}

DENTATE_KERNEL std::uint32_t CountOnes(const std::uint64_t* words, std::uint32_t bit_count) {
  std::uint32_t ones = 0;
  for (; bit_count >= 64; bit_count -= 64) {
    ones += Popcount(__atomic_load_n(words++, __ATOMIC_RELAXED));
  }
  if (bit_count == 0) return ones;  // else *words may lie past the line
  return ones + Popcount(_bzhi_u64(__atomic_load_n(words, __ATOMIC_RELAXED), bit_count));
}

// Digits `digit` among the first `offset` of a line. Lane 0 holds digits 192..223, lanes 1..3 the
// others:  [ word 7 | word 1 | word 2 | word 3 ] for the low bits, and for the high bits
// [ word 7 >> 32 | word 4 | word 5 | word 6 ].
DENTATE_KERNEL_INLINE __m256i MatchLanes(const std::uint64_t* line, std::uint32_t digit,
                                         std::uint32_t offset) {
  const __m256i front = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line));
  const __m256i back = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line + 4));
  const __m256i turned = _mm256_permute4x64_epi64(back, 0b10'01'00'11);
  const __m256i low = _mm256_blend_epi32(front, turned, 0b00000011);
  const __m256i high = _mm256_srlv_epi64(turned, _mm256_setr_epi64x(32, 0, 0, 0));
  const __m256i flip_low = _mm256_set1_epi64x(static_cast<long long>(std::uint64_t{digit & 1} - 1));
  const __m256i flip_high =
      _mm256_set1_epi64x(static_cast<long long>(std::uint64_t{digit >> 1} - 1));
  // A lane keeps its lowest offset - base bits: none when that is negative, all from 64 on (a shift
  // by 64 or more gives zero).
  const __m256i rest =
      _mm256_sub_epi32(_mm256_set1_epi64x(offset), _mm256_setr_epi64x(192, 0, 64, 128));
  const __m256i kept = _mm256_and_si256(_mm256_max_epi32(rest, _mm256_setzero_si256()),
                                        _mm256_set1_epi64x(0xffffffff));
  const __m256i dropped = _mm256_sllv_epi64(_mm256_set1_epi64x(-1), kept);
  const __m256i both =
      _mm256_and_si256(_mm256_xor_si256(low, flip_low), _mm256_xor_si256(high, flip_high));
  return _mm256_andnot_si256(dropped, both);
}

DENTATE_KERNEL_INLINE std::uint32_t SumLanes(__m256i counts) {
  const __m128i half =
      _mm_add_epi64(_mm256_castsi256_si128(counts), _mm256_extracti128_si256(counts, 1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(half) + _mm_extract_epi32(half, 2));
}
