#include "bank/ball.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <utility>
#include <vector>

#include "bank/part.h"  // compiles with no more than this

namespace dentate::bank {

TEST_CASE("a ball holds what is near or of the stem, nearest first, ties by lower code") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  BallFinder finder;
  Ball ball;
  for (const std::size_t rows : {500, 1, 0, 3000}) {
    std::vector<std::uint64_t> column(rows);
    for (auto& word : column) word = random() & random();
    const hamming::ColumnsView view(column.data(), 1, rows, rows);
    const std::uint64_t query = random() & random() & random();
    std::vector<std::uint32_t>& stem = finder.stem_codes();
    stem.clear();
    for (int i = 0; i < 5; ++i) stem.push_back(static_cast<std::uint32_t>(random() % (rows + 3)));
    std::vector<std::pair<std::uint16_t, std::uint32_t>> expected;
    for (std::uint32_t code = 0; code < rows; ++code) {
      const bool same = std::find(stem.begin(), stem.end(), code) != stem.end();
      const auto distance = static_cast<std::uint16_t>(std::popcount(column[code] ^ query));
      if (same || distance <= 16) expected.emplace_back(same ? 0 : distance, code);
    }
    std::sort(expected.begin(), expected.end());
    std::vector<std::uint32_t> codes;
    std::vector<std::uint16_t> distances;
    const auto below = static_cast<std::uint32_t>(random() % (rows + 1));
    for (std::uint32_t code = below; code-- > 0;) {  // in any order
      const auto distance = static_cast<std::uint16_t>(std::popcount(column[code] ^ query));
      if (distance > 16) continue;
      codes.push_back(code);
      distances.push_back(distance);
    }
    for (const bool is_known : {false, true, false}) {
      if (is_known) finder.SetKnown({below, codes, distances});
      finder.Find(view, {&query, 1}, 16, stem, ball);
      REQUIRE(ball.codes.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(ball.distances[i] == expected[i].first);
        CHECK(ball.codes[i] == expected[i].second);
      }
    }
  }
}

TEST_CASE("what is known of a ball is not looked for again, and counts once") {
  BallFinder finder;
  Ball ball;
  const std::vector<std::uint64_t> column{0, 1, 3, 7};
  const hamming::ColumnsView view(column.data(), 1, 4, 4);
  const std::uint64_t query = 0;
  const std::vector<std::uint32_t> codes{1};
  const std::vector<std::uint16_t> distances{2};
  finder.SetKnown({3, codes, distances});  // untrue of codes 0 and 2: it is taken at its word
  finder.Find(view, {&query, 1}, 64, {}, ball);
  CHECK(ball.codes == std::vector<std::uint32_t>{1, 3});
  finder.Find(view, {&query, 1}, 64, {}, ball);
  CHECK(ball.codes == std::vector<std::uint32_t>{0, 1, 2, 3});
}

TEST_CASE("a stem is found in a sorted list, with all that are equal to it") {
  const std::vector<std::uint64_t> stems{1, 4, 4, 4, 9};
  CHECK(FindStem(stems, 4).begin == 1);
  CHECK(FindStem(stems, 4).end == 4);
  CHECK(FindStem(stems, 5).begin == FindStem(stems, 5).end);
  CHECK(FindStem({}, 5).end == 0);
}

}  // namespace dentate::bank
