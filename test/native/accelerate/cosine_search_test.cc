#include "accelerate/cosine_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace dentate::accelerate {
namespace {

struct Shape {
  std::size_t rows;
  std::size_t dimensions;
  std::size_t queries;
  std::size_t k;
};

std::vector<float> Floats(std::mt19937& random, std::size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

VectorTable TableOf(const std::vector<float>& rows, std::size_t dimensions) {
  VectorTable table(rows.size() / dimensions, dimensions);
  table.Append(rows);
  return table;
}

float Cosine(const float* a, const float* b, std::size_t dimensions) {
  double product = 0;
  double of_a = 0;
  double of_b = 0;
  for (std::size_t j = 0; j < dimensions; ++j) {
    product += static_cast<double>(a[j]) * static_cast<double>(b[j]);
    of_a += static_cast<double>(a[j]) * static_cast<double>(a[j]);
    of_b += static_cast<double>(b[j]) * static_cast<double>(b[j]);
  }
  if (of_a == 0 || of_b == 0) return 0;
  return static_cast<float>(product / (std::sqrt(of_a) * std::sqrt(of_b)));
}

// By the definition: all cosines, sorted.
CosineMatches Plainly(const std::vector<float>& rows, const std::vector<float>& queries,
                      std::size_t dimensions, std::size_t k) {
  const std::size_t count = rows.size() / dimensions;
  CosineMatches matches;
  matches.k = std::min(k, count);
  for (std::size_t q = 0; q < queries.size(); q += dimensions) {
    std::vector<float> cosines(count);
    std::vector<std::uint32_t> ids(count);
    std::iota(ids.begin(), ids.end(), 0U);
    for (std::size_t i = 0; i < count; ++i) {
      cosines[i] = Cosine(queries.data() + q, rows.data() + i * dimensions, dimensions);
    }
    std::stable_sort(ids.begin(), ids.end(), [&](std::uint32_t left, std::uint32_t right) {
      return cosines[left] > cosines[right];
    });
    for (std::size_t i = 0; i < matches.k; ++i) {
      matches.ids.push_back(ids[i]);
      matches.scores.push_back(cosines[ids[i]]);
    }
  }
  return matches;
}

void CheckSame(const CosineMatches& actual, const CosineMatches& expected) {
  REQUIRE(actual.k == expected.k);
  REQUIRE(actual.ids == expected.ids);
  REQUIRE(actual.scores.size() == expected.scores.size());
  for (std::size_t i = 0; i < actual.scores.size(); ++i) {
    REQUIRE(std::fabs(actual.scores[i] - expected.scores[i]) <= 1.2e-7F);
  }
}

CosineMatches Search(const VectorTable& table, const std::vector<float>& queries, std::size_t k,
                     unsigned threads = 1) {
  CosineMatches matches;
  SearchOptions options;
  options.threads = threads;
  REQUIRE(CosineTopK(table, queries, k, options, matches).ok());
  return matches;
}

}  // namespace

TEST_CASE("cosine top k finds what sorting all cosines finds") {
  std::mt19937 random(1);
  for (const Shape& shape : std::vector<Shape>{{1, 1, 1, 1},
                                               {7, 3, 2, 3},
                                               {500, 384, 1, 10},
                                               {500, 384, 3, 10},
                                               {997, 47, 70, 17},
                                               {300, 16, 130, 300},
                                               {49, 100, 64, 1000},
                                               {0, 8, 2, 3},
                                               {5, 8, 0, 3}}) {
    const auto rows = Floats(random, shape.rows * shape.dimensions);
    const auto queries = Floats(random, shape.queries * shape.dimensions);
    const VectorTable table = TableOf(rows, shape.dimensions);
    CheckSame(Search(table, queries, shape.k), Plainly(rows, queries, shape.dimensions, shape.k));
  }
}

TEST_CASE("of equal cosines the lower ids come first, on each number of threads") {
  std::mt19937 random(2);
  constexpr std::size_t kDimensions = 16;
  // Rows of ones and minus ones, again and again: all is exact.
  std::vector<float> kinds(5 * kDimensions);
  for (float& value : kinds) value = random() % 2 == 0 ? -1.0F : 1.0F;
  std::vector<float> rows;
  for (std::size_t i = 0; i < 200'000; ++i) {
    const auto* kind = kinds.data() + i % 5 * kDimensions;
    rows.insert(rows.end(), kind, kind + kDimensions);
  }
  const VectorTable table = TableOf(rows, kDimensions);
  for (const std::size_t queries : {1U, 3U}) {
    const std::vector<float> asked(
        kinds.begin(), kinds.begin() + static_cast<std::ptrdiff_t>(queries * kDimensions));
    const auto expected = Plainly(rows, asked, kDimensions, 90);
    for (const unsigned threads : {1U, 3U}) CheckSame(Search(table, asked, 90, threads), expected);
  }
}

TEST_CASE("a query finds the same bits alone, among others and on more threads") {
  std::mt19937 random(3);
  constexpr std::size_t kDimensions = 40;
  const auto rows = Floats(random, 60'000 * kDimensions);
  const auto queries = Floats(random, 70 * kDimensions);
  const VectorTable table = TableOf(rows, kDimensions);
  const auto together = Search(table, queries, 8);
  const auto threaded = Search(table, queries, 8, 3);
  CHECK(threaded.ids == together.ids);
  CHECK(threaded.scores == together.scores);
  for (std::size_t q = 0; q < 70; q += 23) {
    const auto at = queries.begin() + static_cast<std::ptrdiff_t>(q * kDimensions);
    const auto alone = Search(table, {at, at + kDimensions}, 8);
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(alone.ids[i] == together.ids[q * 8 + i]);
      CHECK(alone.scores[i] == together.scores[q * 8 + i]);
    }
  }
}

TEST_CASE("lengths beyond the range of a float's square don't matter") {
  std::mt19937 random(4);
  constexpr std::size_t kDimensions = 24;
  auto rows = Floats(random, 300 * kDimensions);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] *= std::vector<float>{1e-36F, 1, 1e37F, 1e-25F, 1e20F}[i / kDimensions % 5];
  }
  for (const float size : {1e-36F, 1.0F, 1e37F}) {
    auto queries = Floats(random, 3 * kDimensions);
    for (float& value : queries) value *= size;
    CheckSame(Search(TableOf(rows, kDimensions), queries, 20),
              Plainly(rows, queries, kDimensions, 20));
  }
}

