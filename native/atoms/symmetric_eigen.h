// Eigenvalues and eigenvectors of a small dense symmetric matrix.
//
// Householder reflections bring it to tridiagonal form, implicit QL steps with Wilkinson's shift to
// diagonal form (Golub and Van Loan, "Matrix Computations", 8.3). O(n^3). All in a fixed order: the
// same bits on every machine.

#ifndef DENTATE_ATOMS_SYMMETRIC_EIGEN_H_
#define DENTATE_ATOMS_SYMMETRIC_EIGEN_H_

#include <cstddef>
#include <vector>

namespace dentate::atoms {

struct Eigen {
  std::vector<double> values;   // descending
  std::vector<double> vectors;  // row i belongs to values[i]; rows are orthonormal
};

// Of the n * n matrix, row after row; only its lower triangle is read. REQUIRES: their squares are
// finite.
Eigen SymmetricEigen(std::vector<double> matrix, std::size_t n);

}  // namespace dentate::atoms

#endif  // DENTATE_ATOMS_SYMMETRIC_EIGEN_H_
