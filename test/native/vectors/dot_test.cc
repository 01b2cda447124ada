#include "vectors/dot.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace dentate::vectors {

TEST_CASE("every kernel gives the reference's dot products, at each remainder") {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> row_value(-kRowLimit, kRowLimit);
  std::uniform_int_distribution<int> query_value(-kQueryLimit, kQueryLimit);
  for (std::size_t dimensions = 0; dimensions <= 130; ++dimensions) {
    constexpr std::size_t kCount = 5;
    // Exactly as long as needed, so that a sanitizer sees a read past the end.
    std::vector<std::int8_t> rows(dimensions * kCount);
    std::vector<std::int16_t> query(dimensions);
    for (auto& value : rows) value = static_cast<std::int8_t>(row_value(random));
    for (auto& value : query) value = static_cast<std::int16_t>(query_value(random));
    std::vector<std::int32_t> expected(kCount);
    KernelsFor(Isa::kScalar).dots(query.data(), rows.data(), dimensions, kCount, expected.data());
    for (const Isa isa : SupportedIsas()) {
      std::vector<std::int32_t> actual(kCount);
      KernelsFor(isa).dots(query.data(), rows.data(), dimensions, kCount, actual.data());
      CAPTURE(IsaName(isa));
      CAPTURE(dimensions);
      CHECK(actual == expected);
    }
  }
}

TEST_CASE("every kernel adds a scaled row as the reference does, at each remainder") {
  std::mt19937 random(9);
  for (std::size_t dimensions = 0; dimensions <= 70; ++dimensions) {
    std::vector<std::int8_t> row(dimensions);
    std::vector<std::int32_t> before(dimensions);
    for (auto& value : row) value = static_cast<std::int8_t>(random());
    for (auto& value : before) value = static_cast<std::int32_t>(random() % 2000000) - 1000000;
    for (const int factor : {0, 1, -1, 12345, 32767, -32768}) {
      auto expected = before;
      KernelsFor(Isa::kScalar)
          .add_scaled(row.data(), static_cast<std::int16_t>(factor), dimensions, expected.data());
      for (const Isa isa : SupportedIsas()) {
        auto actual = before;
        KernelsFor(isa).add_scaled(row.data(), static_cast<std::int16_t>(factor), dimensions,
                                   actual.data());
        CAPTURE(IsaName(isa));
        CAPTURE(dimensions);
        CHECK(actual == expected);
      }
    }
  }
}

TEST_CASE("every kernel weighs windows of rows as the reference does, at each remainder") {
  std::mt19937 random(13);
  for (std::size_t dimensions = 0; dimensions <= 130; ++dimensions) {
    for (std::size_t count = 0; count <= 5; ++count) {
      std::vector<std::vector<std::int8_t>> values(count, std::vector<std::int8_t>(dimensions));
      std::vector<const std::int8_t*> rows;
      std::vector<std::int16_t> weights;
      std::vector<std::int16_t> query(dimensions);
      for (auto& row : values) {
        for (auto& value : row) value = static_cast<std::int8_t>(random());
        rows.push_back(row.data());
        weights.push_back(static_cast<std::int16_t>(random() % 5));
      }
      for (auto& value : query) {
        value = static_cast<std::int16_t>(static_cast<int>(random() % 4095) - kQueryLimit);
      }
      std::int32_t inner = 7;
      std::int32_t squared = 7;
      KernelsFor(Isa::kScalar)
          .window(query.data(), rows.data(), weights.data(), count, dimensions, &inner, &squared);
      for (const Isa isa : SupportedIsas()) {
        std::int32_t isa_inner = 8;
        std::int32_t isa_squared = 8;
        KernelsFor(isa).window(query.data(), rows.data(), weights.data(), count, dimensions,
                               &isa_inner, &isa_squared);
        CAPTURE(IsaName(isa));
        CAPTURE(dimensions);
        CHECK(isa_inner == inner);
        CHECK(isa_squared == squared);
      }
    }
  }
}

TEST_CASE("the largest vectors fit the accumulator of every kernel") {
  const std::vector<std::int8_t> row(kMaxDimensions, -kRowLimit);
  const std::vector<std::int16_t> query(kMaxDimensions, kQueryLimit);
  for (const Isa isa : SupportedIsas()) {
    std::int32_t dot = 0;
    KernelsFor(isa).dots(query.data(), row.data(), kMaxDimensions, 1, &dot);
    CHECK(dot == -kRowLimit * kQueryLimit * static_cast<std::int32_t>(kMaxDimensions));
  }
}

TEST_CASE("the active kernel is the one of the active instruction set") {
  CHECK(&ActiveKernels() == &KernelsFor(ActiveIsa()));
}

TEST_CASE("a quantized vector is within half a step of the vector") {
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  std::vector<float> values(384);
  for (auto& value : values) value = normal(random);
  std::vector<std::int8_t> row(values.size());
  std::vector<std::int16_t> query(values.size());
  const float row_scale = QuantizeRow(values, row);
  const float query_scale = QuantizeQuery(values, query);
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(std::fabs(values[i] - row_scale * row[i]) <= 0.51F * row_scale);
    CHECK(std::fabs(values[i] - query_scale * query[i]) <= 0.51F * query_scale);
  }
}

TEST_CASE("zeros, tiny values and values that are not numbers quantize to something harmless") {
  std::vector<std::int8_t> row(3);
  CHECK(QuantizeRow(std::vector<float>{0, 0, 0}, row) == 0);
  CHECK(row == std::vector<std::int8_t>{0, 0, 0});
  CHECK(QuantizeRow(std::vector<float>{1e-45F, 0, 0}, row) == 0);
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(QuantizeRow(std::vector<float>{NAN, infinity, -2}, row) == 2.0F / 127);
  CHECK(row == std::vector<std::int8_t>{0, 0, -127});
}

}  // namespace dentate::vectors
