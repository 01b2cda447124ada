#include "succinct/elias_fano.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace dentate::succinct {
namespace {

using Numbers = std::vector<std::uint64_t>;

void Check(const Numbers& numbers) {
  std::vector<std::uint64_t> words;
  EliasFano::Write(numbers, words);
  const std::uint64_t last = numbers.empty() ? 0 : numbers.back();
  REQUIRE(words.size() == EliasFano::WordCount(numbers.size(), last));
  const EliasFano list(words.data(), numbers.size(), last);
  REQUIRE(list.size() == numbers.size());
  const Status valid = list.Validate(last);
  CHECK_MESSAGE(valid.ok(), valid.message());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    CAPTURE(i);
    CHECK(list.Get(i) == numbers[i]);
    CHECK(list.RangeOf(i).begin == (i == 0 ? 0 : numbers[i - 1]));
    CHECK(list.RangeOf(i).end == numbers[i]);
    for (const std::uint64_t value : {numbers[i] - 1, numbers[i], numbers[i] + 1}) {
      const auto above = std::upper_bound(numbers.begin(), numbers.end(), value);
      const auto expected = static_cast<std::size_t>(above - numbers.begin());
      CHECK(list.FirstAbove(value) == expected);
      if (expected < numbers.size()) {
        CHECK(list.NextAbove(value, expected - std::min<std::size_t>(expected, 3)) == expected);
      }
    }
  }
  Numbers visited;
  list.ForEach([&](std::size_t i, std::uint64_t number) {
    CHECK(i == visited.size());
    visited.push_back(number);
  });
  CHECK(visited == numbers);
  // Any other bits say something else, or nothing.
  if (words.size() > 40) return;
  for (std::size_t bit = 0; bit < words.size() * 64; ++bit) {
    words[bit / 64] ^= std::uint64_t{1} << bit % 64;
    if (list.Validate(last).ok()) {
      bool same = true;
      for (std::size_t i = 0; i < numbers.size(); ++i) same = same && list.Get(i) == numbers[i];
      CHECK(!same);
    }
    words[bit / 64] ^= std::uint64_t{1} << bit % 64;
  }
}

TEST_CASE("gives ascending numbers back, however far apart") {
  std::mt19937_64 random(1);
  for (const std::size_t count : {0, 1, 2, 63, 64, 65, 129, 2000}) {
    for (const unsigned bits : {0U, 1U, 4U, 20U, 50U, 63U}) {
      CAPTURE(count);
      CAPTURE(bits);
      Numbers numbers(count);
      for (std::uint64_t& number : numbers) number = random() >> 1 >> (63 - bits);
      std::sort(numbers.begin(), numbers.end());
      Check(numbers);
    }
  }
}

TEST_CASE("a leap among near numbers is a long way of zeros") {
  Numbers numbers;
  for (std::uint64_t i = 0; i < 300; ++i) numbers.push_back(i < 150 ? i / 2 : 1'000'000 + i);
  Check(numbers);
}

TEST_CASE("numbers that are spread unevenly, and long runs of one, are found too") {
  Numbers zeros_first(3000), squares, halves, runs;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    if (i >= 2000) zeros_first[i] = i * i * i;
    squares.push_back(i * i);
    halves.push_back(~std::uint64_t{0} >> 1 >> (i >= 3000 - 60 ? 3000 - 1 - i : 60));
    runs.push_back(i / 700 * 1'000'003);
  }
  for (const Numbers& numbers : {zeros_first, squares, halves, runs}) Check(numbers);
}

}  // namespace
}  // namespace dentate::succinct
