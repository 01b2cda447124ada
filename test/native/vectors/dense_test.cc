#include "vectors/dense.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace dentate::vectors {
namespace {

constexpr std::size_t kMostRows = 9;  // past two turns of four, with each remainder before

// The same bits: also tells 0 from -0, and knows a NaN from another.
template <typename T>
bool SameBits(const std::vector<T>& left, const std::vector<T>& right) {
  if (left.size() != right.size()) return false;
  return left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(T)) == 0;
}

std::vector<float> Floats(std::mt19937& random, std::size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  // Of many sizes, so that another order of additions would round otherwise.
  for (float& value : values) value = normal(random) * std::exp2(normal(random) * 4);
  return values;
}

}  // namespace

TEST_CASE("every kernel gives the reference's bits for float rows") {
  std::mt19937 random(3);
  for (std::size_t stride = kFloatLanes; stride <= 13 * kFloatLanes; stride += kFloatLanes) {
    const auto query = Floats(random, stride);
    for (std::size_t count = 0; count <= kMostRows; ++count) {
      const auto rows = Floats(random, stride * count);
      std::vector<float> expected(count);
      DenseKernelsFor(Isa::kScalar)
          .float_dots(query.data(), rows.data(), stride, count, expected.data());
      for (const Isa isa : SupportedIsas()) {
        std::vector<float> actual(count);
        DenseKernelsFor(isa).float_dots(query.data(), rows.data(), stride, count, actual.data());
        CAPTURE(IsaName(isa));
        CAPTURE(stride);
        CAPTURE(count);
        CHECK(SameBits(actual, expected));
      }
    }
  }
}

TEST_CASE("float dot products keep the stated bound") {
  std::mt19937 random(4);
  for (const std::size_t stride : {16U, 384U, 4096U}) {
    for (int round = 0; round < 50; ++round) {
      const auto query = Floats(random, stride);
      const auto row = Floats(random, stride);
      long double exact = 0;
      long double sizes = 0;
      for (std::size_t j = 0; j < stride; ++j) {
        const long double product = static_cast<long double>(query[j]) * row[j];
        exact += product;
        sizes += std::fabs(product);
      }
      float dot = 0;
      ActiveDenseKernels().float_dots(query.data(), row.data(), stride, 1, &dot);
      const long double bound = (static_cast<long double>(stride) / 16 + 5) / (1 << 24) * sizes;
      CHECK(std::fabs(static_cast<long double>(dot) - exact) <= bound);
    }
  }
}

TEST_CASE("every kernel gives exact dot products of int8 rows, at the limits too") {
  std::mt19937 random(5);
  for (std::size_t stride = kByteLanes; stride <= 5 * kByteLanes; stride += kByteLanes) {
    for (std::size_t count = 0; count <= kMostRows; ++count) {
      for (const int fill : {0, 127, -127}) {
        std::vector<std::int8_t> query(stride);
        std::vector<std::int8_t> rows(stride * count);
        const auto value = [&] {
          return static_cast<std::int8_t>(fill != 0 ? fill
                                                    : static_cast<int>(random() % 255) - 127);
        };
        for (auto& each : query) each = value();
        for (auto& each : rows) each = fill == 0 ? value() : static_cast<std::int8_t>(127);
        std::vector<std::int32_t> expected(count);
        for (std::size_t i = 0; i < count; ++i) {
          for (std::size_t j = 0; j < stride; ++j) expected[i] += query[j] * rows[i * stride + j];
        }
        for (const Isa isa : SupportedIsas()) {
          std::vector<std::int32_t> actual(count);
          DenseKernelsFor(isa).byte_dots(query.data(), rows.data(), stride, count, actual.data());
          CAPTURE(IsaName(isa));
          CAPTURE(stride);
          CAPTURE(count);
          CHECK(actual == expected);
        }
      }
    }
  }
}

TEST_CASE("int8 dot products of the longest rows fit") {
  const std::vector<std::int8_t> plus(kMaxStride, 127);
  const std::vector<std::int8_t> minus(kMaxStride, -127);
  const std::int32_t most = 127 * 127 * static_cast<std::int32_t>(kMaxStride);
  for (const Isa isa : SupportedIsas()) {
    const auto dot = [&](const auto& left, const auto& right) {
      std::int32_t result = 0;
      DenseKernelsFor(isa).byte_dots(left.data(), right.data(), kMaxStride, 1, &result);
      return result;
    };
    CAPTURE(IsaName(isa));
    CHECK(dot(plus, plus) == most);
    CHECK(dot(minus, minus) == most);
    CHECK(dot(plus, minus) == -most);
    CHECK(dot(minus, plus) == -most);
  }
}

TEST_CASE("every kernel projects and accumulates with the reference's bits") {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  for (std::size_t stride = kFloatLanes; stride <= 5 * kFloatLanes; stride += kFloatLanes) {
    std::vector<double> query(stride);
    for (double& value : query) value = normal(random);
    for (std::size_t count = 0; count <= kMostRows; ++count) {
      const auto rows = Floats(random, stride * count);
      const DenseKernels& reference = DenseKernelsFor(Isa::kScalar);
      std::vector<double> expected(count);
      reference.project(query.data(), rows.data(), stride, count, expected.data());
      std::vector<double> expected_sum = query;
      reference.accumulate(expected.data(), rows.data(), stride, count, expected_sum.data());
      for (const Isa isa : SupportedIsas()) {
        std::vector<double> actual(count);
        std::vector<double> sum = query;
        DenseKernelsFor(isa).project(query.data(), rows.data(), stride, count, actual.data());
        DenseKernelsFor(isa).accumulate(expected.data(), rows.data(), stride, count, sum.data());
        CAPTURE(IsaName(isa));
        CAPTURE(stride);
        CAPTURE(count);
        CHECK(SameBits(actual, expected));
        CHECK(SameBits(sum, expected_sum));
      }
    }
  }
}

}  // namespace dentate::vectors
