// Vectors that stay in memory to be searched, one row each, with what a cosine needs of a row.
//
//   row i         dimensions floats, then zeros up to a whole cache line (stride floats)
//   inverse i     1 / |row i|, a float; 0 where the row is all zeros
//   exponent i    the row as it came is the row as it lies times 2^exponent. 0 for all but rows
//   whose
//                 length is beyond 2^kOrdinary or below its inverse, whose squares would leave the
//                 range of a float: they are brought to a length of 1 .. 2, which loses nothing but
//                 what is 2^-126 times the row's length
//
// Behind the last row lie zeros, so that a kernel may read whole tiles of kTileRows rows.
//
// Memory: 4 * stride + 4 bytes a row, in huge pages (hamming/huge_array.h).
// Threads: one, while rows are appended; any, afterwards.

#ifndef DENTATE_ACCELERATE_VECTOR_TABLE_H_
#define DENTATE_ACCELERATE_VECTOR_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "accelerate/cosine_kernels.h"
#include "hamming/huge_array.h"

namespace dentate::accelerate {

inline constexpr int kOrdinary = 30;

class VectorTable {
 public:
  static constexpr std::size_t kMaxDimensions = std::size_t{1} << 16;
  static constexpr std::size_t kMaxRows = 0xffffffff;

  // Room for `rows` of them. REQUIRES: within the limits; dimensions > 0. Throws std::bad_alloc.
  VectorTable(std::size_t rows, std::size_t dimensions);

  std::size_t dimensions() const noexcept { return dimensions_; }
  std::size_t stride() const noexcept { return stride_; }
  std::size_t size() const noexcept { return inverses_.size(); }
  std::size_t capacity() const noexcept { return capacity_; }

  // Appends finite vectors that lie one after the other. REQUIRES: whole vectors, and room for
  // them.
  void Append(std::span<const float> vectors);

  const float* Row(std::size_t row) const noexcept { return values_.get() + row * stride_; }
  const float* inverses() const noexcept { return inverses_.data(); }
  int ExponentOf(std::size_t row) const noexcept {
    return exponents_.empty() ? 0 : exponents_[row];
  }

  // What all rows take, there or not.
  std::size_t SizeInBytes() const noexcept;

 private:
  void AppendOne(const float* vector);

  const std::size_t dimensions_;
  const std::size_t stride_;
  const std::size_t capacity_;
  hamming::HugeArray<float> values_;
  std::vector<float> inverses_;
  std::vector<std::int16_t> exponents_;  // empty while all are 0
};

}  // namespace dentate::accelerate

#endif  // DENTATE_ACCELERATE_VECTOR_TABLE_H_
