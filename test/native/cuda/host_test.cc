// What of the plugin needs no device: plans, memory, merging, numbers, and what errors mean.

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuda/cuda_status.h"
#include "cuda/fixture.h"
#include "cuda/keys.h"
#include "cuda/merge.h"
#include "cuda/plan.h"

namespace dentate::cuda {
namespace {

TEST_CASE("rounds cover all rows once, and lists have room") {
  for (const std::uint32_t rows : {0U, 1U, 8191U, 8192U, 8193U, 1'000'000U, 4'000'000'000U}) {
    for (const std::uint32_t keep : {1U, 64U, 2048U}) {
      std::uint32_t done = 0;
      for (const Round& round : PlanRounds(rows, keep, kListCapacity)) {
        CHECK(round.begin == done);
        CHECK(round.end > round.begin);
        CHECK(round.is_dense == (round.begin == 0));
        // The keys that are expected beside those that are kept, of rows in random order.
        const double grown = round.begin == 0 ? 0 : double(round.end) / double(round.begin) - 1;
        CHECK(keep * (1 + grown) <= kListCapacity * 3 / 4);
        done = round.end;
      }
      CHECK(done == rows);
    }
  }
  for (const std::uint32_t rows : {0U, 1U, 8192U, 8193U, 100'000U}) {
    for (const std::uint32_t keep : {1U, 2048U}) {
      std::uint32_t done = 0;
      for (const Round& round : PlanDenseRounds(rows, keep, kListCapacity)) {
        CHECK(round.begin == done);
        CHECK(round.dense_at == std::min(done, keep));
        CHECK(round.dense_at + (round.end - round.begin) <= kListCapacity);
        done = round.end;
      }
      CHECK(done == rows);
    }
  }
}

TEST_CASE("windows cover all chunks, in order, within their room") {
  const std::vector<std::uint32_t> counts = {0, 5, 9, 0, 20, 1, 1, 8, 0};
  std::vector<std::uint32_t> places(counts.size());
  const auto windows = PlanWindows(counts, 10, places);
  std::uint32_t next = 0;
  for (const Window& window : windows) {
    CHECK(window.first == next);
    std::uint32_t matches = 0;
    for (std::uint32_t i = window.first; i < window.first + window.count; ++i) {
      CHECK(places[i] == matches);
      matches += counts[i];
    }
    CHECK(window.matches == matches);
    CHECK((matches <= 10 || window.count == 1 || counts[window.first] > 10));
    next += window.count;
  }
  CHECK(next == counts.size());
  CHECK(PlanWindows({}, 10, {}).empty());
}

TEST_CASE("rows that fit, at least one and at most all") {
  CHECK(RowsIn(100, 10, 7) == 7);
  CHECK(RowsIn(100, 10, 70) == 10);
  CHECK(RowsIn(5, 10, 70) == 1);
  CHECK(RowsIn(std::uint64_t{1} << 50, 1, std::uint64_t{1} << 31) == std::uint32_t{1} << 31);
}

TEST_CASE("lists of tiles are merged, each in order or none") {
  BestKeys best(2, 4);
  const std::vector<std::uint64_t> first = {1, 5, 9};
  const std::vector<std::uint64_t> second = {0, 2, 6, 7};
  std::vector<std::uint64_t> third = {8, 3, 11, 4, 10, 12};
  best.Merge(0, first);
  best.Merge(0, second);
  best.MergeUnordered(0, third);
  best.MergeUnordered(1, third);
  const auto of_first = best.Of(0);
  CHECK(std::vector<std::uint64_t>(of_first.begin(), of_first.end()) ==
        std::vector<std::uint64_t>{0, 1, 2, 3});
  CHECK(best.Of(1).size() == 4);
  CHECK(best.Of(1)[0] == 3);
}

TEST_CASE("keys are in the order of matches") {
  const float scores[] = {
      std::numeric_limits<float>::max(), 1, 0.5F, 1e-40F, 0, -1e-40F, -0.5F, -1};
  for (std::size_t i = 0; i + 1 < std::size(scores); ++i) {
    CHECK(ScoreKey(scores[i], 9) < ScoreKey(scores[i + 1], 3));
    CHECK(KeyScore(ScoreKey(scores[i], 7)) == scores[i]);
  }
  CHECK(ScoreKey(0.5F, 1) < ScoreKey(0.5F, 2));
  CHECK(ScoreKey(-0.0F, 1) == ScoreKey(0.0F, 1));
  CHECK(DistanceKey(3, 9) < DistanceKey(4, 1));
  CHECK(KeyId(ScoreKey(-1, 4'294'967'294U)) == 4'294'967'294U);
  CHECK(KeyDistance(DistanceKey(65472, 1)) == 65472);
  CHECK(ScoreKey(-1, 4'294'967'294U) < kNoKey);
  CHECK(LimitScore(kNoKey) == -INFINITY);
  CHECK(LimitScore(ScoreKey(0.25F, 1)) == 0.25F);
}

TEST_CASE("16-bit floats round to the nearest, ties to even") {
  for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = FromFp16(half);
    REQUIRE(ToFp16(value) == half);
    REQUIRE(ToFp16(-value) == (half | 0x8000));
    if (bits + 1 == 0x7C00) continue;
    const float next = FromFp16(static_cast<std::uint16_t>(bits + 1));
    const float middle = (value + next) / 2;
    REQUIRE(ToFp16(middle) == (bits % 2 == 0 ? bits : bits + 1));
    REQUIRE(ToFp16(std::nextafter(middle, value)) == bits);
    REQUIRE(ToFp16(std::nextafter(middle, next)) == bits + 1);
  }
  CHECK(ToFp16(65519.0F) == 0x7BFF);
  CHECK(ToFp16(65520.0F) == 0x7C00);
  for (const float value : {1.0F, 0.1F, -3.0e-5F, 3.0e38F}) {
    const float back = FromBf16(ToBf16(value));
    CHECK(std::fabs(back - value) <= std::fabs(value) / 256);
  }
  CHECK(ToBf16(1.00390625F) == 0x3F80);  // a tie, to even
  CHECK(ToBf16(1.01171875F) == 0x3F82);
}

TEST_CASE("memory is kept for the next use, under a cap") {
  auto settings = std::make_shared<EmulatedSettings>();
  const auto device = NewEmulatedDevice(settings);
  MemoryPool pool(*device, 10'240);
  {
    MemoryPool::Block a;
    MemoryPool::Block b;
    REQUIRE(pool.Allocate(4000, a).ok());
    CHECK(pool.held() == 4096);
    CHECK(pool.Allocate(7000, b).code() == ErrorCode::kOutOfMemory);
    CHECK(b.empty());
    void* const memory = a.As<void>();
    a.Reset();
    CHECK(pool.held() == 0);
    CHECK(pool.cached() == 4096);
    REQUIRE(pool.Allocate(3900, b).ok());
    CHECK(b.As<void>() == memory);
    b.Reset();
    // What is cached makes room, and never counts against the cap.
    REQUIRE(pool.Allocate(9000, a).ok());
    CHECK(pool.cached() == 0);
    CHECK(pool.held() <= pool.cap());
  }
  CHECK(pool.held() == 0);
  pool.Trim();
  CHECK(settings->allocated_bytes == 0);
}

TEST_CASE("where the device has less than the cap, cached memory is given back first") {
  auto settings = std::make_shared<EmulatedSettings>();
  settings->memory_bytes = 8192;
  const auto device = NewEmulatedDevice(settings);
  MemoryPool pool(*device, 1 << 20);
  MemoryPool::Block block;
  REQUIRE(pool.Allocate(5000, block).ok());
  block.Reset();
  REQUIRE(pool.Allocate(8192, block).ok());
  MemoryPool::Block more;
  CHECK(pool.Allocate(512, more).code() == ErrorCode::kOutOfMemory);
}

TEST_CASE("what errors of the runtime mean") {
  CHECK(ToStatus(0, "x", "no error").ok());
  const Status old_driver =
      ToStatus(35, "x", "CUDA driver version is insufficient for CUDA runtime version");
  CHECK(old_driver.code() == ErrorCode::kUnavailable);
  CHECK(old_driver.message() ==
        "no CUDA device: CUDA driver version is insufficient for CUDA runtime version (CUDA error "
        "35)");
  CHECK(ToStatus(100, "x", "no device").code() == ErrorCode::kUnavailable);
  CHECK(ToStatus(2, "an allocation", "out of memory").code() == ErrorCode::kOutOfMemory);
  CHECK(ToStatus(700, "a launch", "illegal address").code() == ErrorCode::kUnavailable);
  CHECK(ToStatus(700, "a launch", "illegal address").message().find("is lost") !=
        std::string::npos);
  CHECK(ToStatus(9, "a launch", "invalid configuration").code() == ErrorCode::kInternal);
}

TEST_CASE("queues are borrowed by threads in turn") {
  const Emulated emulated;
  {
    DeviceEngine::Lease leases[DeviceEngine::kMostQueues];
    for (DeviceEngine::Lease& lease : leases) REQUIRE(emulated.engine->Borrow(lease).ok());
  }
  DeviceEngine::Lease again;
  CHECK(emulated.engine->Borrow(again).ok());
}

}  // namespace
}  // namespace dentate::cuda
