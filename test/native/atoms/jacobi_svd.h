// The oracle of the tests: a full singular value decomposition by one-sided Jacobi rotations
// (Hestenes, 1958), which shares nothing with native/atoms.

#ifndef DENTATE_TEST_NATIVE_ATOMS_JACOBI_SVD_H_
#define DENTATE_TEST_NATIVE_ATOMS_JACOBI_SVD_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace dentate::atoms {

using Matrix = std::vector<std::vector<double>>;  // rows

// The singular values of `a`, descending: the rows of A or A^T, whichever are fewer, are rotated in
// pairs until they are orthogonal; their lengths are the singular values.
inline std::vector<double> SingularValues(const Matrix& a) {
  Matrix rows = a;
  if (!a.empty() && a.size() > a[0].size()) {
    rows.assign(a[0].size(), std::vector<double>(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < a[i].size(); ++j) rows[j][i] = a[i][j];
    }
  }
  const auto dot = [](const auto& left, const auto& right) {
    double sum = 0;
    for (std::size_t j = 0; j < left.size(); ++j) sum += left[j] * right[j];
    return sum;
  };
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool turned = false;
    for (std::size_t p = 0; p + 1 < rows.size(); ++p) {
      for (std::size_t q = p + 1; q < rows.size(); ++q) {
        const double alpha = dot(rows[p], rows[p]);
        const double beta = dot(rows[q], rows[q]);
        const double gamma = dot(rows[p], rows[q]);
        if (std::fabs(gamma) <= 1e-14 * std::sqrt(alpha * beta)) continue;
        turned = true;
        const double zeta = (beta - alpha) / (2 * gamma);
        const double t = (zeta >= 0 ? 1 : -1) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t);
        const double s = c * t;
        for (std::size_t j = 0; j < rows[p].size(); ++j) {
          const double left = rows[p][j];
          rows[p][j] = c * left - s * rows[q][j];
          rows[q][j] = s * left + c * rows[q][j];
        }
      }
    }
    if (!turned) break;
  }
  std::vector<double> values;
  for (const auto& row : rows) values.push_back(std::sqrt(dot(row, row)));
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

// |A^T A v - lambda v|.
inline double ResidualOf(const Matrix& a, const std::vector<double>& v, double lambda) {
  std::vector<double> residual(v.size());
  for (std::size_t j = 0; j < v.size(); ++j) residual[j] = -lambda * v[j];
  for (const auto& row : a) {
    double with = 0;
    for (std::size_t j = 0; j < v.size(); ++j) with += row[j] * v[j];
    for (std::size_t j = 0; j < v.size(); ++j) residual[j] += with * row[j];
  }
  double squares = 0;
  for (const double value : residual) squares += value * value;
  return std::sqrt(squares);
}

}  // namespace dentate::atoms

#endif  // DENTATE_TEST_NATIVE_ATOMS_JACOBI_SVD_H_
