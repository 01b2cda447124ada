// Readers on other threads while the writer appends, leaves split, buffers move and parts are
// sealed: what ThreadSanitizer is run over.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "succinct/dynamic_wavelet_matrix.h"
#include "succinct/sequences.h"

namespace dentate::succinct {
namespace {

using test::MakeSequence;
using test::Sequence;

// Queries at random, until all of `text` is there. Counts wrong answers: doctest's assertions lock.
std::uint32_t Read(const DynamicWaveletMatrix& matrix, const std::vector<std::uint32_t>& text,
                   std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uint32_t wrong = 0;
  std::vector<std::uint32_t> symbols(80);
  std::vector<std::uint32_t> positions(80);
  std::vector<std::uint32_t> out(80);
  for (;;) {
    const std::uint32_t size = matrix.size();
    if (size == 0) continue;
    const auto at = static_cast<std::uint32_t>(random() % size);
    const std::uint32_t symbol = text[at];
    wrong += matrix.Access(at) != symbol;
    const std::uint32_t rank = matrix.Rank(symbol, at);
    wrong += matrix.Rank(symbol, at + 1) != rank + 1;
    wrong += matrix.Select(symbol, rank) != at;
    const std::uint32_t beyond = matrix.Select(symbol, matrix.Count(symbol));
    wrong += beyond != DynamicWaveletMatrix::kNotFound && beyond < size;

    const std::uint32_t end = std::min<std::uint32_t>(size, at + 80);
    matrix.AccessRange(at, end, out.data());
    wrong += !std::equal(text.begin() + at, text.begin() + end, out.begin());
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      positions[i] = static_cast<std::uint32_t>(random() % size);
      symbols[i] = text[positions[i]];
    }
    matrix.AccessMany(positions, out.data());
    wrong += out != symbols;
    std::vector<std::uint32_t> ranks(symbols.size());
    matrix.RankMany(symbols, positions, ranks.data());
    matrix.SelectMany(symbols, ranks, out.data());
    wrong += out != positions;
    const std::size_t found = matrix.Occurrences(symbol, rank, out);
    wrong += found == 0 || out[0] != at;
    for (std::size_t i = 0; i < found; ++i) wrong += text[out[i]] != symbol;
    const auto most = matrix.RangeTopK(at, end, 1);
    wrong += most.size() != 1 || matrix.RangeQuantile(at, end, 0) !=
                                     *std::min_element(text.begin() + at, text.begin() + end);
    if (size == text.size()) return wrong;
  }
}

void Run(const DynamicOptions& options) {
  const auto text = MakeSequence(Sequence::kSkewed, 18, 80000, 1);
  DynamicWaveletMatrix matrix(18, options);
  std::atomic<std::uint32_t> wrong{0};
  std::vector<std::thread> readers;
  for (std::uint32_t i = 0; i < 3; ++i) {
    readers.emplace_back([&, i] { wrong += Read(matrix, text, i); });
  }
  std::mt19937 random(9);
  for (std::size_t done = 0; done < text.size();) {
    const auto count = std::min<std::size_t>(1 + random() % 100, text.size() - done);
    matrix.Append(std::span(text).subspan(done, count));
    done += count;
    std::this_thread::yield();
  }
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
}

TEST_CASE("readers see whole appends while the live tree grows") { Run({}); }

TEST_CASE("readers see the same text while parts are sealed and merged") {
  Run({.seal_after = 10000, .largest_merge = 60000});
}

}  // namespace
}  // namespace dentate::succinct
