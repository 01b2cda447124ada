// The reference: one product at a time. Also what runs on arm64, where the compiler vectorises it.

#include "vectors/kernels.h"

namespace dentate::vectors {
namespace {

void Dots(const std::int16_t* query, const std::int8_t* rows, std::size_t dimensions,
          std::size_t count, std::int32_t* dots) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int8_t* row = rows + i * dimensions;
    std::int32_t sum = 0;
    for (std::size_t j = 0; j < dimensions; ++j) {
      sum += static_cast<std::int32_t>(query[j]) * static_cast<std::int32_t>(row[j]);
    }
    dots[i] = sum;
  }
}

void Window(const std::int16_t* query, const std::int8_t* const* rows, const std::int16_t* weights,
            std::size_t count, std::size_t dimensions, std::int32_t* inner, std::int32_t* squared) {
  *inner = 0;
  *squared = 0;
  for (std::size_t j = 0; j < dimensions; ++j) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += static_cast<std::int32_t>(weights[i]) * static_cast<std::int32_t>(rows[i][j]);
    }
    *inner += sum * static_cast<std::int32_t>(query[j]);
    *squared += sum * sum;
  }
}

void AddScaled(const std::int8_t* row, std::int16_t factor, std::size_t dimensions,
               std::int32_t* sum) {
  for (std::size_t j = 0; j < dimensions; ++j) {
    sum[j] += static_cast<std::int32_t>(factor) * static_cast<std::int32_t>(row[j]);
  }
}

}  // namespace

const Kernels kScalarKernels = {Isa::kScalar, Dots, Window, AddScaled};

}  // namespace dentate::vectors
