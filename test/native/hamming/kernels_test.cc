// Every kernel this CPU can run against a plain loop, and the forced one by name.
#include "hamming/kernels.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace dentate::hamming {
namespace {

struct Expected {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint16_t> distances;
  std::size_t verified = 0;
};

Expected Naive(const Block& block, const Probe& probe) {
  Expected expected;
  for (std::size_t i = 0; i < block.rows; ++i) {
    std::uint32_t distance = 0;
    std::uint32_t prefix = 0;
    for (std::size_t w = 0; w < probe.words; ++w) {
      if (w == probe.prefix) prefix = distance;
      distance += static_cast<std::uint32_t>(
          std::popcount(block.columns[w * block.stride + i] ^ probe.query[w]));
    }
    if (probe.prefix < probe.words && prefix <= probe.radius) ++expected.verified;
    if (distance > probe.radius) continue;
    expected.ids.push_back(block.first_id + static_cast<std::uint32_t>(i));
    expected.distances.push_back(static_cast<std::uint16_t>(distance));
  }
  return expected;
}

void Compare(const Block& block, const Probe& probe) {
  const Expected expected = Naive(block, probe);
  for (std::size_t k = 0; RunnableKernels(k) != nullptr; ++k) {
    const Kernels& kernels = *RunnableKernels(k);
    CAPTURE(kernels.name);
    CAPTURE(block.rows);
    CAPTURE(probe.words);
    CAPTURE(probe.prefix);
    CAPTURE(probe.radius);
    std::vector<std::uint32_t> ids(block.rows + kOutputSlack);
    std::vector<std::uint16_t> distances(block.rows + kOutputSlack);
    const Found found = kernels.range(block, probe, ids.data(), distances.data());
    REQUIRE(found.matches == expected.ids.size());
    REQUIRE(found.verified == expected.verified);
    ids.resize(found.matches);
    distances.resize(found.matches);
    REQUIRE(ids == expected.ids);
    REQUIRE(distances == expected.distances);
  }
}

}  // namespace

TEST_CASE("the kernel that DENTATE_KERNEL names is the active one") {
  const char* forced = std::getenv("DENTATE_KERNEL");
  const std::string expected = forced != nullptr ? forced : RunnableKernels(0)->name;
  CHECK(ActiveKernels().name == expected);
}

TEST_CASE("every kernel agrees with a plain loop at each remainder, prefix and radius") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (std::size_t words : {1, 2, 3, 4, 5, 8}) {
    for (std::size_t rows = 0; rows <= 70; ++rows) {
      // An odd stride and no padding: nothing is aligned, and the sanitizer sees any over-read.
      const std::size_t stride = rows + 1;
      std::vector<std::uint64_t> columns(words * stride - (words > 0 ? 1 : 0));
      std::vector<std::uint64_t> query(words);
      for (auto& word : query) word = random();
      // Words that differ from the query's in few bits, so that every radius finds something.
      for (std::size_t i = 0; i < columns.size(); ++i) {
        columns[i] = query[i / stride] ^ (random() & random() & (i % 3 == 0 ? random() : ~0ULL));
      }
      const Block block{columns.data(), stride, rows, 1000000};
      for (std::size_t prefix = 1; prefix <= words; ++prefix) {
        for (const std::size_t radius :
             {std::size_t{0}, words * 8, words * 14, words * 16, words * 64}) {
          Compare(block, {query.data(), words, prefix, static_cast<std::uint32_t>(radius)});
        }
      }
    }
  }
}

TEST_CASE("every kernel sums the words at each remainder") {
  std::vector<std::uint64_t> words;
  std::uint64_t expected = 0;
  for (std::size_t count = 0; count < 70; ++count) {
    for (std::size_t k = 0; RunnableKernels(k) != nullptr; ++k) {
      CAPTURE(RunnableKernels(k)->name);
      CHECK(RunnableKernels(k)->sum(words.data(), count) == expected);
    }
    words.push_back((count + 1) * 0x9e3779b97f4a7c15);
    words.shrink_to_fit();  // the sanitizer then sees any over-read
    expected += words.back();
  }
}

TEST_CASE("no sum overflows at the greatest length and distance") {
  const std::vector<std::uint64_t> ones(kMaxWords * 37, ~0ULL);
  const std::vector<std::uint64_t> zeros(kMaxWords, 0);
  const Block block{ones.data(), 37, 37, 0xffffff00};
  for (const std::size_t radius : {kMaxWords * 64 - 1, kMaxWords * 64}) {
    for (const std::size_t prefix : {std::size_t{31}, std::size_t{32}, kMaxWords}) {
      Compare(block, {zeros.data(), kMaxWords, prefix, static_cast<std::uint32_t>(radius)});
    }
  }
}

}  // namespace dentate::hamming
