// The text every wavelet bench uses: Zipf with s = 1 over 200,000 ids, permuted so that frequent
// ids are not neighbours, as token ids are not.

#ifndef DENTATE_BENCH_WAVELET_TEXT_H_
#define DENTATE_BENCH_WAVELET_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace dentate::bench {

inline constexpr unsigned kSymbolBits = 18;
inline constexpr std::uint32_t kAlphabet = 200000;
inline constexpr std::uint64_t kSeed = 20261129;

inline std::vector<std::uint32_t> ZipfText(std::size_t size) {
  std::mt19937_64 random(kSeed);
  std::vector<double> sums(kAlphabet);
  double sum = 0;
  for (std::uint32_t rank = 0; rank < kAlphabet; ++rank) sums[rank] = sum += 1.0 / (rank + 1);
  std::vector<std::uint32_t> ids(kAlphabet);
  std::iota(ids.begin(), ids.end(), 0);
  std::shuffle(ids.begin(), ids.end(), random);
  std::vector<std::uint32_t> text(size);
  std::uniform_real_distribution<double> uniform(0, sum);
  for (auto& symbol : text) {
    const auto at = std::upper_bound(sums.begin(), sums.end() - 1, uniform(random));
    symbol = ids[static_cast<std::size_t>(at - sums.begin())];
  }
  return text;
}

}  // namespace dentate::bench

#endif  // DENTATE_BENCH_WAVELET_TEXT_H_
