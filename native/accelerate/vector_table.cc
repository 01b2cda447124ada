#include "accelerate/vector_table.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "accelerate/exact_cosine.h"
#include "vectors/dense.h"

namespace dentate::accelerate {
namespace {

constexpr std::size_t StrideOf(std::size_t dimensions) {
  return (dimensions + vectors::kFloatLanes - 1) / vectors::kFloatLanes * vectors::kFloatLanes;
}

bool IsOrdinary(double length) {
  return length >= std::ldexp(1.0, -kOrdinary) && length <= std::ldexp(1.0, kOrdinary);
}

}  // namespace

VectorTable::VectorTable(std::size_t rows, std::size_t dimensions)
    : dimensions_(dimensions),
      stride_(StrideOf(dimensions)),
      capacity_(rows),
      values_(hamming::MakeHugeArray<float>((rows + kTileRows) * stride_)) {
  assert(dimensions > 0 && dimensions <= kMaxDimensions && rows <= kMaxRows);
  inverses_.reserve(rows);
  std::fill_n(values_.get() + rows * stride_, kTileRows * stride_, 0.0F);
}

void VectorTable::Append(std::span<const float> vectors) {
  assert(vectors.size() % dimensions_ == 0);
  assert(vectors.size() / dimensions_ <= capacity_ - size());
  for (std::size_t at = 0; at < vectors.size(); at += dimensions_) AppendOne(vectors.data() + at);
}

void VectorTable::AppendOne(const float* vector) {
  float* row = values_.get() + size() * stride_;
  std::copy_n(vector, dimensions_, row);
  std::fill(row + dimensions_, row + stride_, 0.0F);
  double length = std::sqrt(SquaresOf(row, stride_));
  int exponent = 0;
  if (length > 0 && !IsOrdinary(length)) {
    exponent = std::ilogb(length);
    for (std::size_t j = 0; j < dimensions_; ++j) {
      row[j] = static_cast<float>(std::ldexp(static_cast<double>(row[j]), -exponent));
    }
    length = std::sqrt(SquaresOf(row, stride_));
  }
  if (exponent != 0 && exponents_.empty()) {
    exponents_.reserve(capacity_);
    exponents_.resize(size());
  }
  if (exponent != 0 || !exponents_.empty()) {
    exponents_.push_back(static_cast<std::int16_t>(exponent));
  }
  inverses_.push_back(length > 0 ? static_cast<float>(1 / length) : 0.0F);
}

std::size_t VectorTable::SizeInBytes() const noexcept {
  return (capacity_ + kTileRows) * stride_ * sizeof(float) + inverses_.capacity() * sizeof(float) +
         exponents_.capacity() * sizeof(std::int16_t);
}

}  // namespace dentate::accelerate
