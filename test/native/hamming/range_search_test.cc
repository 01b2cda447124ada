#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "hamming/range_search.h"

#include <doctest/doctest.h>

#include <bit>
#include <random>
#include <vector>

#include "hamming/scan.h"

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
        RangeSearch(columns, query, radius, limit, ids, distances);
        CHECK(ids == expected_ids);
        CHECK(distances == expected_distances);
      }
    }
  }
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
