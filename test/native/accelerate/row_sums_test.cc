#include "accelerate/row_sums.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace dentate::accelerate {
namespace {

std::vector<float> Sums(const std::vector<float>& rows, std::size_t dimensions,
                        const std::vector<std::uint32_t>& ids,
                        const std::vector<std::uint32_t>& offsets, unsigned threads = 1) {
  VectorTable table(rows.size() / dimensions, dimensions);
  table.Append(rows);
  hamming::SearchOptions options;
  options.threads = threads;
  std::vector<float> sums((offsets.size() - 1) * dimensions, 7);
  REQUIRE(UnitRowSums(table, ids, offsets, options, sums).ok());
  return sums;
}

}  // namespace

TEST_CASE("sums of rows are of unit length, or zero") {
  const std::vector<float> rows = {3, 0, 0, 4, -3, 0};
  CHECK(Sums(rows, 2, {0, 1, 0, 2, 1, 1}, {0, 2, 2, 4, 6}) ==
        std::vector<float>{0.6F, 0.8F, 0, 0, 0, 0, 0, 1});
}

TEST_CASE("rows of very different lengths keep their weight in a sum") {
  const std::vector<float> rows = {1e30F, 0, 0, 1e-30F, 0, 1e30F, 0, 1};
  CHECK(Sums(rows, 2, {1}, {0, 1}) == std::vector<float>{0, 1});
  const auto sum = Sums(rows, 2, {0, 1, 2, 3}, {0, 4});
  CHECK(std::fabs(sum[0] - std::sqrt(0.5F)) < 1e-6F);
  CHECK(std::fabs(sum[1] - std::sqrt(0.5F)) < 1e-6F);
}

TEST_CASE("sums are the same on more threads") {
  std::vector<float> rows(6400);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = std::sin(static_cast<float>(i));
  std::vector<std::uint32_t> ids(60'000);
  std::vector<std::uint32_t> offsets = {0};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<std::uint32_t>(i * 37 % 100);
    if (i % 40 == 0) offsets.push_back(static_cast<std::uint32_t>(i));
  }
  offsets.push_back(static_cast<std::uint32_t>(ids.size()));
  CHECK(Sums(rows, 64, ids, offsets, 3) == Sums(rows, 64, ids, offsets));
}

TEST_CASE("sums give up where they are told to") {
  VectorTable table(1, 2);
  table.Append(std::vector<float>{1, 1});
  hamming::SearchOptions options;
  options.cancelled = [] { return true; };
  std::vector<float> sum(2);
  const std::vector<std::uint32_t> ids = {0};
  const std::vector<std::uint32_t> offsets = {0, 1};
  CHECK(UnitRowSums(table, ids, offsets, options, sum).code() == ErrorCode::kAborted);
}

}  // namespace dentate::accelerate
