#include "hamming/multi_index.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "hamming/range_search.h"

namespace dentate::hamming {
namespace {

void CompareWithScan(const SignatureColumns& columns, const MultiIndex& index,
                     const std::vector<std::uint64_t>& query, std::uint32_t radius) {
  CAPTURE(radius);
  Matches expected;
  RangeSearch(columns.View(columns.size()), query, radius, 0, columns.size(), expected.ids,
              expected.distances);
  Matches found;
  index.SearchAlways(query.data(), radius, found);
  REQUIRE(found.ids == expected.ids);
  REQUIRE(found.distances == expected.distances);
  Matches chosen;
  if (index.Search(query.data(), radius, chosen)) {
    REQUIRE(chosen.ids == expected.ids);
  } else {
    REQUIRE(chosen.ids.empty());
  }
}

}  // namespace

TEST_CASE("hashing finds each row a scan finds, once") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const std::size_t words : {1, 2, 3, 5}) {
    for (const std::size_t rows : {1, 2, 17, 3000}) {
      CAPTURE(words);
      CAPTURE(rows);
      SignatureColumns columns(words);
      std::vector<std::uint64_t> data(rows * words);
      for (auto& word : data) word = random() & random() & random();  // close together
      columns.Append(data);
      const auto index = MultiIndex::Build(columns, rows, {});
      REQUIRE(index != nullptr);
      std::vector<std::uint64_t> query(data.end() - static_cast<std::ptrdiff_t>(words), data.end());
      for (int round = 0; round < 3; ++round) {
        for (const std::uint32_t radius : {0, 1, 2, 5, 9, 14, 20}) {
          CompareWithScan(columns, *index, query, radius);
        }
        query[random() % words] ^= std::uint64_t{5} << random() % 60;
      }
    }
  }
}

TEST_CASE("rows that are all alike are left to the scan") {
  SignatureColumns columns(2);
  columns.Append(std::vector<std::uint64_t>(200000, 42));
  const auto index = MultiIndex::Build(columns, columns.size(), {});
  Matches matches;
  CHECK(!index->Search(std::vector<std::uint64_t>{42, 42}.data(), 4, matches));
}

}  // namespace dentate::hamming
