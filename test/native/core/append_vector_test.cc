#include "core/append_vector.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace dentate {

TEST_CASE("elements keep their addresses and values while the vector grows") {
  AppendVector<std::uint32_t, 4> vector;
  vector.push_back(7);
  const std::uint32_t* first = &vector[0];
  std::vector<std::uint32_t> expected{7};
  for (std::uint32_t i = 1; i < 1000; ++i) {
    if (i % 3 == 0) {
      const std::vector<std::uint32_t> batch(i % 7, i);
      vector.Append(batch);
      expected.insert(expected.end(), batch.begin(), batch.end());
    } else {
      vector.push_back(i);
      expected.push_back(i);
    }
  }
  CHECK(first == &vector[0]);
  REQUIRE(vector.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(vector[i] == expected[i]);
  for (std::size_t i = 0; i < expected.size();) {
    const auto run = vector.Run(i, expected.size());
    REQUIRE(!run.empty());
    for (const auto value : run) CHECK(value == expected[i++]);
  }
}

TEST_CASE("a reader on another thread sees whole appends only") {
  AppendVector<std::uint64_t, 4> vector;
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
