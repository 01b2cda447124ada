#include "succinct/kernels.h"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <random>
#include <string>

namespace dentate::succinct {

TEST_CASE("the table DENTATE_KERNEL names is the one in use") {
  const char* forced = std::getenv("DENTATE_KERNEL");
  if (forced == nullptr) return;
  CHECK(std::string(ActiveKernels().name) == forced);
}

TEST_CASE("every table counts the ones before each position of a line") {
  std::mt19937_64 random(7);
  std::array<std::uint64_t, 7> words{};
  for (auto& word : words) word = random();
  for (const Kernels* kernels : SupportedKernels()) {
    CAPTURE(kernels->name);
    std::uint32_t expected = 0;
    for (std::uint32_t i = 0; i <= 448; ++i) {
      CHECK(kernels->count_ones(words.data(), i) == expected);
      if (i < 448) expected += static_cast<std::uint32_t>(words[i / 64] >> i % 64 & 1);
    }
  }
}

TEST_CASE("every table selects each one of a word") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::uint64_t word = random();
    for (int i = 0; i < round % 6; ++i) word &= random();
    if (round == 0) word = ~std::uint64_t{0};
    const auto count = static_cast<std::uint32_t>(std::popcount(word));
    for (const Kernels* kernels : SupportedKernels()) {
      std::uint64_t rest = word;
      for (std::uint32_t k = 0; k < count; ++k, rest &= rest - 1) {
        REQUIRE(kernels->select_in_word(word, k) ==
                static_cast<std::uint32_t>(std::countr_zero(rest)));
      }
    }
  }
}

}  // namespace dentate::succinct
