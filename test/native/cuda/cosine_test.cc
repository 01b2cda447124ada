#include <algorithm>
#include <cmath>

#include "cuda/cosine_queries.h"
#include "cuda/fixture.h"
#include "cuda/kernels/cosine_tile.h"

namespace dentate::cuda {
namespace {

// The cosine as the reference has it: sums in float64, rounded once.
float Cosine(const float* a, const float* b, std::uint32_t dimensions) {
  double product = 0;
  double of_a = 0;
  double of_b = 0;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    product += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    of_a += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    of_b += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return of_a == 0 || of_b == 0 ? 0
                                : static_cast<float>(product / std::sqrt(of_a) / std::sqrt(of_b));
}

void Check(const Emulated& emulated, const std::vector<float>& data,
           const std::vector<float>& queries, std::uint32_t dimensions, std::uint32_t k) {
  const auto rows = emulated.Rows(data, dimensions);
  const auto count = static_cast<std::uint32_t>(rows->count());
  const std::size_t query_count = queries.size() / dimensions;
  k = std::min(k, count);
  std::vector<std::uint32_t> ids(query_count * k, 0xABABABAB);
  std::vector<float> scores(query_count * k, NAN);
  const Status status = CosineTopK(*rows, queries, k, nullptr, ids.data(), scores.data());
  REQUIRE_MESSAGE(status.ok(), status.message());
  for (std::size_t q = 0; q < query_count; ++q) {
    std::vector<std::pair<float, std::uint32_t>> all(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      all[i] = {-Cosine(queries.data() + q * dimensions, data.data() + std::size_t{i} * dimensions,
                        dimensions),
                i};
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < k; ++i) {
      CAPTURE(q);
      CAPTURE(i);
      // The last bit may be rounded the other way, and change places with it.
      REQUIRE(std::fabs(scores[q * k + i] + all[i].first) < 1e-6F);
      const std::uint32_t id = ids[q * k + i];
      REQUIRE(id < count);
      const float own = Cosine(queries.data() + q * dimensions,
                               data.data() + std::size_t{id} * dimensions, dimensions);
      REQUIRE(std::fabs(own - scores[q * k + i]) < 1e-6F);
      if (i == 0) continue;
      const bool in_order = scores[q * k + i - 1] > scores[q * k + i] ||
                            (scores[q * k + i - 1] == scores[q * k + i] && ids[q * k + i - 1] < id);
      REQUIRE(in_order);
    }
  }
}

constexpr Precision kPrecisions[] = {Precision::kFp16, Precision::kBf16, Precision::kInt8};

TEST_CASE("the nearest vectors by one query and a few, at even and odd shapes") {
  for (const Precision precision : kPrecisions) {
    const Emulated emulated(precision);
    for (const std::uint32_t dimensions : {1U, 3U, 100U, 384U}) {
      for (const std::uint32_t count : {1U, 33U, 70U}) {
        const auto data = Floats(std::size_t{count} * dimensions, count);
        Check(emulated, data, Floats(dimensions, 3), dimensions, 10);
        Check(emulated, data, Floats(std::size_t{3} * dimensions, 4), dimensions, 5);
      }
    }
  }
}

TEST_CASE("by many queries, on every tile") {
  for (const Precision precision : kPrecisions) {
    const Emulated emulated(precision);
    emulated.settings->order = static_cast<std::uint32_t>(precision);
    for (const std::uint32_t queries : {5U, 17U, 65U, 130U}) {
      Check(emulated, Floats(std::size_t{300} * 72, queries), Floats(std::size_t{queries} * 72, 1),
            72, 7);
    }
  }
}

TEST_CASE("in rounds, each within the limit of the one before") {
  const Emulated emulated;
  const auto data = Floats(std::size_t{9000} * 16, 2);
  Check(emulated, data, Floats(16, 1), 16, 10);
  Check(emulated, data, Floats(std::size_t{6} * 16, 1), 16, 10);
  Check(emulated, data, Floats(16, 1), 16, 2500);
}

TEST_CASE("equal rows can't be told apart by the scan, and are in the order of ids") {
  for (const Precision precision : kPrecisions) {
    const Emulated emulated(precision);
    auto data = Floats(std::size_t{900} * 24, 2);
    for (std::size_t i = 24; i < data.size(); ++i) data[i] = data[i % (24 * 3)];
    Check(emulated, data, Floats(std::size_t{7} * 24, 4), 24, 40);
  }
}

TEST_CASE("zeros have a cosine of 0 with everything") {
  const Emulated emulated;
  auto data = Floats(std::size_t{300} * 16, 2);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (i / 16 % 3 == 0) data[i] = 0;
  }
  auto queries = Floats(std::size_t{6} * 16, 4);
  std::fill_n(queries.begin() + 16, 16, 0.0F);
  Check(emulated, data, queries, 16, 200);
  Check(emulated, std::vector<float>(std::size_t{300} * 16), queries, 16, 20);
}

TEST_CASE("rows of very different lengths, and numbers at the ends of float32") {
  const Emulated emulated;
  auto data = Floats(std::size_t{200} * 20, 2);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] *= i / 20 % 2 == 0 ? 1e30F : 1e-30F;
  auto queries = Floats(std::size_t{5} * 20, 4);
  for (float& value : queries) value *= 1e35F;
  Check(emulated, data, queries, 20, 12);
}

