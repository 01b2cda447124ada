// The reference: lanes as dense.h draws them, in plain arrays. The compiler makes SSE2 of it.

#include "vectors/dense_kernels.h"

namespace dentate::vectors {
namespace {

// Adds the upper half of the lanes to the lower one until one is left.
template <typename T, std::size_t kLanes>
T SumOf(T (&lanes)[kLanes]) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0];
}

void FloatDots(const float* query, const float* rows, std::size_t stride, std::size_t count,
               float* dots) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    float lanes[kFloatLanes] = {};
    for (std::size_t j = 0; j < stride; j += kFloatLanes) {
      for (std::size_t l = 0; l < kFloatLanes; ++l) lanes[l] += query[j + l] * row[j + l];
    }
    dots[i] = SumOf(lanes);
  }
}

void ByteDots(const std::int8_t* query, const std::int8_t* rows, std::size_t stride,
              std::size_t count, std::int32_t* dots) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int8_t* row = rows + i * stride;
    std::int32_t sum = 0;
    for (std::size_t j = 0; j < stride; ++j) {
      sum += static_cast<std::int32_t>(query[j]) * static_cast<std::int32_t>(row[j]);
    }
    dots[i] = sum;
  }
}

void Project(const double* query, const float* rows, std::size_t stride, std::size_t count,
             double* dots) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    double lanes[kDoubleLanes] = {};
    for (std::size_t j = 0; j < stride; j += kDoubleLanes) {
      for (std::size_t l = 0; l < kDoubleLanes; ++l) {
        lanes[l] += query[j + l] * static_cast<double>(row[j + l]);
      }
    }
    dots[i] = SumOf(lanes);
  }
}

void Accumulate(const double* weights, const float* rows, std::size_t stride, std::size_t count,
                double* sum) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    for (std::size_t j = 0; j < stride; ++j) sum[j] += weights[i] * static_cast<double>(row[j]);
  }
}

}  // namespace

const DenseKernels kScalarDenseKernels = {Isa::kScalar, FloatDots, ByteDots, Project, Accumulate};

}  // namespace dentate::vectors
