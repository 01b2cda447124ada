#include "atoms/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace dentate::atoms {
namespace {

// QL steps before an eigenvalue is taken as it is; two or three are usual.
constexpr int kMostSteps = 60;

// A symmetric tridiagonal matrix, and the orthogonal rows Q with A = Q^T T Q.
struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> below;  // below[i] couples i and i + 1
  std::vector<double> q;
};

// Reflects rows and columns k + 1 .. n of `a` so that column k is zero from k + 2 on.
Tridiagonal Reduce(std::vector<double>& a, std::size_t n) {
  Tridiagonal t{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n * n)};
  for (std::size_t i = 0; i < n; ++i) t.q[i * n + i] = 1;
  std::vector<double> v(n);
  std::vector<double> p(n);
  for (std::size_t k = 0; k + 2 < n; ++k) {
    double squares = 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      v[i] = a[i * n + k];
      squares += v[i] * v[i];
    }
    const double length = std::sqrt(squares);
    if (squares - v[k + 1] * v[k + 1] <= 0) continue;  // already zero from k + 2 on
    const double alpha = v[k + 1] > 0 ? -length : length;
    v[k + 1] -= alpha;
    const double beta = 1 / (squares - alpha * a[(k + 1) * n + k]);  // 2 / |v|^2
    // A <- A - v w^T - w v^T, with w = beta A v - beta^2 (v^T A v) / 2 v.
    double vp = 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = k + 1; j <= i; ++j) sum += a[i * n + j] * v[j];
      for (std::size_t j = i + 1; j < n; ++j) sum += a[j * n + i] * v[j];
      p[i] = beta * sum;
      vp += v[i] * p[i];
    }
    for (std::size_t i = k + 1; i < n; ++i) p[i] -= beta * vp / 2 * v[i];
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j <= i; ++j) a[i * n + j] -= v[i] * p[j] + p[i] * v[j];
    }
    a[(k + 1) * n + k] = alpha;
    // Q <- (I - beta v v^T) Q.
    std::fill(p.begin(), p.end(), 0);
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) p[j] += beta * v[i] * t.q[i * n + j];
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) t.q[i * n + j] -= v[i] * p[j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    t.diagonal[i] = a[i * n + i];
    if (i + 1 < n) t.below[i] = a[(i + 1) * n + i];
  }
  return t;
}

// Turns rows i and i + 1 of Q by (cosine, sine).
void Rotate(Tridiagonal& t, std::size_t n, std::size_t i, double cosine, double sine) {
  double* upper = t.q.data() + i * n;
  double* lower = upper + n;
  for (std::size_t j = 0; j < n; ++j) {
    const double high = lower[j];
    lower[j] = sine * upper[j] + cosine * high;
    upper[j] = cosine * upper[j] - sine * high;
  }
}

// One implicit QL step on the block [from, to], chasing the bulge upwards.
void Step(Tridiagonal& t, std::size_t n, std::size_t from, std::size_t to) {
  std::vector<double>& d = t.diagonal;
  std::vector<double>& e = t.below;
  double shift = (d[from + 1] - d[from]) / (2 * e[from]);
  const double root = std::sqrt(shift * shift + 1);
  double g = d[to] - d[from] + e[from] / (shift + std::copysign(root, shift));
  double sine = 1;
  double cosine = 1;
  double taken = 0;
  for (std::size_t i = to; i-- > from;) {
    const double f = sine * e[i];
    const double b = cosine * e[i];
    const double radius = std::sqrt(f * f + g * g);
    e[i + 1] = radius;
    if (radius == 0) {  // the block has fallen apart
      d[i + 1] -= taken;
      e[to] = 0;
      return;
    }
    sine = f / radius;
    cosine = g / radius;
    shift = d[i + 1] - taken;
    const double turned = (d[i] - shift) * sine + 2 * cosine * b;
    taken = sine * turned;
    d[i + 1] = shift + taken;
    g = cosine * turned - b;
    Rotate(t, n, i, cosine, sine);
  }
  d[from] -= taken;
  e[from] = g;
  e[to] = 0;
}

void Diagonalize(Tridiagonal& t, std::size_t n) {
  for (std::size_t from = 0; from < n; ++from) {
    for (int step = 0; step < kMostSteps; ++step) {
      std::size_t to = from;
      for (; to + 1 < n; ++to) {
        const double scale = std::fabs(t.diagonal[to]) + std::fabs(t.diagonal[to + 1]);
        if (std::fabs(t.below[to]) <= std::numeric_limits<double>::epsilon() * scale) break;
      }
      if (to == from) break;
      Step(t, n, from, to);
    }
  }
}

}  // namespace

Eigen SymmetricEigen(std::vector<double> matrix, std::size_t n) {
  Tridiagonal t = Reduce(matrix, n);
  Diagonalize(t, n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return t.diagonal[left] > t.diagonal[right];
  });
  Eigen eigen{std::vector<double>(n), std::vector<double>(n * n)};
  for (std::size_t i = 0; i < n; ++i) {
    eigen.values[i] = t.diagonal[order[i]];
    const auto row = std::span(t.q).subspan(order[i] * n, n);
    std::copy(row.begin(), row.end(), eigen.vectors.begin() + static_cast<std::ptrdiff_t>(i * n));
  }
  return eigen;
}

}  // namespace dentate::atoms
