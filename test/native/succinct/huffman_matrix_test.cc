#include "succinct/huffman_matrix.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "sequences.h"
#include "succinct/aligned_bytes.h"
#include "succinct/huffman_shape.h"

namespace dentate::succinct {
namespace {

using Text = std::vector<std::uint32_t>;

// The text with its symbols numbered by frequency, and how many end on each level.
struct Shaped {
  Text text;
  std::vector<std::uint32_t> ends;
};

Shaped Shape(const Text& text) {
  std::map<std::uint32_t, std::uint32_t> counts;
  for (const std::uint32_t symbol : text) ++counts[symbol];
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_count;
  for (const auto& [symbol, count] : counts) by_count.emplace_back(count, symbol);
  std::sort(by_count.rbegin(), by_count.rend());
  std::map<std::uint32_t, std::uint32_t> number;
  std::vector<std::uint32_t> sorted_counts;
  for (const auto& [count, symbol] : by_count) {
    number[symbol] = static_cast<std::uint32_t>(sorted_counts.size());
    sorted_counts.push_back(count);
  }
  Shaped shaped{text, HuffmanEnds(sorted_counts)};
  for (std::uint32_t& symbol : shaped.text) symbol = number[symbol];
  return shaped;
}

// Words at an address where they can be opened.
class Placed {
 public:
  explicit Placed(const std::vector<std::uint64_t>& words)
      : bytes_(words.size() * 8),
        words_(reinterpret_cast<std::uint64_t*>(bytes_.data()), words.size()) {
    std::copy(words.begin(), words.end(), words_.begin());
  }
  std::span<std::uint64_t> words() { return words_; }

 private:
  AlignedBytes bytes_;
  std::span<std::uint64_t> words_;
};

std::vector<std::uint64_t> Written(const Shaped& shaped, bool can_select) {
  std::vector<std::uint64_t> words;
  REQUIRE(HuffmanMatrix::Write(shaped.text, shaped.ends, can_select, {}, words));
  CHECK(words.size() % 8 == 0);
  return words;
}

void CheckAgainst(const HuffmanMatrix& matrix, const Text& text, bool can_select) {
  const auto n = static_cast<std::uint32_t>(text.size());
  REQUIRE(matrix.size() == n);
  Text out(n);
  matrix.AccessRange(0, n, out.data());
  CHECK(out == text);
  std::size_t wrong = 0;
  for (std::uint32_t start = 0; start < n; start += 1 + n / 50) {
    for (const std::uint32_t size : {1U, 2U, 60U}) {
      const std::uint32_t end = std::min(n, start + size);
      matrix.AccessRange(start, end, out.data());
      wrong += !std::equal(text.begin() + start, text.begin() + end, out.begin());
    }
  }
  CHECK(wrong == 0);
  const std::uint32_t step = 1 + matrix.symbol_count() / 60;
  for (std::uint32_t symbol = 0; symbol < matrix.symbol_count(); symbol += step) {
    CAPTURE(symbol);
    Text positions;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (text[i] == symbol) positions.push_back(i);
    }
    for (std::uint32_t start = 0; start <= n; start += 1 + n / 9) {
      for (std::uint32_t end = start; end <= n; end += 1 + n / 9) {
        const auto from = std::lower_bound(positions.begin(), positions.end(), start);
        const auto to = std::lower_bound(positions.begin(), positions.end(), end);
        wrong += matrix.CountIn(symbol, start, end) != static_cast<std::uint32_t>(to - from);
      }
    }
    if (!can_select) continue;
    wrong += matrix.Count(symbol) != positions.size();
    Text found(positions.size() + 3);
    const std::uint32_t from = static_cast<std::uint32_t>(positions.size() / 3);
    found.resize(matrix.Occurrences(symbol, from, found));
    wrong += !std::equal(found.begin(), found.end(), positions.begin() + from, positions.end());
  }
  CHECK(wrong == 0);
}

TEST_CASE("answers as the text itself, by every kernel") {
  for (const test::Sequence kind : test::kSequences) {
    for (const std::uint32_t length : {1U, 223U, 224U, 225U, 3000U, 70'000U}) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(length);
      const Shaped shaped = Shape(test::MakeSequence(kind, 1 + length % 15, length, length));
      for (const bool can_select : {true, false}) {
        Placed placed(Written(shaped, can_select));
        HuffmanMatrix matrix;
        const Status status = HuffmanMatrix::Open(placed.words(), matrix);
        REQUIRE_MESSAGE(status.ok(), status.message());
        const Status valid = matrix.Validate();
        CHECK_MESSAGE(valid.ok(), valid.message());
        for (const Kernels* kernels : SupportedKernels()) {
          CAPTURE(kernels->name);
          CheckAgainst(matrix.With(*kernels), shaped.text, can_select);
        }
      }
    }
  }
}

TEST_CASE("writing can be cancelled at each level") {
  const Shaped shaped = Shape(test::MakeSequence(test::Sequence::kUniform, 8, 3000, 1));
  for (std::size_t asked = 0; asked < shaped.ends.size(); ++asked) {
    std::size_t left = asked;
    std::vector<std::uint64_t> words;
    CHECK(!HuffmanMatrix::Write(
        shaped.text, shaped.ends, true, [&] { return left-- == 0; }, words));
  }
}

TEST_CASE("nothing is a sequence too") {
  Placed placed(Written(Shape({}), true));
  HuffmanMatrix matrix;
  REQUIRE(HuffmanMatrix::Open(placed.words(), matrix).ok());
  CHECK(matrix.Validate().ok());
  CHECK(matrix.size() == 0);
  CHECK(matrix.symbol_count() == 0);
  matrix.AccessRange(0, 0, nullptr);
}

// Digits of a text by the shape, against the best there is: the sum of all nodes' weights but the
// root's, found by merging the four lightest again and again.
TEST_CASE("codes are as short as Huffman's") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> counts(1 + random() % 40);
    for (std::uint32_t& count : counts) {
      count = 1 + static_cast<std::uint32_t>(random() % (1U << random() % 12));
    }
    std::sort(counts.rbegin(), counts.rend());
    const std::vector<std::uint32_t> ends = HuffmanEnds(counts);
    std::uint64_t digits = 0;
    std::size_t symbol = 0;
    for (std::size_t k = 0; k < ends.size(); ++k) {
      for (std::uint32_t i = 0; i < ends[k]; ++i) digits += (k + 1) * counts[symbol++];
    }
    REQUIRE(symbol == counts.size());

    std::vector<std::uint64_t> weights(counts.begin(), counts.end());
    while (weights.size() == 1 || weights.size() % 3 != 1) weights.push_back(0);
    std::uint64_t best = 0;
    while (weights.size() > 1) {
      std::sort(weights.rbegin(), weights.rend());
      std::uint64_t sum = 0;
      for (int i = 0; i < 4; ++i) {
        sum += weights.back();
        weights.pop_back();
      }
      best += sum;
      weights.push_back(sum);
    }
    CHECK(digits == best);
  }
}

