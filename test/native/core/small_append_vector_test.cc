#include "core/small_append_vector.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace dentate {

TEST_CASE("elements of a small vector keep their addresses and values while it grows") {
  SmallAppendVector<std::uint64_t, 4> vector;
  std::vector<const std::uint64_t*> places;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    vector.push_back(i * 3);
    REQUIRE(vector.size() == i + 1);
    places.push_back(&vector[i]);
  }
  for (std::uint64_t i = 0; i < 1000; ++i) {
    CHECK(vector[i] == i * 3);
    CHECK(places[i] == &vector[i]);
  }
  vector.Mutable(3) = 1;
  vector.Mutable(4) = 2;
  CHECK(vector[3] == 1);
  CHECK(vector[4] == 2);
}

TEST_CASE("a small vector takes memory beside itself only when it is no longer small") {
  SmallAppendVector<std::uint32_t, 4> vector;
  vector.Reserve(4);
  for (std::uint32_t i = 0; i < 4; ++i) vector.push_back(i);
  CHECK(vector.SizeInBytes() == 0);
  vector.Reserve(5);
  CHECK(vector.SizeInBytes() > 4 * sizeof(std::uint32_t));
  CHECK(vector.size() == 4);
}

TEST_CASE("a reader on another thread sees whole elements of a small vector only") {
  SmallAppendVector<std::uint64_t, 4> vector;
  constexpr std::uint64_t kCount = 100000;
  std::thread reader([&] {
    std::size_t seen = 0;
    while (seen < kCount) {
      const std::size_t size = vector.size();
      for (; seen < size; ++seen) {
        if (vector[seen] != seen * 3) {
          CHECK(vector[seen] == seen * 3);
          return;
        }
      }
    }
  });
  for (std::uint64_t i = 0; i < kCount; ++i) vector.push_back(i * 3);
  reader.join();
}

}  // namespace dentate
