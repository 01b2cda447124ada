// Compares every answer of a dynamic wavelet matrix with the plain sequence.

#ifndef DENTATE_TEST_SUCCINCT_CHECK_MATRIX_H_
#define DENTATE_TEST_SUCCINCT_CHECK_MATRIX_H_

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "succinct/dynamic_wavelet_matrix.h"

namespace dentate::succinct::test {

using Positions = std::map<std::uint32_t, std::vector<std::uint32_t>>;

// Batches of random queries, and short intervals.
inline void CheckBatches(const DynamicWaveletMatrix& matrix, const std::vector<std::uint32_t>& text,
                         const Positions& occurrences) {
  std::mt19937 random(static_cast<std::uint32_t>(text.size()));
  const auto size = matrix.size();
  for (const std::uint32_t count : {1U, 63U, 64U, 65U, 200U}) {
    std::vector<std::uint32_t> symbols(count);
    std::vector<std::uint32_t> at(count);
    std::vector<std::uint32_t> ends(count);
    std::vector<std::uint32_t> ks(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      symbols[i] = text[random() % size];
      if (i % 16 == 5) symbols[i] ^= 1;
      if (i % 16 == 9) symbols[i] = static_cast<std::uint32_t>(random());
      at[i] = static_cast<std::uint32_t>(random() % size);
      ends[i] = static_cast<std::uint32_t>(random() % (size + 1));
      ks[i] = static_cast<std::uint32_t>(random() % (matrix.Count(symbols[i]) + 2));
    }
    std::vector<std::uint32_t> out(count);
    matrix.AccessMany(at, out.data());
    for (std::uint32_t i = 0; i < count; ++i) REQUIRE(out[i] == text[at[i]]);
    matrix.RankMany(symbols, ends, out.data());
    for (std::uint32_t i = 0; i < count; ++i) REQUIRE(out[i] == matrix.Rank(symbols[i], ends[i]));
    matrix.SelectMany(symbols, ks, out.data());
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto found = occurrences.find(symbols[i]);
      const bool exists = found != occurrences.end() && ks[i] < found->second.size();
      REQUIRE(out[i] == (exists ? found->second[ks[i]] : DynamicWaveletMatrix::kNotFound));
    }
    const std::uint32_t start = at[0];
    const std::uint32_t end = std::min(size, start + count);
    std::vector<std::uint32_t> span(end - start);
    matrix.AccessRange(start, end, span.data());
    REQUIRE(std::equal(span.begin(), span.end(), text.begin() + start));
  }
}

// Range queries over random intervals, against sorting.
inline void CheckRanges(const DynamicWaveletMatrix& matrix,
                        const std::vector<std::uint32_t>& text) {
  std::mt19937 random(static_cast<std::uint32_t>(text.size()) + 1);
  const auto size = matrix.size();
  const auto random_range = [&](std::uint32_t longest) {
    const auto start = static_cast<std::uint32_t>(random() % (size + 1));
    const auto length = static_cast<std::uint32_t>(random() % (std::uint64_t{longest} + 1));
    const auto end = std::min(size, start + length);
    return Interval{start, end};
  };
  for (const std::uint32_t longest : {0U, 1U, 7U, 300U, 3000U, size}) {
    const Interval range = random_range(longest);
    CAPTURE(range.start);
    CAPTURE(range.end);
    std::vector<std::uint32_t> sorted(text.begin() + range.start, text.begin() + range.end);
    std::sort(sorted.begin(), sorted.end());
    std::vector<SymbolCount> distinct;
    for (const std::uint32_t symbol : sorted) {
      if (distinct.empty() || distinct.back().symbol != symbol) distinct.push_back({symbol, 0});
      ++distinct.back().count;
    }
    REQUIRE(matrix.RangeDistinct(range.start, range.end) == distinct);

    std::stable_sort(distinct.begin(), distinct.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    const std::size_t k = random() % (distinct.size() + 2);
    distinct.resize(std::min(k, distinct.size()));
    REQUIRE(matrix.RangeTopK(range.start, range.end, k) == distinct);

    for (int i = 0; i < 5; ++i) {
      const auto nth = static_cast<std::uint32_t>(random() % (sorted.size() + 1));
      const auto quantile = matrix.RangeQuantile(range.start, range.end, nth);
      REQUIRE(quantile.has_value() == (nth < sorted.size()));
      if (quantile.has_value()) REQUIRE(*quantile == sorted[nth]);
      std::uint64_t low = text[random() % size] + std::uint64_t{random() % 2};
      std::uint64_t high = text[random() % size] + std::uint64_t{random() % 2};
      if (i == 4) high = std::uint64_t{1} << 32;
      const auto expected = std::count_if(sorted.begin(), sorted.end(), [&](std::uint32_t symbol) {
        return symbol >= low && symbol < high;
      });
      REQUIRE(matrix.RangeCount(range.start, range.end, low, high) == expected);
    }

    const std::vector<Interval> ranges = {range, random_range(longest), random_range(size)};
    std::vector<std::uint32_t> common;
    for (const auto& [candidate, count] : matrix.RangeDistinct(range.start, range.end)) {
      const std::uint32_t shared = candidate;  // which a lambda can capture
      const bool everywhere = std::all_of(ranges.begin(), ranges.end(), [&](const Interval& other) {
        return std::find(text.begin() + other.start, text.begin() + other.end, shared) !=
               text.begin() + other.end;
      });
      if (everywhere) common.push_back(shared);
    }
    REQUIRE(matrix.RangeIntersect(ranges) == common);
  }
  CHECK(matrix.RangeIntersect({}).empty());
}

// Every answer of `matrix` against the plain sequence.
inline void CheckAll(const DynamicWaveletMatrix& matrix, const std::vector<std::uint32_t>& text) {
  REQUIRE(matrix.size() == text.size());
  Positions positions;
  for (std::uint32_t i = 0; i < text.size(); ++i) {
    REQUIRE(matrix.Access(i) == text[i]);
    auto& of_symbol = positions[text[i]];
    REQUIRE(matrix.Rank(text[i], i) == of_symbol.size());
    of_symbol.push_back(i);
  }
  for (const auto& [symbol, expected] : positions) {
    REQUIRE(matrix.Count(symbol) == expected.size());
    for (std::uint32_t k = 0; k < expected.size(); ++k) {
      REQUIRE(matrix.Select(symbol, k) == expected[k]);
    }
    const auto count = static_cast<std::uint32_t>(expected.size());
    CHECK(matrix.Select(symbol, count) == DynamicWaveletMatrix::kNotFound);
    CHECK(matrix.Select(symbol, 0xffffffff) == DynamicWaveletMatrix::kNotFound);
    std::vector<std::uint32_t> found(expected.size() + 3);
    REQUIRE(matrix.Occurrences(symbol, 0, found) == expected.size());
    CHECK(std::equal(expected.begin(), expected.end(), found.begin()));
    REQUIRE(matrix.Occurrences(symbol, count / 2, std::span(found).first(1)) == 1);
    CHECK(found[0] == expected[count / 2]);
    CHECK(matrix.Occurrences(symbol, count, found) == 0);
  }
  std::vector<std::uint32_t> out(text.size());
  matrix.AccessRange(0, matrix.size(), out.data());
  CHECK(out == text);
  CheckBatches(matrix, text, positions);
  CheckRanges(matrix, text);
}

}  // namespace dentate::succinct::test

#endif  // DENTATE_TEST_SUCCINCT_CHECK_MATRIX_H_
