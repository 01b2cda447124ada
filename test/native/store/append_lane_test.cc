#include "store/append_lane.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

namespace dentate::store {
namespace {

LaneWork Entry(std::uint32_t number, std::atomic<std::uint64_t>& sequence) {
  const auto append = [number, &sequence] {
    Appended appended;
    appended.sequence = ++sequence;
    appended.entries = {number};
    return appended;
  };
  return {[] {}, append};
}

TEST_CASE("a lane appends in the order in which it was given work") {
  std::atomic<std::uint64_t> sequence{0};
  std::atomic<int> told{0};
  std::vector<std::uint32_t> taken;
  {
    AppendLane lane([&] { return sequence.load(); }, [&] { ++told; });
    for (std::uint32_t i = 0; i < 500; ++i) {
      lane.Add(Entry(i, sequence));
      if (i % 7 == 0) std::this_thread::yield();
      if (i % 50 == 0) lane.Drain();
      Appended appended;
      while (lane.Take(false, appended)) {
        CHECK(appended.sequence == taken.size() + 1);
        taken.push_back(appended.entries[0]);
      }
    }
    lane.Drain();
    Appended appended;
    while (lane.Take(false, appended)) taken.push_back(appended.entries[0]);
  }
  CHECK(told.load() == 500);
  REQUIRE(taken.size() == 500);
  for (std::uint32_t i = 0; i < 500; ++i) CHECK(taken[i] == i);
}

TEST_CASE("a lane gives what is durable, and all where that will never be") {
  std::atomic<std::uint64_t> sequence{0}, durable{0};
  std::atomic<int> told{0};
  AppendLane lane([&] { return durable.load(); }, [&] { ++told; });
  lane.Add(Entry(1, sequence));
  lane.Add(Entry(2, sequence));
  lane.Drain();
  Appended appended;
  CHECK_FALSE(lane.Take(false, appended));
  CHECK(told.load() == 0);
  durable = 1;
  REQUIRE(lane.Take(false, appended));
  CHECK(appended.entries[0] == 1);
  CHECK_FALSE(lane.Take(false, appended));
  REQUIRE(lane.Take(true, appended));
  CHECK(appended.entries[0] == 2);
  CHECK_FALSE(lane.Take(true, appended));
}

TEST_CASE("a lane goes on after work that runs out of memory") {
  std::atomic<std::uint64_t> sequence{0};
  AppendLane lane([&] { return sequence.load(); }, [] {});
  lane.Add({[] { throw std::bad_alloc(); }, [] { return Appended{}; }});
  lane.Add({[] {}, []() -> Appended { throw std::bad_alloc(); }});
  lane.Add(Entry(3, sequence));
  lane.Drain();
  Appended appended;
  for (const bool fails : {true, true, false}) {
    REQUIRE(lane.Take(false, appended));
    CHECK(appended.out_of_memory == fails);
  }
  CHECK(appended.entries[0] == 3);
}

TEST_CASE("a lane that goes carries out what it was given") {
  std::atomic<std::uint64_t> sequence{0};
  {
    AppendLane lane([] { return 0; }, [] {});
    for (std::uint32_t i = 0; i < 20; ++i) lane.Add(Entry(i, sequence));
  }
  CHECK(sequence.load() == 20);
}

}  // namespace
}  // namespace dentate::store
