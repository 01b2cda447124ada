// Cosines in double precision: what decides between the rows that a fast kernel proposes.
//
// A sum has a fixed shape, eight lanes that are added at the end, and products are rounded on their
// own (no fused multiply-add): the same bits on every machine. Its error is a few units of 2^-53,
// so that a float is rounded from it as from the true cosine but where that lies within 1e-15 of a
// midpoint.

#ifndef DENTATE_ACCELERATE_EXACT_COSINE_H_
#define DENTATE_ACCELERATE_EXACT_COSINE_H_

#include <cstddef>

namespace dentate::accelerate {

// The sum of row[j]^2, j < stride. REQUIRES: stride is a multiple of 16, as it is everywhere below.
double SquaresOf(const float* row, std::size_t stride) noexcept;

// The cosine of two rows, as a float from -1 to 1; 0 where one is all zeros. `squares` is
// SquaresOf(query).
float ExactCosine(const float* query, double squares, const float* row,
                  std::size_t stride) noexcept;

}  // namespace dentate::accelerate

#endif  // DENTATE_ACCELERATE_EXACT_COSINE_H_
