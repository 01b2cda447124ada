#include "accelerate/singular_vectors.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "atoms/basis.h"
#include "atoms/jacobi_svd.h"

namespace dentate::accelerate {
namespace {

struct Found {
  std::size_t rank;
  std::vector<float> vectors;
  std::vector<float> values;
};

std::vector<float> Floats(std::mt19937& random, std::size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

Found Solve(const std::vector<float>& rows, std::size_t dimensions,
            const std::vector<std::uint32_t>& offsets, std::size_t rank, unsigned threads = 1) {
  const std::size_t count = (offsets.size() - 1) * rank;
  Found found{rank, std::vector<float>(count * dimensions, 9), std::vector<float>(count, 9)};
  hamming::SearchOptions options;
  options.threads = threads;
  REQUIRE(SingularVectors({rows, dimensions, offsets}, rank, options, found.vectors, found.values)
              .ok());
  return found;
}

// Of one group: values as by Jacobi's method, vectors orthonormal, of short residual, with the
// sum's sign.
void CheckGroup(const std::vector<float>& rows, std::size_t dimensions, std::size_t rank) {
  const std::size_t count = rows.size() / dimensions;
  CAPTURE(count);
  CAPTURE(dimensions);
  CAPTURE(rank);
  const Found found = Solve(rows, dimensions, {0, static_cast<std::uint32_t>(count)}, rank);
  atoms::Matrix a;
  std::vector<double> sum(dimensions);
  for (std::size_t i = 0; i < count; ++i) {
    a.emplace_back(rows.begin() + static_cast<std::ptrdiff_t>(i * dimensions),
                   rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * dimensions));
    for (std::size_t j = 0; j < dimensions; ++j) sum[j] += a[i][j];
  }
  const auto expected = atoms::SingularValues(a);
  const double largest = expected.empty() ? 0 : expected[0];
  std::vector<std::vector<double>> vectors;
  for (std::size_t r = 0; r < rank; ++r) {
    const std::vector<double> v(
        found.vectors.begin() + static_cast<std::ptrdiff_t>(r * dimensions),
        found.vectors.begin() + static_cast<std::ptrdiff_t>((r + 1) * dimensions));
    const double value = static_cast<double>(found.values[r]);
    const bool is_none =
        r >= expected.size() || expected[r] * expected[r] <= atoms::kNegligible * largest * largest;
    if (is_none) {
      CHECK(value == 0);
      for (const double each : v) CHECK(each == 0);
      continue;
    }
    CHECK(std::fabs(value - expected[r]) <= 1e-6 * largest);
    CHECK(atoms::ResidualOf(a, v, value * value) <= 1e-6 * largest * largest);
    vectors.push_back(v);
    double with_sum = 0;
    for (std::size_t j = 0; j < dimensions; ++j) with_sum += v[j] * sum[j];
    CHECK(with_sum >= -1e-6 * largest * std::sqrt(static_cast<double>(count)));
  }
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::size_t d = 0; d < dimensions; ++d) product += vectors[i][d] * vectors[j][d];
      CHECK(std::fabs(product - (i == j ? 1 : 0)) <= 1e-6);
    }
  }
}

}  // namespace

TEST_CASE("singular vectors are those of Jacobi's method, wide, tall, few and many") {
  std::mt19937 random(1);
  for (const auto& [count, dimensions] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1},
                                                        {1, 40},
                                                        {2, 3},
                                                        {32, 384},
                                                        {40, 8},
                                                        {64, 64},
                                                        {100, 65},
                                                        {80, 150},
                                                        {150, 90}}) {
    const auto rows = Floats(random, count * dimensions);
    for (const std::size_t rank : {1U, 3U, 8U}) CheckGroup(rows, dimensions, rank);
  }
}

TEST_CASE("all singular vectors of a group can be had") {
  std::mt19937 random(2);
  CheckGroup(Floats(random, 120), 6, 6);
  CheckGroup(Floats(random, 5250), 75, 75);
}

TEST_CASE("groups without full rank have zeros past it") {
  std::mt19937 random(3);
  const auto row = Floats(random, 20);
  const auto other = Floats(random, 20);
  for (const std::size_t count : {1U, 5U, 90U, 200U}) {
    std::vector<float> rows;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& from = i % 3 == 0 ? other : row;
      rows.insert(rows.end(), from.begin(), from.end());
    }
    CheckGroup(rows, 20, 4);
  }
  CheckGroup(std::vector<float>(100), 20, 3);
  CheckGroup(std::vector<float>(8000), 80, 3);
}

TEST_CASE("values far from 1 don't matter") {
  std::mt19937 random(4);
  for (const float size : {1e-30F, 1e-6F, 1e6F, 1e30F}) {
    for (const std::size_t count : {9U, 100U}) {
      auto rows = Floats(random, count * 80);
      for (float& value : rows) value *= size;
      CheckGroup(rows, 80, 2);
    }
  }
}

TEST_CASE("ragged groups are solved each on its own, on any number of threads") {
  std::mt19937 random(5);
  constexpr std::size_t kDimensions = 48;
  const std::vector<std::uint32_t> offsets = {0, 0, 5, 6, 40, 40, 140, 160, 300, 300};
  const auto rows = Floats(random, offsets.back() * kDimensions);
  const Found all = Solve(rows, kDimensions, offsets, 3);
  const Found threaded = Solve(rows, kDimensions, offsets, 3, 3);
  CHECK(threaded.vectors == all.vectors);
  CHECK(threaded.values == all.values);
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    const std::vector<float> own(
        rows.begin() + static_cast<std::ptrdiff_t>(offsets[g] * kDimensions),
        rows.begin() + static_cast<std::ptrdiff_t>(offsets[g + 1] * kDimensions));
    const Found alone = Solve(own, kDimensions, {0, offsets[g + 1] - offsets[g]}, 3);
    for (std::size_t i = 0; i < 3 * kDimensions; ++i) {
      REQUIRE(alone.vectors[i] == all.vectors[g * 3 * kDimensions + i]);
    }
  }
}

TEST_CASE("no groups, and a signal to stop") {
  const Found none = Solve({}, 8, {0}, 2);
  CHECK(none.values.empty());
  hamming::SearchOptions options;
  options.cancelled = [] { return true; };
  const std::vector<float> rows(8, 1);
  const std::vector<std::uint32_t> offsets = {0, 1};
  std::vector<float> vectors(8);
  std::vector<float> values(1);
  CHECK(SingularVectors({rows, 8, offsets}, 1, options, vectors, values).code() ==
        ErrorCode::kAborted);
}

}  // namespace dentate::accelerate
