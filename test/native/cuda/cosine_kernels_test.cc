// The scans by themselves: every score that they give, not only the best after all is put right.

#include <algorithm>
#include <cmath>

#include "cuda/cosine_queries.h"
#include "cuda/emulator/emulated_block.h"
#include "cuda/fixture.h"
#include "cuda/kernels/cosine_scan.h"
#include "cuda/kernels/cosine_tile.h"
#include "cuda/plan.h"

namespace dentate::cuda {
namespace {

constexpr std::uint32_t kDimensions = 90;
constexpr std::uint32_t kRows = 600;

// Rows and queries packed alike, and the lists of all scores.
struct Scan {
  Scan(Precision of, std::uint32_t query_count)
      : precision(of),
        row_bytes(static_cast<std::uint32_t>(
            RoundUp(std::uint64_t{kDimensions} * ElementBytes(of), kPackedAlignment))),
        rows(Pack(kRows, 1)),
        queries(Pack(query_count, 2)),
        keys(std::size_t{query_count} * kRows, kNoKey) {
    sink.keys = keys.data();
    sink.capacity = kRows;
    sink.dense = 1;
  }

  CosineQueries Pack(std::uint32_t count, unsigned seed) const {
    return PrepareQueries(Floats(std::size_t{count} * kDimensions, seed), kDimensions, 92,
                          row_bytes, precision);
  }

  template <class Launched>
  void Run(const Launched& launch, const Shape& shape, std::uint32_t order) {
    std::fill(keys.begin(), keys.end(), kNoKey);
    EmulatedBlock block(shape, order);
    for (std::uint32_t i = 0; i < shape.blocks; ++i) {
      block.Run(i, [&](EmulatedThread& thread) { ::dentate::cuda::Run(thread, launch); });
    }
  }

  // Every score within what is proven of the packing, each in its row's place.
  void Check(bool queries_are_packed) const {
    const float row_error = *std::max_element(rows.errors.begin(), rows.errors.end());
    for (std::uint32_t q = 0; q < queries.count; ++q) {
      const double query_error = queries_are_packed ? static_cast<double>(queries.errors[q]) : 0;
      const double most =
          ScoreError(static_cast<double>(row_error), query_error, false, kDimensions);
      for (std::uint32_t i = 0; i < kRows; ++i) {
        CAPTURE(q);
        CAPTURE(i);
        double exact = 0;
        for (std::uint32_t d = 0; d < kDimensions; ++d) {
          exact += static_cast<double>(Unit(queries, q)[d]) * static_cast<double>(Unit(rows, i)[d]);
        }
        const std::uint64_t key = keys[std::size_t{q} * kRows + i];
        REQUIRE(KeyId(key) == 1000 + i);
        REQUIRE(std::fabs(static_cast<double>(KeyScore(key)) - exact) <= most);
      }
    }
  }

  const float* Unit(const CosineQueries& of, std::uint32_t i) const {
    return of.unit.data() + std::size_t{i} * (row_bytes / ElementBytes(precision));
  }

  const Precision precision;
  const std::uint32_t row_bytes;
  const CosineQueries rows;
  const CosineQueries queries;
  std::vector<std::uint64_t> keys;
  Sink sink = {};
};

constexpr Precision kPrecisions[] = {Precision::kFp16, Precision::kBf16, Precision::kInt8};

TEST_CASE("every tile gives every score, whatever the order of its threads") {
  for (const Precision precision : kPrecisions) {
    for (const std::uint32_t tile : {kNarrow, kMiddle, kWide}) {
      const std::uint32_t count =
          kTileShapes[tile].queries() + 3;  // two tiles, of which one is short
      Scan scan(precision, count);
      CosineTile launch = {};
      launch.rows = scan.rows.packed.data();
      launch.scales = scan.rows.scales.data();
      launch.queries = scan.queries.packed.data();
      launch.query_scales = scan.queries.scales.data();
      launch.row_bytes = scan.row_bytes;
      launch.precision = precision;
      launch.end = kRows;
      launch.first_id = 1000;
      launch.query_count = count;
      launch.query_tiles = 2;
      launch.tile = tile;
      launch.sink = scan.sink;
      for (const std::uint32_t order : {0U, 1U, 3U}) {
        scan.Run(launch, {4, kTileThreads, TileSharedBytes(tile, scan.row_bytes)}, order);
        scan.Check(true);
      }
    }
  }
}

TEST_CASE("a scan gives every score of one query, and of a few") {
  for (const Precision precision : kPrecisions) {
    for (const std::uint32_t count : {1U, 3U}) {
      Scan scan(precision, count);
      CosineScan launch = {};
      launch.rows = scan.rows.packed.data();
      launch.scales = scan.rows.scales.data();
      launch.queries = scan.queries.unit.data();
      launch.row_bytes = scan.row_bytes;
      launch.precision = precision;
      launch.end = kRows;
      launch.first_id = 1000;
      launch.query_count = count;
      launch.stage_queries = 1;
      launch.sink = scan.sink;
      const std::uint32_t length = scan.row_bytes / ElementBytes(precision);
      scan.Run(launch, {3, 64, count * length * 4}, count);
      scan.Check(false);
    }
  }
}

}  // namespace
}  // namespace dentate::cuda
