#include "accelerate/exact_cosine.h"

#include <algorithm>
#include <cmath>

namespace dentate::accelerate {
namespace {

constexpr std::size_t kLanes = 8;

// Eight chains, which compilers make vectors of.
struct Lanes {
  double sums[kLanes] = {};

  void Add(const float* left, const float* right) noexcept {
    for (std::size_t l = 0; l < kLanes; ++l) {
      sums[l] += static_cast<double>(left[l]) * static_cast<double>(right[l]);
    }
  }
  double Sum() const noexcept {
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  }
};

}  // namespace

double SquaresOf(const float* row, std::size_t stride) noexcept {
  Lanes squares;
  for (std::size_t j = 0; j < stride; j += kLanes) squares.Add(row + j, row + j);
  return squares.Sum();
}

float ExactCosine(const float* query, double squares, const float* row,
                  std::size_t stride) noexcept {
  Lanes products;
  Lanes own;
  for (std::size_t j = 0; j < stride; j += kLanes) {
    products.Add(query + j, row + j);
    own.Add(row + j, row + j);
  }
  const double of_row = own.Sum();
  if (squares == 0 || of_row == 0) return 0;
  const double cosine = products.Sum() / (std::sqrt(squares) * std::sqrt(of_row));
  return static_cast<float>(std::clamp(cosine, -1.0, 1.0));
}

}  // namespace dentate::accelerate
