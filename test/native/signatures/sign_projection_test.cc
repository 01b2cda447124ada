#include "signatures/sign_projection.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "signatures/hash.h"

namespace dentate::signatures {
namespace {

using Vector = std::vector<std::int32_t>;

std::vector<std::uint64_t> SignatureOf(const SignProjection& projection, const Vector& vector) {
  Vector scratch;
  Vector turned(projection.bits());
  projection.Turn(vector, scratch, turned.data());
  std::vector<std::uint64_t> signature(projection.words());
  SignProjection::Signs(turned, signature.data());
  return signature;
}

int Distance(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  int distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) distance += std::popcount(a[i] ^ b[i]);
  return distance;
}

// About normally distributed components.
std::vector<double> RandomDirection(SplitMix64& random, std::size_t dimensions) {
  std::vector<double> direction(dimensions);
  double square = 0;
  for (auto& component : direction) {
    component = std::popcount(random.Next()) - 32;
    square += component * component;
  }
  for (auto& component : direction) component /= std::sqrt(square);
  return direction;
}

Vector ToFixed(const std::vector<double>& direction) {
  Vector fixed;
  for (const double component : direction) {
    fixed.push_back(static_cast<std::int32_t>(std::lround(component * kUnit)));
  }
  return fixed;
}

TEST_CASE("a bit differs with probability angle / pi") {
  SplitMix64 random(20261129);
  for (const std::size_t dimensions : {192U, 256U, 1024U}) {
    const SignProjection projection(dimensions, 128);
    for (const double angle : {0.3, 0.8, 1.2, 1.5707963, 2.4}) {
      const int pairs = 300;
      double differing = 0;
      for (int pair = 0; pair < pairs; ++pair) {
        const auto a = RandomDirection(random, dimensions);
        auto b = RandomDirection(random, dimensions);
        double along = 0;
        for (std::size_t k = 0; k < dimensions; ++k) along += a[k] * b[k];
        double square = 0;
        for (std::size_t k = 0; k < dimensions; ++k) {
          b[k] -= along * a[k];
          square += b[k] * b[k];
        }
        for (std::size_t k = 0; k < dimensions; ++k) {
          b[k] = std::cos(angle) * a[k] + std::sin(angle) * b[k] / std::sqrt(square);
        }
        differing +=
            Distance(SignatureOf(projection, ToFixed(a)), SignatureOf(projection, ToFixed(b)));
      }
      const double share = differing / (pairs * 128.0);
      const double expected = angle / 3.14159265358979;
      // Five standard errors of independent bits; orthogonal rows do better.
      const double error = std::sqrt(expected * (1 - expected) / (pairs * 128.0));
      CAPTURE(dimensions);
      CAPTURE(angle);
      CHECK(std::abs(share - expected) < 5 * error);
    }
  }
}

TEST_CASE("the image of a sum is the sum of the images") {
  const SignProjection projection(100, 320);
  SplitMix64 random(7);
  Vector a(100);
  Vector b(100);
  Vector sum(100);
  for (std::size_t k = 0; k < 100; ++k) {
    a[k] = static_cast<std::int32_t>(random.Next() % 1000) - 500;
    b[k] = static_cast<std::int32_t>(random.Next() % 1000) - 500;
    sum[k] = a[k] + b[k];
  }
  Vector scratch;
  Vector ya(320);
  Vector yb(320);
  Vector ysum(320);
  projection.Turn(a, scratch, ya.data());
  projection.Turn(b, scratch, yb.data());
  projection.Turn(sum, scratch, ysum.data());
  for (std::size_t i = 0; i < 320; ++i) CHECK(ysum[i] == ya[i] + yb[i]);
}

TEST_CASE("bits do not depend on the length of the vector, and a longer signature begins alike") {
  SplitMix64 random(9);
  const auto direction = RandomDirection(random, 64);
  Vector vector = ToFixed(direction);
  const auto short_one = SignatureOf(SignProjection(64, 64), vector);
  for (auto& component : vector) component *= 2;
  CHECK(SignatureOf(SignProjection(64, 64), vector) == short_one);
  for (auto& component : vector) component *= -1;
  CHECK(Distance(SignatureOf(SignProjection(64, 64), vector), short_one) >= 63);
}

TEST_CASE("no component overflows for the longest vectors of the encoders") {
  // All the length in one place is the worst case of the transform, and so is a flat vector.
  for (const std::size_t dimensions : {192U, 1024U}) {
    const SignProjection projection(dimensions, 1024);
    Vector vector(dimensions);
    vector[5] = kUnit + kUnit / 4;
    Vector scratch;
    Vector turned(1024);
    projection.Turn(vector, scratch, turned.data());
    double square = 0;
    for (std::size_t i = 0; i < std::bit_ceil(dimensions); ++i) {
      square += static_cast<double>(turned[i]) * turned[i];
    }
    const double n = static_cast<double>(std::bit_ceil(dimensions));
    CHECK(std::sqrt(square) == doctest::Approx(vector[5] * std::pow(n, 1.5)));
  }
}

TEST_CASE("zeros have the signature 0") {
  const SignProjection projection(192, 128);
  CHECK(SignatureOf(projection, Vector(192)) == std::vector<std::uint64_t>{0, 0});
}

}  // namespace
}  // namespace dentate::signatures
