#include "succinct/append_bit_vector.h"

#include <doctest/doctest.h>

#include <random>
#include <thread>
#include <vector>

namespace dentate::succinct {
namespace {

void CheckAgainst(const AppendBitVector& vector, const std::vector<bool>& bits) {
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
  CHECK(vector.Select1(ones) == AppendBitVector::kNotFound);
  CHECK(vector.Select0(bits.size() - ones) == AppendBitVector::kNotFound);
}

}  // namespace

TEST_CASE("an empty bit vector has no ones, no zeros and owns nothing") {
  const AppendBitVector vector;
  CheckAgainst(vector, {});
  CHECK(vector.SizeInBytes() == 0);
}

TEST_CASE("every bit vector of at most 12 bits answers rank and select") {
  for (std::size_t size = 0; size <= 12; ++size) {
    for (std::uint64_t pattern = 0; pattern < (std::uint64_t{1} << size); ++pattern) {
      AppendBitVector vector;
      vector.Append(pattern, size);
      std::vector<bool> bits;
      for (std::size_t i = 0; i < size; ++i) bits.push_back((pattern >> i & 1) != 0);
      CheckAgainst(vector, bits);
    }
  }
}

TEST_CASE("bits, words and runs in any mix answer rank and select at every density") {
  for (const double density : {0.0, 0.001, 0.1, 0.5, 0.99, 1.0}) {
    constexpr std::uint64_t kSeed = 20260;
    std::mt19937_64 random(kSeed);
    std::bernoulli_distribution one(density);
    AppendBitVector vector;
    std::vector<bool> bits;
    while (bits.size() < 30000) {
      switch (random() % 3) {
        case 0:
          bits.push_back(one(random));
          vector.PushBack(bits.back());
          break;
        case 1: {
          const std::size_t count = random() % 65;
          std::uint64_t word = random() << (count % 64);  // what lies past count is ignored
          for (std::size_t i = 0; i < count; ++i) {
            const bool bit = one(random);
            word = (word & ~(std::uint64_t{1} << i)) | std::uint64_t{bit} << i;
            bits.push_back(bit);
          }
          vector.Append(word, count);
          break;
        }
        default: {
          const bool bit = one(random);
          const std::size_t count = random() % 1000;
          bits.insert(bits.end(), count, bit);
          vector.AppendRun(bit, count);
        }
      }
    }
    CheckAgainst(vector, bits);
  }
}

TEST_CASE("readers on other threads see a consistent prefix while the writer appends") {
  constexpr std::size_t kBits = 300000;
  AppendBitVector vector;
  // Bit i is a one exactly where i % 3 == 0, so every answer is known for every prefix.
  const auto read = [&vector] {
    std::size_t wrong = 0;
    for (std::size_t size = 0; size < kBits;) {
      size = vector.size();
      wrong += vector.Rank1(size) != (size + 2) / 3;
      if (size < 6) continue;
      const std::size_t k = size / 3 - 1;
      wrong += vector.Select1(k) != k * 3;
      wrong += vector.Select0(2 * k) != k * 3 + 1;
      wrong += !vector.Get(k * 3);
    }
    CHECK(wrong == 0);
  };
  std::thread first(read);
  std::thread second(read);
  for (std::size_t i = 0; i < kBits; ++i) vector.PushBack(i % 3 == 0);
  first.join();
  second.join();
}

}  // namespace dentate::succinct
