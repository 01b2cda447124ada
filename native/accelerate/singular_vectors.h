// The first right singular vectors of many groups of rows, ragged: what atoms are found by.
//
// Of a group A of n rows of d values let B be A or its transpose, so that B has m = min(n, d) rows.
//
//   few rows (m <= kMostDirect, or a rank above m / 8)
//       the Gram matrix B B^T in double precision and all its eigenvectors u
//       (atoms/symmetric_eigen.h); then v = A^T u / |A^T u| where B is A, and v = u where it isn't.
//       The singular value is |A^T u|, or |A v|, not the root of the eigenvalue, which knows only
//       half of the digits
//   many        Davidson's method (atoms/basis.h), which looks for the first ones only
//
// Precision: double, rounded to float at the end. A vector is as good as its squared singular value
// is apart from the next, in units of 2^-53 times the largest. Squared values up to
// atoms::kNegligible times the largest count for none.
//
// Cost: n m d / 2 multiply-adds for the Gram matrix, about 9 m^3 for its eigenvectors.
// Memory: a thread holds one group, as doubles, and its Gram matrix.
// Threads: each of options.threads takes the next group that none has begun; what is found doesn't
// depend on which.

#ifndef DENTATE_ACCELERATE_SINGULAR_VECTORS_H_
#define DENTATE_ACCELERATE_SINGULAR_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/status.h"
#include "hamming/matches.h"

namespace dentate::accelerate {

inline constexpr std::size_t kMostDirect = 64;

// Group g is rows [offsets[g], offsets[g + 1]).
struct VectorGroups {
  std::span<const float> rows;
  std::size_t dimensions;
  std::span<const std::uint32_t> offsets;
};

// Of each group `rank` vectors of unit length, those of the largest singular values, and the
// values; zeros beyond the group's own rank. A vector's product with the sum of the group's rows is
// not negative. kAborted where options.cancelled said so. REQUIRES: finite rows; offsets ascend
// from 0 to the number of rows; rank > 0; `values` holds `rank` floats a group, `vectors` as many
// times the dimensions.
Status SingularVectors(const VectorGroups& groups, std::size_t rank,
                       const hamming::SearchOptions& options, std::span<float> vectors,
                       std::span<float> values);

}  // namespace dentate::accelerate

#endif  // DENTATE_ACCELERATE_SINGULAR_VECTORS_H_
