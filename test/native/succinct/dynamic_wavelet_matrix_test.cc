#include "succinct/dynamic_wavelet_matrix.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "succinct/check_matrix.h"
#include "succinct/sequences.h"

namespace dentate::succinct {
namespace {

using test::CheckAll;
using test::Sequence;

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
