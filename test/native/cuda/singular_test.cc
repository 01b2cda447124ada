#include <algorithm>
#include <cmath>

#include "cuda/fixture.h"
#include "cuda/kernels/jacobi.h"

namespace dentate::cuda {
namespace {

using Rows = std::vector<std::vector<double>>;

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Singular values by one-sided Jacobi: the rows are turned until they are orthogonal.
std::vector<double> Values(Rows rows) {
  for (int sweep = 0; sweep < 40; ++sweep) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = i + 1; j < rows.size(); ++j) {
        const double aa = Dot(rows[i], rows[i]);
        const double bb = Dot(rows[j], rows[j]);
        const double ab = Dot(rows[i], rows[j]);
        if (std::fabs(ab) <= 1e-15 * std::sqrt(aa * bb)) continue;
        const double zeta = (bb - aa) / (2 * ab);
        const double t = (zeta < 0 ? -1 : 1) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t);
        for (std::size_t d = 0; d < rows[i].size(); ++d) {
          const double x = rows[i][d];
          const double y = rows[j][d];
          rows[i][d] = c * x - c * t * y;
          rows[j][d] = c * t * x + c * y;
        }
      }
    }
  }
  std::vector<double> values;
  for (const auto& row : rows) values.push_back(std::sqrt(Dot(row, row)));
  std::sort(values.rbegin(), values.rend());
  return values;
}

// Each vector has unit length, is orthogonal to the others, holds its value's share of the rows,
// and points along their sum.
void Check(const Emulated& emulated, const std::vector<float>& data, std::uint32_t dimensions,
           const std::vector<std::uint32_t>& offsets, std::uint32_t rank) {
  const std::size_t groups = offsets.size() - 1;
  std::vector<float> vectors(groups * rank * dimensions, NAN);
  std::vector<float> values(groups * rank, NAN);
  const Status status = Subspaces(*emulated.engine, data.data(), dimensions, offsets, rank, nullptr,
                                  vectors.data(), values.data());
  REQUIRE_MESSAGE(status.ok(), status.message());
  for (std::size_t g = 0; g < groups; ++g) {
    Rows rows;
    std::vector<double> sum(dimensions);
    for (std::uint32_t i = offsets[g]; i < offsets[g + 1]; ++i) {
      const auto row = data.begin() + static_cast<std::ptrdiff_t>(std::size_t{i} * dimensions);
      rows.emplace_back(row, row + dimensions);
      for (std::uint32_t d = 0; d < dimensions; ++d) sum[d] += rows.back()[d];
    }
    const auto expected = Values(rows);
    std::vector<std::vector<double>> found;
    for (std::uint32_t r = 0; r < rank; ++r) {
      CAPTURE(g);
      CAPTURE(r);
      const auto at = vectors.begin() + static_cast<std::ptrdiff_t>((g * rank + r) * dimensions);
      found.emplace_back(at, at + dimensions);
      const double value = r < expected.size() ? expected[r] : 0;
      if (value == 0 || value * value < 1e-5 * expected[0] * expected[0]) {
        REQUIRE(values[g * rank + r] == 0);
        REQUIRE(Dot(found[r], found[r]) == 0);
        continue;
      }
      REQUIRE(static_cast<double>(values[g * rank + r]) == doctest::Approx(value).epsilon(1e-5));
      REQUIRE(Dot(found[r], found[r]) == doctest::Approx(1).epsilon(1e-6));
      for (std::uint32_t s = 0; s < r; ++s) REQUIRE(std::fabs(Dot(found[r], found[s])) < 1e-6);
      double energy = 0;
      for (const auto& row : rows) energy += Dot(row, found[r]) * Dot(row, found[r]);
      REQUIRE(std::sqrt(energy) == doctest::Approx(value).epsilon(1e-5));
      REQUIRE(Dot(found[r], sum) >= -1e-4 * std::sqrt(Dot(sum, sum)));
    }
  }
}

std::vector<std::uint32_t> Offsets(const std::vector<std::uint32_t>& sizes) {
  std::vector<std::uint32_t> offsets(1);
  for (const std::uint32_t size : sizes) offsets.push_back(offsets.back() + size);
  return offsets;
}

TEST_CASE("a tournament meets every pair once") {
  for (const std::uint32_t count : {2U, 4U, 6U, 64U}) {
    std::vector<int> met(std::size_t{count} * count);
    for (std::uint32_t round = 0; round + 1 < count; ++round) {
      std::vector<int> played(count);
      for (std::uint32_t pair = 0; pair < count / 2; ++pair) {
        std::uint32_t p = 0;
        std::uint32_t q = 0;
        PairOf(pair, round, count, p, q);
        REQUIRE(p < q);
        REQUIRE(q < count);
        REQUIRE(++played[p] == 1);
        REQUIRE(++played[q] == 1);
        REQUIRE(++met[std::size_t{p} * count + q] == 1);
      }
    }
  }
}