TEST_CASE("the tree is never deeper than its levels") {
  // Each more than three times the next would be 30 levels deep.
  std::vector<std::uint32_t> counts;
  for (std::uint64_t count = 1; count < (std::uint64_t{1} << 31); count = count * 5 / 2 + 1) {
    for (int i = 0; i < 3; ++i) counts.push_back(static_cast<std::uint32_t>(count));
  }
  std::sort(counts.rbegin(), counts.rend());
  const std::vector<std::uint32_t> ends = HuffmanEnds(counts);
  CHECK(ends.size() <= kMaxHuffmanLevels);
  CHECK(std::accumulate(ends.begin(), ends.end(), 0U) == counts.size());
  std::vector<std::uint32_t> many(1 << 20, 1);
  CHECK(HuffmanEnds(many) == std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 0, 0, 0, 1 << 20});
}

TEST_CASE("every changed bit is found") {
  const Shaped shaped = Shape(test::MakeSequence(test::Sequence::kSkewed, 6, 2000, 3));
  for (const bool can_select : {true, false}) {
    const std::vector<std::uint64_t> words = Written(shaped, can_select);
    Placed placed(words);
    std::size_t accepted = 0;
    for (std::size_t bit = 0; bit < words.size() * 64; bit += 1) {
      std::uint64_t& word = placed.words()[bit / 64];
      word ^= std::uint64_t{1} << bit % 64;
      HuffmanMatrix matrix;
      accepted += HuffmanMatrix::Open(placed.words(), matrix).ok() && matrix.Validate().ok();
      word = words[bit / 64];
    }
    // But digits may say something else that is as possible, where nothing counts the symbols.
    CHECK(accepted <= (can_select ? 0 : words.size() * 64 / 4));
    for (std::size_t size = 0; size < words.size(); ++size) {
      HuffmanMatrix matrix;
      CHECK(HuffmanMatrix::Open(placed.words().first(size), matrix).code() ==
            ErrorCode::kCorruption);
    }
  }
}

}  // namespace
}  // namespace dentate::succinct
