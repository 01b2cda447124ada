#include "succinct/bit_vector.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace dentate::succinct {
namespace {

void CheckAgainst(const BitVector& vector, const std::vector<bool>& bits) {
  REQUIRE(vector.size() == bits.size());
  std::size_t ones = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i <= bits.size(); ++i) {
    wrong += vector.Rank1(i) != ones || vector.Rank0(i) != i - ones;
    if (i == bits.size()) break;
    wrong += vector.Get(i) != bits[i];
    wrong += (bits[i] ? vector.Select1(ones) : vector.Select0(i - ones)) != i;
    ones += bits[i] ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(vector.OneCount() == ones);
  CHECK(vector.Select1(ones) == BitVector::kNotFound);
  CHECK(vector.Select0(bits.size() - ones) == BitVector::kNotFound);
}

}  // namespace

TEST_CASE("every bit vector of at most 12 bits answers rank and select") {
  CheckAgainst(BitVector(), {});
  for (std::size_t size = 0; size <= 12; ++size) {
    for (std::uint64_t pattern = 0; pattern < (std::uint64_t{1} << size); ++pattern) {
      std::vector<bool> bits;
      for (std::size_t i = 0; i < size; ++i) bits.push_back((pattern >> i & 1) != 0);
      const std::uint64_t noisy = pattern | ~std::uint64_t{0} << size;  // ignored past size
      CheckAgainst(BitVector({&noisy, 1}, size), bits);
    }
  }
}

TEST_CASE("long vectors answer rank and select at every density and remainder of a line") {
  constexpr std::uint64_t kSeed = 77;
  std::mt19937_64 random(kSeed);
  for (const double density : {0.0, 0.001, 0.1, 0.5, 0.99, 1.0}) {
    std::bernoulli_distribution one(density);
    for (const std::size_t size : {447U, 448U, 449U, 895U, 896U, 897U, 20000U, 20160U}) {
      BitVector::Builder builder;
      std::vector<bool> bits;
      while (bits.size() < size) {
        const std::size_t count = std::min<std::size_t>(random() % 65, size - bits.size());
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const bool bit = one(random);
          word |= std::uint64_t{bit} << i;
          bits.push_back(bit);
        }
        builder.Append(word, count);
      }
      CheckAgainst(builder.Build(), bits);
      CHECK(builder.size() == 0);
    }
  }
}

TEST_CASE("runs longer than a sample's reach answer select") {
  BitVector::Builder builder;
  std::vector<bool> bits;
  for (const std::size_t run : {3000U, 1U, 5000U, 2U, 1024U, 448U, 1U}) {
    const bool bit = !bits.empty() && !bits.back();
    for (std::size_t i = 0; i < run; ++i) {
      builder.PushBack(bit);
      bits.push_back(bit);
    }
  }
  CheckAgainst(builder.Build(), bits);
}

}  // namespace dentate::succinct
