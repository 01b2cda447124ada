// The first right singular vectors of a matrix whose rows are an atom's members.
//
// They are the eigenvectors of C = A^T A for its greatest eigenvalues, sigma_i^2. C, d * d, is
// never formed: a product C v is two passes over the rows. Method: Davidson's, without
// preconditioner. A space V, orthonormal, is held with C V; the eigenvectors of V^T C V give the
// best vectors in it (Rayleigh-Ritz) and their residuals C v - theta v, which are added to V until
// they are short. When V is full it restarts from its best vectors.
//
//   start, cold   the sum of the rows, and `rank` sums of them with pseudo-random signs: each
//                 direction that the rows have is in these
//   start, warm   the vectors of before, the sum, and two such sums: one more member is little news
//   few rows      the space of all rows: exact at once
//
// Result: at most `rank` vectors, descending, |C v - sigma^2 v| <= tolerance * sigma_1^2; those
// whose sigma^2 is below kNegligible * sigma_1^2 are left out. The first has <v, sum> >= 0.
//
// Cost: 4 * n * d operations for each vector that is added to V. Memory while it runs: V and C V,
// 2 (4 rank + 8) d doubles, and the rows.
//
// Source: Davidson, "The iterative calculation of a few of the lowest eigenvalues and
// corresponding eigenvectors of large real-symmetric matrices", J. Comp. Phys. 17, 1975.

#ifndef DENTATE_ATOMS_BASIS_H_
#define DENTATE_ATOMS_BASIS_H_

#include <cstddef>
#include <vector>

namespace dentate::atoms {

inline constexpr std::size_t kMaxRank = 16;
inline constexpr double kTolerance = 4e-6;
inline constexpr double kNegligible = 1e-5;

struct Basis {
  std::size_t rank = 0;
  std::vector<float> vectors;  // rank rows of `stride` values, padded with zeros
  std::vector<double> squared_singular_values;
};

// Of `count` rows of `stride` floats. `warm` is an older answer for similar rows, or empty.
// REQUIRES: rank > 0; count > 0; finite rows, padded (vectors/dense.h).
Basis FirstSingularVectors(const float* rows, std::size_t stride, std::size_t count,
                           std::size_t rank, const Basis& warm, double tolerance = kTolerance);

}  // namespace dentate::atoms

#endif  // DENTATE_ATOMS_BASIS_H_
