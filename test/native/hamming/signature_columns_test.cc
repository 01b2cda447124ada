#include "hamming/signature_columns.h"

#include <doctest/doctest.h>

#include <random>
#include <thread>
#include <vector>

namespace dentate::hamming {

TEST_CASE("rows come back from their columns, whatever the sizes of the appends") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const std::size_t words : {1, 2, 3, 4, 7}) {
    CAPTURE(words);
    SignatureColumns columns(words);
    std::vector<std::uint64_t> expected;
    while (expected.size() / words < 3000) {
      std::vector<std::uint64_t> batch(random() % 200 * words);
      for (auto& word : batch) word = random();
      columns.Append(batch);
      expected.insert(expected.end(), batch.begin(), batch.end());
    }
    const std::size_t rows = expected.size() / words;
    REQUIRE(columns.size() == rows);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      REQUIRE(*columns.WordAt(i / words, i % words) == expected[i]);
    }
    for (std::size_t row = 0; row < rows;) {
      const auto run = columns.RunAt(row, rows);
      REQUIRE(run.rows > 0);
      for (std::size_t i = 0; i < run.rows; ++i, ++row) {
        for (std::size_t w = 0; w < words; ++w) {
          REQUIRE(run.columns[w * run.stride + i] == expected[row * words + w]);
        }
      }
    }
  }
}

TEST_CASE("an empty store takes less than half a kilobyte, and a small one a kilobyte more") {
  SignatureColumns columns(2);
  CHECK(columns.size() == 0);
  CHECK(columns.SizeInBytes() < 512);
  columns.Append(std::vector<std::uint64_t>{1, 2});
  CHECK(columns.SizeInBytes() < 1536);
}

TEST_CASE("a reader on another thread sees whole appends only") {
  SignatureColumns columns(2);
  constexpr std::uint64_t kRows = 60000;
  std::thread reader([&] {
    for (std::size_t seen = 0; seen < kRows;) {
      const std::size_t size = columns.size();
      if (size % 3 != 0) CHECK(size % 3 == 0);
      for (; seen < size; ++seen) {
        if (*columns.WordAt(seen, 0) != seen || *columns.WordAt(seen, 1) != ~seen) {
          CHECK(*columns.WordAt(seen, 0) == seen);
          return;
        }
      }
    }
  });
  for (std::uint64_t i = 0; i < kRows; i += 3) {
    columns.Append(std::vector<std::uint64_t>{i, ~i, i + 1, ~(i + 1), i + 2, ~(i + 2)});
  }
  reader.join();
}

}  // namespace dentate::hamming
