#include "accelerate/cosine_kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace dentate::accelerate {
namespace {

std::vector<float> Floats(std::mt19937& random, std::size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

struct Block {
  std::size_t width;
  std::size_t stride;
  std::size_t count;
  std::vector<float> panel;
  std::vector<float> rows;  // kTileRows - 1 more than there are, of what must not matter
  std::vector<float> inverses;

  Block(std::mt19937& random, std::size_t w, std::size_t s, std::size_t c)
      : width(w),
        stride(s),
        count(c),
        panel(Floats(random, w * s)),
        rows(Floats(random, (c + kTileRows - 1) / kTileRows * kTileRows * s)),
        inverses(Floats(random, c)) {}

  double Exact(std::size_t row, std::size_t query, double& sizes) const {
    double sum = 0;
    sizes = 0;
    for (std::size_t j = 0; j < stride; ++j) {
      const double product = static_cast<double>(rows[row * stride + j]) *
                             static_cast<double>(panel[j * width + query]);
      sum += product;
      sizes += std::fabs(product);
    }
    sizes *= std::fabs(static_cast<double>(inverses[row]));
    return sum * static_cast<double>(inverses[row]);
  }

  std::vector<Hit> Hits(const CosineKernels& kernels, const std::vector<float>& least) const {
    std::vector<Hit> hits(count * width);
    hits.resize(kernels.hits(panel.data(), width, rows.data(), stride, count, inverses.data(),
                             least.data(), hits.data()));
    return hits;
  }
};

}  // namespace

TEST_CASE("every kernel keeps the stated bound, at every width and number of rows") {
  std::mt19937 random(1);
  for (std::size_t width = kPanelLanes; width <= kPanelQueries; width += kPanelLanes) {
    for (const std::size_t stride : {16U, 48U, 64U, 80U, 192U, 208U}) {
      for (const std::size_t count : {0U, 1U, 5U, 6U, 7U, 13U, 47U, 48U}) {
        const Block block(random, width, stride, count);
        const std::vector<float> least(width, -std::numeric_limits<float>::infinity());
        for (const Isa isa : SupportedIsas()) {
          CAPTURE(IsaName(isa));
          const auto hits = block.Hits(CosineKernelsFor(isa), least);
          REQUIRE(hits.size() == count * width);
          for (std::size_t i = 0; i < hits.size(); ++i) {
            REQUIRE(hits[i].row == i / width);
            REQUIRE(hits[i].query == i % width);
            double sizes = 0;
            const double exact = block.Exact(hits[i].row, hits[i].query, sizes);
            const double bound = (static_cast<double>(stride) + 2) / (1 << 24) * sizes;
            REQUIRE(std::fabs(static_cast<double>(hits[i].cosine) - exact) <= bound);
          }
        }
      }
    }
  }
}

TEST_CASE("every kernel keeps the bound for one query, at every stride and number of rows") {
  std::mt19937 random(3);
  for (std::size_t stride = 16; stride <= 208; stride += 16) {
    for (const std::size_t count : {0U, 1U, 2U, 7U}) {
      Block block(random, kPanelLanes, stride, count);
      std::fill(block.inverses.begin(), block.inverses.end(), 1.0F);
      std::vector<float> query(stride);
      for (std::size_t j = 0; j < stride; ++j) query[j] = block.panel[j * block.width];
      for (const Isa isa : SupportedIsas()) {
        CAPTURE(IsaName(isa));
        std::vector<float> products(count);
        CosineKernelsFor(isa).products(query.data(), block.rows.data(), stride, count,
                                       products.data());
        for (std::size_t i = 0; i < count; ++i) {
          double sizes = 0;
          const double exact = block.Exact(i, 0, sizes);
          const double bound = static_cast<double>(stride) / (1 << 24) * sizes;
          REQUIRE(std::fabs(static_cast<double>(products[i]) - exact) <= bound);
        }
      }
    }
  }
}

TEST_CASE("every kernel leaves out what is below its column's bar, and takes what is at it") {
  std::mt19937 random(2);
  for (std::size_t width = kPanelLanes; width <= kPanelQueries; width += kPanelLanes) {
    const Block block(random, width, 32, 48);
    for (const Isa isa : SupportedIsas()) {
      CAPTURE(IsaName(isa));
      const CosineKernels& kernels = CosineKernelsFor(isa);
      const std::vector<float> none(width, -std::numeric_limits<float>::infinity());
      const auto all = block.Hits(kernels, none);
      std::vector<float> least(width);
      for (std::size_t q = 0; q < width; ++q) {
        least[q] = q % 5 == 4 ? std::numeric_limits<float>::infinity()
                              : all[random() % block.count * width + q].cosine;
      }
      std::vector<Hit> expected;
      for (const Hit& hit : all) {
        if (hit.cosine >= least[hit.query]) expected.push_back(hit);
      }
      const auto actual = block.Hits(kernels, least);
      REQUIRE(actual.size() == expected.size());
      for (std::size_t i = 0; i < actual.size(); ++i) {
        CHECK(actual[i].row == expected[i].row);
        CHECK(actual[i].query == expected[i].query);
        CHECK(actual[i].cosine == expected[i].cosine);
      }
    }
  }
}

}  // namespace dentate::accelerate
