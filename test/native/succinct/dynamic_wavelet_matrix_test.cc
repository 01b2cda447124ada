#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "succinct/dynamic_wavelet_matrix.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "succinct/sequences.h"

namespace dentate::succinct {
namespace {

using test::Sequence;

using Positions = std::map<std::uint32_t, std::vector<std::uint32_t>>;

// Batches of random queries, and short intervals.
void CheckBatches(const DynamicWaveletMatrix& matrix, const std::vector<std::uint32_t>& text,
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

// Every answer of `matrix` against the plain sequence.
void CheckAll(const DynamicWaveletMatrix& matrix, const std::vector<std::uint32_t>& text) {
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
}

TEST_CASE("an empty matrix answers every query") {
  for (unsigned bits = 1; bits <= 32; ++bits) {
    const DynamicWaveletMatrix matrix(bits);
    CHECK(matrix.size() == 0);
    CHECK(matrix.Rank(0, 0) == 0);
    CHECK(matrix.Count(1) == 0);
    std::uint32_t out = 0;
    matrix.AccessRange(0, 0, &out);
    CHECK(matrix.Occurrences(0, 0, std::span(&out, 1)) == 0);
    CHECK(matrix.Select(0, 0) == DynamicWaveletMatrix::kNotFound);
  }
}

TEST_CASE("all sequences of up to 6 symbols of 2 bits") {
  for (unsigned length = 1; length <= 6; ++length) {
    for (std::uint32_t code = 0; code < 1U << (2 * length); ++code) {
      std::vector<std::uint32_t> text(length);
      for (unsigned i = 0; i < length; ++i) text[i] = code >> (2 * i) & 3;
      DynamicWaveletMatrix matrix(2);
      matrix.Append(text);
      CheckAll(matrix, text);
    }
  }
}

TEST_CASE("sequences of every kind and width") {
  for (const unsigned bits : {1U, 2U, 3U, 5U, 8U, 9U, 16U, 17U, 18U, 24U, 31U, 32U}) {
    for (const Sequence kind : test::kSequences) {
      for (const std::uint32_t length : {1U, 223U, 224U, 225U, 1023U, 1024U, 5000U, 70000U}) {
        CAPTURE(bits);
        CAPTURE(static_cast<int>(kind));
        CAPTURE(length);
        const auto text = test::MakeSequence(kind, bits, length, bits * 1000 + length);
        DynamicWaveletMatrix matrix(bits);
        std::mt19937 random(length);
        for (std::size_t done = 0; done < text.size();) {
          const auto count = std::min<std::size_t>(1 + random() % 300, text.size() - done);
          CHECK(matrix.Append(std::span(text).subspan(done, count)) == done + count);
          done += count;
        }
        CheckAll(matrix, text);
      }
    }
  }
}

TEST_CASE("symbols beyond the width do not occur") {
  DynamicWaveletMatrix matrix(3);
  matrix.Append(std::vector<std::uint32_t>{0, 7, 1});
  CHECK(matrix.Rank(8, 3) == 0);
  CHECK(matrix.Count(0xffffffff) == 0);
  CHECK(matrix.Select(8, 0) == DynamicWaveletMatrix::kNotFound);
}

}  // namespace
}  // namespace dentate::succinct
