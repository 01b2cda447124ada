#include "atoms/basis.h"

#include <doctest/doctest.h>

#include <random>

#include "atoms/jacobi_svd.h"
#include "atoms/row_chunks.h"

namespace dentate::atoms {
namespace {

struct Rows {
  std::size_t dimensions;
  std::size_t stride;
  std::size_t count = 0;
  std::vector<float> padded;
  Matrix matrix;

  explicit Rows(std::size_t d) : dimensions(d), stride(RowChunks<float>::StrideOf(d)) {}

  void Add(std::vector<double> row) {
    double squares = 0;
    for (const double value : row) squares += value * value;
    padded.resize((count + 1) * stride);
    for (std::size_t j = 0; j < dimensions; ++j) {
      const auto value = static_cast<float>(row[j] / std::sqrt(squares));
      padded[count * stride + j] = value;
      row[j] = static_cast<double>(value);
    }
    matrix.push_back(std::move(row));
    ++count;
  }
};

// Each vector against the full decomposition: the residual of the i-th with the i-th singular
// value, so that a vector that was missed shows too. Near-ties have no unique vectors, but each of
// theirs has a small residual.
void CheckBasis(const Basis& basis, const Rows& rows, std::size_t rank) {
  const auto sigma = SingularValues(rows.matrix);
  const double scale = sigma[0] * sigma[0];
  std::size_t expected = 0;
  while (expected < std::min(rank, sigma.size()) &&
         sigma[expected] * sigma[expected] > 1e-4 * scale) {
    ++expected;
  }
  CHECK(basis.rank >= expected);
  CHECK(basis.rank <= rank);
  for (std::size_t i = 0; i < basis.rank; ++i) {
    const auto begin = basis.vectors.begin() + static_cast<std::ptrdiff_t>(i * rows.stride);
    const std::vector<double> v(begin, begin + static_cast<std::ptrdiff_t>(rows.dimensions));
    CAPTURE(i);
    CHECK(ResidualOf(rows.matrix, v, sigma[i] * sigma[i]) <= 1e-5 * scale);
    double length = 0;
    double with_sum = 0;
    for (std::size_t j = 0; j < v.size(); ++j) {
      length += v[j] * v[j];
      for (const auto& row : rows.matrix) with_sum += v[j] * row[j];
    }
    CHECK(length == doctest::Approx(1).epsilon(1e-6));
    if (i == 0) CHECK(with_sum >= -1e-6);
  }
}

std::vector<double> Normal(std::mt19937& random, std::size_t dimensions, double mean) {
  std::normal_distribution<double> normal(mean, 1);
  std::vector<double> row(dimensions);
  for (double& value : row) value = normal(random);
  return row;
}

}  // namespace

TEST_CASE("the first singular vectors are those of a full decomposition") {
  std::mt19937 random(11);
  for (const std::size_t dimensions : {1U, 2U, 7U, 16U, 40U, 96U}) {
    for (const std::size_t count : {1U, 2U, 5U, 39U, 40U, 41U, 60U, 150U}) {
      for (const double mean : {0.0, 0.3, 3.0}) {
        Rows rows(dimensions);
        for (std::size_t i = 0; i < count; ++i) rows.Add(Normal(random, dimensions, mean));
        CAPTURE(dimensions);
        CAPTURE(count);
        CAPTURE(mean);
        const auto basis = FirstSingularVectors(rows.padded.data(), rows.stride, rows.count, 8, {});
        CheckBasis(basis, rows, 8);
      }
    }
  }
}

TEST_CASE("a basis follows its rows from a warm start") {
  std::mt19937 random(12);
  Rows rows(48);
  Basis basis;
  for (std::size_t i = 0; i < 200; ++i) {
    rows.Add(Normal(random, 48, i < 100 ? 1.0 : -0.5));
    basis = FirstSingularVectors(rows.padded.data(), rows.stride, rows.count, 8, basis);
    if (i % 20 == 19) CheckBasis(basis, rows, 8);
  }
}

TEST_CASE("rows that are equal, opposite, few or apart have bases too") {
  std::mt19937 random(13);
  const auto check = [](const Rows& rows, std::size_t rank) {
    CheckBasis(FirstSingularVectors(rows.padded.data(), rows.stride, rows.count, rank, {}), rows,
               rank);
  };
  SUBCASE("all equal") {
    Rows rows(20);
    const auto row = Normal(random, 20, 0);
    for (int i = 0; i < 60; ++i) rows.Add(row);
    check(rows, 8);
    CHECK(FirstSingularVectors(rows.padded.data(), rows.stride, 60, 8, {}).rank == 1);
  }
  SUBCASE("opposite pairs, whose sum is zero") {
    Rows rows(20);
    for (int i = 0; i < 40; ++i) {
      auto row = Normal(random, 20, 0);
      rows.Add(row);
      for (double& value : row) value = -value;
      rows.Add(row);
    }
    check(rows, 8);
  }
  SUBCASE("orthogonal groups of many sizes, the largest last") {
    Rows rows(30);
    for (std::size_t group = 0; group < 12; ++group) {
      std::vector<double> row(30);
      row[group] = 1;
      for (std::size_t i = 0; i <= group; ++i) rows.Add(row);
    }
    check(rows, 8);
    check(rows, 1);
    check(rows, kMaxRank);
  }
  SUBCASE("a spectrum almost flat") {
    Rows rows(64);
    for (int i = 0; i < 500; ++i) rows.Add(Normal(random, 64, 0));
    check(rows, 8);
    check(rows, 1);
  }
}

}  // namespace dentate::atoms
