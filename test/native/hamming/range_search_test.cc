#include "hamming/range_search.h"

#include <doctest/doctest.h>

#include <bit>
#include <random>
#include <vector>

#include "hamming/scan.h"
#include "hamming/signature_columns.h"

namespace dentate::hamming {

TEST_CASE("range search finds what a plain loop finds, across chunks and blocks") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const std::size_t words : {1, 2, 4}) {
    SignatureColumns columns(words);
    std::vector<std::uint64_t> rows(20000 * words);
    for (auto& word : rows) word = random() & random();  // 16 ones a word: near to zero
    columns.Append(rows);
    const std::vector<std::uint64_t> query(words, random() & random() & random());
    for (const std::uint32_t radius : {0U, 8U, 16U, 20U, 42U, 64U}) {
      for (const std::size_t limit : {0, 1, 63, 64, 65, 8192, 20000}) {
        CAPTURE(words);
        CAPTURE(radius);
        CAPTURE(limit);
        std::vector<std::uint32_t> expected_ids;
        std::vector<std::uint16_t> expected_distances;
        for (std::size_t i = 0; i < limit; ++i) {
          std::uint32_t distance = 0;
          for (std::size_t w = 0; w < words; ++w) {
            distance += static_cast<std::uint32_t>(std::popcount(rows[i * words + w] ^ query[w]));
          }
          if (distance > radius) continue;
          expected_ids.push_back(static_cast<std::uint32_t>(i));
          expected_distances.push_back(static_cast<std::uint16_t>(distance));
        }
        std::vector<std::uint32_t> ids{7};
        std::vector<std::uint16_t> distances;
        RangeSearch(columns.View(columns.size()), query, radius, 0, limit, ids, distances);
        CHECK(ids == expected_ids);
        CHECK(distances == expected_distances);
      }
    }
  }
}

TEST_CASE("a view of columns that lie in one block elsewhere is searched as they are") {
  std::mt19937_64 random(7);
  constexpr std::size_t kRows = 5000;
  constexpr std::size_t kStride = 5008;
  SignatureColumns columns(2);
  std::vector<std::uint64_t> block(2 * kStride);
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::vector<std::uint64_t> signature{random() & random(), random() & random()};
    columns.Append(signature);
    block[row] = signature[0];
    block[kStride + row] = signature[1];
  }
  const ColumnsView mapped(block.data(), 2, kStride, kRows);
  const ColumnsView grown = columns.View(kRows);
  CHECK(mapped.size() == grown.size());
  const std::vector<std::uint64_t> query(2, 0);
  Matches left;
  Matches right;
  RangeSearch(mapped, query, 28, 0, kRows, left.ids, left.distances);
  RangeSearch(grown, query, 28, 0, kRows, right.ids, right.distances);
  CHECK(!left.ids.empty());
  CHECK(left.ids == right.ids);
  CHECK(left.distances == right.distances);
  CHECK(mapped.RunAt(100, 4000).rows == 3900);
  CHECK(grown.RunAt(100, 4000).rows == 28);  // the chunk ends at row 128
}

TEST_CASE("a prefix is as short as leaves about one random row in a thousand") {
  CHECK(PrefixWords(1, 64) == 1);
  CHECK(PrefixWords(2, 18) == 1);
  CHECK(PrefixWords(2, 19) == 2);
  CHECK(PrefixWords(4, 16) == 1);
  CHECK(PrefixWords(4, 42) == 2);
  CHECK(PrefixWords(4, 64) == 3);
  CHECK(PrefixWords(4, 128) == 4);
}

}  // namespace dentate::hamming