TEST_CASE("zeros have cosine 0 with everything") {
  const std::vector<float> rows = {1, 0, 0, 0, -1, 0, 0, 2};
  const VectorTable table = TableOf(rows, 2);
  const std::vector<float> queries = {0, 0, 3, 0};
  CheckSame(Search(table, queries, 4), Plainly(rows, queries, 2, 4));
  CheckSame(Search(table, {0, 0}, 2), Plainly(rows, {0, 0}, 2, 2));
}

TEST_CASE("a search gives up where it is told to") {
  std::mt19937 random(5);
  const VectorTable table = TableOf(Floats(random, std::size_t{5000} * 16), 16);
  SearchOptions options;
  options.cancelled = [] { return true; };
  CosineMatches matches;
  CHECK(CosineTopK(table, Floats(random, 16), 3, options, matches).code() == ErrorCode::kAborted);
}

// For ThreadSanitizer.
TEST_CASE("searches run side by side on one table") {
  std::mt19937 random(6);
  constexpr std::size_t kDimensions = 64;
  const auto rows = Floats(random, 40'000 * kDimensions);
  const VectorTable table = TableOf(rows, kDimensions);
  const auto queries = Floats(random, 20 * kDimensions);
  const auto expected = Search(table, queries, 5);
  std::vector<CosineMatches> found(3);
  std::vector<std::thread> threads;
  threads.reserve(found.size());
  for (CosineMatches& each : found) {
    threads.emplace_back([&] {
      SearchOptions options;
      options.threads = 2;
      if (!CosineTopK(table, queries, 5, options, each).ok()) std::abort();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const CosineMatches& each : found) CHECK(each.ids == expected.ids);
}

}  // namespace dentate::accelerate
