// The reference: one row after the other, sixteen queries at a time, which compilers make vectors
// of.

#include "accelerate/cosine_kernels.h"

namespace dentate::accelerate {
namespace {

void Products(const float* query, const float* rows, std::size_t stride, std::size_t count,
              float* products) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    float sums[kPanelLanes] = {};
    for (std::size_t j = 0; j < stride; j += kPanelLanes) {
      for (std::size_t l = 0; l < kPanelLanes; ++l) sums[l] += query[j + l] * row[j + l];
    }
    float sum = 0;
    for (const float each : sums) sum += each;
    products[i] = sum;
  }
}

std::size_t Hits(const float* panel, std::size_t width, const float* rows, std::size_t stride,
                 std::size_t count, const float* inverses, const float* least, Hit* hits) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    for (std::size_t first = 0; first < width; first += kPanelLanes) {
      float sums[kPanelLanes] = {};
      for (std::size_t j = 0; j < stride; ++j) {
        const float* values = panel + j * width + first;
        for (std::size_t q = 0; q < kPanelLanes; ++q) sums[q] += row[j] * values[q];
      }
      for (std::size_t q = 0; q < kPanelLanes; ++q) {
        const float cosine = sums[q] * inverses[i];
        if (cosine < least[first + q]) continue;
        hits[found++] = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(first + q),
                         cosine};
      }
    }
  }
  return found;
}

}  // namespace

const CosineKernels kScalarCosineKernels = {Isa::kScalar, Products, Hits};

}  // namespace dentate::accelerate