TEST_CASE("queries that fit no tile's shared memory, nor a scan's") {
  const Emulated emulated;
  emulated.settings->limits.shared_bytes = 99 * 1024;  // an RTX card's
  Check(emulated, Floats(std::size_t{40} * 2000, 1), Floats(std::size_t{6} * 2000, 2), 2000, 5);
  Check(emulated, Floats(std::size_t{9} * 20000, 1), Floats(20000, 2), 20000, 5);
}

TEST_CASE("more vectors than device memory holds are searched in tiles") {
  const Emulated emulated(Precision::kFp16, 500'000);
  const auto data = Floats(std::size_t{4000} * 24, 8);
  Check(emulated, data, Floats(std::size_t{2} * 24, 1), 24, 20);
  CHECK(emulated.engine->memory().held() == 0);
}

TEST_CASE("no vectors, and no queries") {
  const Emulated emulated;
  Check(emulated, {}, Floats(8, 1), 8, 5);
  Check(emulated, Floats(8, 1), {}, 8, 5);
}

TEST_CASE("a scan's error is within what is proven of it") {
  for (const Precision precision : kPrecisions) {
    const std::uint32_t dimensions = 96;
    const std::uint32_t row_bytes = 256;
    const auto values = Floats(std::size_t{40} * dimensions, 6);
    const CosineQueries packed =
        PrepareQueries(values, dimensions, dimensions, row_bytes, precision);
    const double worst = *std::max_element(packed.errors.begin(), packed.errors.end());
    const std::uint32_t length = row_bytes / ElementBytes(precision);
    const auto number = [&](std::uint32_t row, std::uint32_t i) {
      const std::uint8_t* const from = packed.packed.data() + std::size_t{row} * row_bytes;
      if (precision == Precision::kInt8) {
        return static_cast<float>(static_cast<std::int8_t>(from[i])) * packed.scales[row];
      }
      std::uint16_t bits = 0;
      std::memcpy(&bits, from + std::size_t{2} * i, 2);
      return precision == Precision::kFp16 ? FromFp16(bits) : FromBf16(bits);
    };
    for (std::uint32_t a = 0; a < 40; ++a) {
      for (std::uint32_t b = 0; b < 40; ++b) {
        float score = 0;
        for (std::uint32_t i = 0; i < length; ++i) score += number(a, i) * number(b, i);
        const float exact = Cosine(values.data() + std::size_t{a} * dimensions,
                                   values.data() + std::size_t{b} * dimensions, dimensions);
        const double error =
            ScoreError(worst, static_cast<double>(packed.errors[b]), false, dimensions);
        CHECK(std::fabs(static_cast<double>(score - exact)) <= error);
      }
    }
  }
}

TEST_CASE("the places of pieces in shared memory are all different, and fit") {
  for (std::uint32_t row = 0; row < kTileRows; row += 8) {
    // What ldmatrix reads at once: the same piece of eight rows, from eight different groups of
    // banks.
    for (std::uint32_t piece = 0; piece < kStepBytes / 16; ++piece) {
      std::uint32_t banks = 0;
      for (std::uint32_t i = 0; i < 8; ++i) banks |= 1U << (StagePlace(row + i, piece) / 16 % 8);
      CHECK(banks == 0xFF);
    }
    for (std::uint32_t piece = 0; piece < 48; ++piece) {
      std::uint32_t banks = 0;
      for (std::uint32_t i = 0; i < 8; ++i)
        banks |= 1U << (QueryPlace(row + i, piece, 768) / 16 % 8);
      CHECK(banks == 0xFF);
    }
  }
  CHECK(TileSharedBytes(kWide, 768) <= 163 * 1024);  // an A100's
}

}  // namespace
}  // namespace dentate::cuda