TEST_CASE("ragged groups, empty ones and such of one row among them") {
  const Emulated emulated;
  for (const std::uint32_t dimensions : {1U, 3U, 17U, 70U}) {
    const auto offsets = Offsets({5, 0, 1, 2, 33, 64, 0, 7, 1});
    const auto data = Floats(std::size_t{offsets.back()} * dimensions, dimensions);
    for (const std::uint32_t rank : {1U, 3U}) Check(emulated, data, dimensions, offsets, rank);
  }
}

TEST_CASE("groups that are iterated: more than 64 rows and dimensions") {
  for (const std::uint32_t order : {0U, 5U}) {
    const Emulated emulated;
    emulated.settings->order = order;
    const auto offsets = Offsets({70, 3, 100});
    auto data = Floats(std::size_t{offsets.back()} * 80, 3);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] += i % 80 < 40 ? 0.7F : -0.2F;
    Check(emulated, data, 80, offsets, 1);
    if (order == 0) Check(emulated, data, 80, offsets, 4);
  }
}

TEST_CASE("zeros, equal rows and opposite ones") {
  const Emulated emulated;
  const std::uint32_t dimensions = 24;
  std::vector<float> data(std::size_t{12} * dimensions);
  const auto row = Floats(dimensions, 1);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::size_t at = i / dimensions;
    if (at >= 4) data[i] = at >= 8 && at % 2 == 1 ? -row[i % dimensions] : row[i % dimensions];
  }
  Check(emulated, data, dimensions, Offsets({4, 4, 4}), 4);
  // The same among more than Jacobi takes: a matrix of rank two.
  std::vector<float> many;
  for (std::uint32_t i = 0; i < 100; ++i) {
    for (std::uint32_t d = 0; d < 72; ++d) {
      many.push_back(d == 0 ? 3 : d == 1 && i % 2 == 0 ? 1.0F : 0.0F);
    }
  }
  Check(emulated, many, 72, Offsets({100}), 3);
}

TEST_CASE("groups of very different sizes of number") {
  const Emulated emulated;
  auto data = Floats(std::size_t{30} * 40, 4);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] *= i < 400 ? 1e-25F : i < 800 ? 1 : 1e25F;
  Check(emulated, data, 40, Offsets({10, 10, 10}), 3);
}

TEST_CASE("as many vectors as rows, but of iterated groups no more than converge") {
  const Emulated emulated;
  Check(emulated, Floats(std::size_t{12} * 70, 4), 70, Offsets({12}), 70);
  const auto data = Floats(std::size_t{70} * 70, 4);
  std::vector<float> vectors(std::size_t{57} * 70);
  const std::vector<std::uint32_t> offsets = {0, 70};
  CHECK(Subspaces(*emulated.engine, data.data(), 70, offsets, 57, nullptr, vectors.data(), nullptr)
            .code() == ErrorCode::kInternal);
}

TEST_CASE("more groups than memory takes at once") {
  const Emulated emulated(Precision::kFp16, 300'000);
  std::vector<std::uint32_t> sizes(60, 6);
  const auto offsets = Offsets(sizes);
  Check(emulated, Floats(std::size_t{360} * 20, 4), 20, offsets, 2);
  emulated.settings->memory_bytes = 60'000;
  Check(emulated, Floats(std::size_t{360} * 20, 4), 20, offsets, 2);
}

TEST_CASE("embedding sums rows of a table, of none, of one that repeats and of such as cancel") {
  for (const std::uint64_t cap : {std::uint64_t{0}, std::uint64_t{400'000}}) {
    const Emulated emulated(Precision::kFp16, cap);
    const std::uint32_t dimensions = 19;
    const std::uint32_t count = cap == 0 ? 50 : 6000;
    auto data = Floats(std::size_t{count} * dimensions, 2);
    for (std::uint32_t d = 0; d < dimensions; ++d) data[dimensions + d] = -data[d];
    const auto table = emulated.Rows(data, dimensions);
    std::vector<std::uint32_t> ids = {7, 7, 7, 0, 1, 2, 49};
    for (std::uint32_t i = 0; i < 90; ++i) ids.push_back(i * 2654435761U % count);
    const std::vector<std::uint32_t> offsets = {0, 3, 5,  6,
                                                6, 7, 40, static_cast<std::uint32_t>(ids.size())};
    std::vector<float> embedded((offsets.size() - 1) * dimensions, NAN);
    const Status status = Embed(*table, ids, offsets, nullptr, embedded.data());
    REQUIRE_MESSAGE(status.ok(), status.message());
    for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
      std::vector<double> sum(dimensions);
      for (std::uint32_t i = offsets[g]; i < offsets[g + 1]; ++i) {
        for (std::uint32_t d = 0; d < dimensions; ++d) {
          sum[d] += static_cast<double>(data[std::size_t{ids[i]} * dimensions + d]);
        }
      }
      const double length = std::sqrt(Dot(sum, sum));
      for (std::uint32_t d = 0; d < dimensions; ++d) {
        const double expected = length == 0 ? 0 : sum[d] / length;
        CHECK(std::fabs(static_cast<double>(embedded[g * dimensions + d]) - expected) < 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace dentate::cuda
