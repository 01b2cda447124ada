#include <doctest/doctest.h>

#include <random>
#include <span>
#include <vector>

#include "succinct/dynamic_wavelet_matrix.h"

namespace dentate::succinct {

TEST_CASE("one long append takes about as much memory as many short ones") {
  std::mt19937_64 random(5);
  std::vector<std::uint32_t> text(300000);
  for (auto& symbol : text) symbol = static_cast<std::uint32_t>(random() % 5000 & random());
  DynamicWaveletMatrix at_once(13, {.seal_after = 0});
  at_once.Append(text);
  DynamicWaveletMatrix by_and_by(13, {.seal_after = 0});
  for (std::size_t i = 0; i < text.size(); i += 1000) {
    by_and_by.Append(std::span(text).subspan(i, 1000));
  }
  CHECK(at_once.SizeInBytes() < by_and_by.SizeInBytes() * 3 / 2);
}

}  // namespace dentate::succinct
