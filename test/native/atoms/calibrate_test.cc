#include "atoms/calibrate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "atoms/atom_index.h"

namespace dentate::atoms {
namespace {

std::vector<float> Random(std::size_t count, std::size_t dimensions, float mean) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(mean, 1);
  std::vector<float> vectors(count * dimensions);
  for (float& value : vectors) value = normal(random);
  return vectors;
}

std::size_t LargestAt(const std::vector<float>& vectors, std::size_t dimensions, double threshold) {
  Options options;
  options.dimensions = dimensions;
  options.policy.threshold = threshold;
  AtomIndex index(options);
  for (std::size_t at = 0; at < vectors.size(); at += dimensions) {
    Added added;
    REQUIRE(index.Add(std::span(vectors).subspan(at, dimensions), added));
  }
  return index.Largest();
}

}  // namespace

TEST_CASE("a threshold is the percentile of the pairwise cosines") {
  // At 0, 60 and 90 degrees: cosines 0.5, 0, cos 30.
  const std::vector<float> vectors{1, 0, 0.5F, std::sqrt(0.75F), 0, 1};
  const auto at = [&](double percentile) {
    double threshold = -2;
    CHECK(Calibrate(vectors, 2, {percentile, 1}, threshold));
    return threshold;
  };
  CHECK(at(0) == doctest::Approx(0));
  CHECK(at(0.5) == doctest::Approx(0.5));
  CHECK(at(0.75) == doctest::Approx((0.5 + std::sqrt(0.75)) / 2));
  CHECK(at(1) == doctest::Approx(std::sqrt(0.75)));
}

TEST_CASE("a limit to the largest atom raises the threshold until it is kept") {
  const auto vectors = Random(64, 16, 0.5F);
  double paper = 0;
  double safe = 0;
  REQUIRE(Calibrate(vectors, 16, {0.7, 1}, paper));
  REQUIRE(Calibrate(vectors, 16, {0.7, 0.15}, safe));
  CHECK(LargestAt(vectors, 16, paper) > 9);
  CHECK(LargestAt(vectors, 16, safe) <= 9);
  CHECK(safe > paper);
}

TEST_CASE("equal vectors can't be told apart by any threshold") {
  const std::vector<float> vectors(20, 1);
  double threshold = 0;
  REQUIRE(Calibrate(vectors, 2, {0.7, 0.15}, threshold));
  CHECK(threshold == 1);
}

TEST_CASE("what can't be calibrated is refused") {
  double threshold = 0.5;
  CHECK_FALSE(Calibrate(std::vector<float>{}, 2, {}, threshold));
  CHECK_FALSE(Calibrate(std::vector<float>{1, 2}, 2, {}, threshold));
  CHECK_FALSE(Calibrate(std::vector<float>{1, 2, 0, 0}, 2, {}, threshold));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(Calibrate(std::vector<float>{1, 2, nan, 0}, 2, {}, threshold));
  CHECK_FALSE(Calibrate(std::vector<std::int8_t>{1, 2, 0, 0}, 2, {}, threshold));
  CHECK(threshold == 0.5);
}

TEST_CASE("int8 rows and float vectors of the same directions calibrate alike") {
  auto vectors = Random(200, 16, 0.2F);
  std::vector<std::int8_t> rows(vectors.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<std::int8_t>(std::clamp(vectors[i] * 30, -127.0F, 127.0F));
    vectors[i] = static_cast<float>(rows[i]) / 128;
  }
  double left = 0;
  double right = 1;
  REQUIRE(Calibrate(vectors, 16, {0.7, 0.15}, left));
  REQUIRE(Calibrate(rows, 16, {0.7, 0.15}, right));
  CHECK(left == doctest::Approx(right).epsilon(1e-6));
}

}  // namespace dentate::atoms
