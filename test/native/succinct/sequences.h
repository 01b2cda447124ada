// Test sequences of every awkward kind: constant, skewed, sorted, random, of few symbols.

#ifndef DENTATE_TEST_SUCCINCT_SEQUENCES_H_
#define DENTATE_TEST_SUCCINCT_SEQUENCES_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace dentate::succinct::test {

enum class Sequence { kConstant, kLast, kUniform, kSkewed, kSorted, kRuns, kFew };
inline constexpr std::array kSequences = {
    Sequence::kConstant, Sequence::kLast, Sequence::kUniform, Sequence::kSkewed,
    Sequence::kSorted,   Sequence::kRuns, Sequence::kFew};

inline std::vector<std::uint32_t> MakeSequence(Sequence kind, unsigned bits, std::uint32_t length,
                                               std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto largest = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  std::vector<std::uint32_t> text(length);
  for (std::uint32_t i = 0; i < length; ++i) {
    std::uint32_t& symbol = text[i];
    switch (kind) {
      case Sequence::kConstant:
        symbol = 0;
        break;
      case Sequence::kLast:
        symbol = largest;
        break;
      case Sequence::kUniform:
      case Sequence::kSorted:
        symbol = static_cast<std::uint32_t>(random());
        break;
      case Sequence::kSkewed: {  // rank r with probability about 1 / r
        const double unit = static_cast<double>(random()) / 4294967296.0;
        symbol = static_cast<std::uint32_t>(std::exp(unit * bits * 0.69)) * 2654435761U >> 3;
        break;
      }
      case Sequence::kRuns:
        symbol = i / 700 * 2654435761U;
        break;
      case Sequence::kFew:
        symbol = static_cast<std::uint32_t>(random() % 3) * (largest / 2);
        break;
    }
    symbol &= largest;
  }
  if (kind == Sequence::kSorted) std::sort(text.begin(), text.end());
  return text;
}

}  // namespace dentate::succinct::test

#endif  // DENTATE_TEST_SUCCINCT_SEQUENCES_H_
