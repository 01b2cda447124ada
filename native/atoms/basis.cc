#include "atoms/basis.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "atoms/symmetric_eigen.h"
#include "vectors/dense.h"

namespace dentate::atoms {
namespace {

// Restarts and steps before the best vectors so far are taken as they are.
constexpr std::size_t kMostSteps = 200;
// A direction of which less is left beside the space is in it already.
constexpr double kInSpace = 1e-7;

double Dot(std::span<const double> a, std::span<const double> b) noexcept {
  // In four chains, whose additions don't wait for each other; spans are padded.
  double sums[4] = {};
  for (std::size_t j = 0; j + 4 <= a.size(); j += 4) {
    for (std::size_t l = 0; l < 4; ++l) sums[l] += a[j + l] * b[j + l];
  }
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

void AddScaled(double factor, std::span<const double> from, std::span<double> to) noexcept {
  for (std::size_t j = 0; j < to.size(); ++j) to[j] += factor * from[j];
}

class Space {
 public:
  Space(const float* rows, std::size_t stride, std::size_t count, std::size_t most)
      : rows_(rows),
        stride_(stride),
        count_(count),
        most_(most),
        v_(most * stride),
        cv_(most * stride),
        weights_(count) {}

  std::size_t size() const noexcept { return size_; }
  bool full() const noexcept { return size_ == most_; }

  // Adds what of `direction` is not in the space, if there is something, and room.
  void Add(std::vector<double> direction) {
    const double length = std::sqrt(Dot(direction, direction));
    if (full() || length == 0) return;
    for (double& value : direction) value /= length;
    for (int pass = 0; pass < 2; ++pass) {  // the second takes off what rounding left
      for (std::size_t i = 0; i < size_; ++i) AddScaled(-Dot(V(i), direction), V(i), direction);
      const double left = std::sqrt(Dot(direction, direction));
      if (left < kInSpace) return;
      for (double& value : direction) value /= left;
    }
    std::copy(direction.begin(), direction.end(), V(size_).begin());
    std::fill(CV(size_).begin(), CV(size_).end(), 0.0);
    const vectors::DenseKernels& kernels = vectors::ActiveDenseKernels();
    kernels.project(direction.data(), rows_, stride_, count_, weights_.data());
    kernels.accumulate(weights_.data(), rows_, stride_, count_, CV(size_).data());
    ++size_;
  }

  void AddSum(const std::vector<double>& weights) {
    std::vector<double> sum(stride_);
    vectors::ActiveDenseKernels().accumulate(weights.data(), rows_, stride_, count_, sum.data());
    Add(std::move(sum));
  }

  // The best vectors in the space, as combinations of it.
  Eigen Solve() const {
    std::vector<double> matrix(size_ * size_);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix[i * size_ + j] = Dot(V(i), CV(j));
    }
    return SymmetricEigen(std::move(matrix), size_);
  }

  std::vector<double> Vector(const Eigen& eigen, std::size_t i) const {
    return Combine(v_, eigen, i);
  }

  std::vector<double> Residual(const Eigen& eigen, std::size_t i) const {
    std::vector<double> residual = Combine(cv_, eigen, i);
    AddScaled(-eigen.values[i], Vector(eigen, i), residual);
    return residual;
  }

  // Leaves the span of the best `keep` vectors.
  void Restart(const Eigen& eigen, std::size_t keep) {
    std::vector<double> v;
    std::vector<double> cv;
    for (std::size_t i = 0; i < keep; ++i) {
      const auto vector = Combine(v_, eigen, i);
      const auto product = Combine(cv_, eigen, i);
      v.insert(v.end(), vector.begin(), vector.end());
      cv.insert(cv.end(), product.begin(), product.end());
    }
    std::copy(v.begin(), v.end(), v_.begin());
    std::copy(cv.begin(), cv.end(), cv_.begin());
    size_ = keep;
  }

 private:
  std::span<double> V(std::size_t i) { return std::span(v_).subspan(i * stride_, stride_); }
  std::span<double> CV(std::size_t i) { return std::span(cv_).subspan(i * stride_, stride_); }
  std::span<const double> V(std::size_t i) const {
    return std::span(v_).subspan(i * stride_, stride_);
  }
  std::span<const double> CV(std::size_t i) const {
    return std::span(cv_).subspan(i * stride_, stride_);
  }

  std::vector<double> Combine(const std::vector<double>& of, const Eigen& eigen,
                              std::size_t i) const {
    std::vector<double> sum(stride_);
    for (std::size_t j = 0; j < size_; ++j) {
      AddScaled(eigen.vectors[i * size_ + j], std::span(of).subspan(j * stride_, stride_), sum);
    }
    return sum;
  }

  const float* const rows_;
  const std::size_t stride_;
  const std::size_t count_;
  const std::size_t most_;
  std::size_t size_ = 0;
  std::vector<double> v_;
  std::vector<double> cv_;
  std::vector<double> weights_;
};

std::vector<double> Signs(std::size_t count, std::uint64_t seed) {
  std::vector<double> signs(count);
  std::uint64_t state = seed;
  for (double& sign : signs) {
    state = state * 6364136223846793005 + 1442695040888963407;  // Knuth's MMIX generator
    sign = (state >> 63) != 0 ? 1 : -1;
  }
  return signs;
}

void Start(Space& space, const float* rows, std::size_t stride, std::size_t count, std::size_t most,
           std::size_t rank, const Basis& warm) {
  if (count <= most) {
    for (std::size_t i = 0; i < count; ++i) {
      space.Add(std::vector<double>(rows + i * stride, rows + (i + 1) * stride));
    }
    return;
  }
  for (std::size_t i = 0; i < warm.rank; ++i) {
    const auto vector = std::span(warm.vectors).subspan(i * stride, stride);
    space.Add(std::vector<double>(vector.begin(), vector.end()));
  }
  space.AddSum(std::vector<double>(count, 1.0));
  const std::size_t sums = warm.rank == 0 ? rank : 2;
  for (std::size_t i = 0; i < sums; ++i) space.AddSum(Signs(count, i + 1));
}

}  // namespace

Basis FirstSingularVectors(const float* rows, std::size_t stride, std::size_t count,
                           std::size_t rank, const Basis& warm, double tolerance) {
  const std::size_t most = 4 * rank + 8;
  Space space(rows, stride, count, most);
  Start(space, rows, stride, count, most, rank, warm);
  if (space.size() == 0) return {};  // all rows are zero
  Eigen eigen = space.Solve();
  for (std::size_t step = 0; step < kMostSteps && count > most; ++step) {
    const double most_left = tolerance * eigen.values[0];
    std::vector<std::vector<double>> missing;
    for (std::size_t i = 0; i < std::min(rank, space.size()); ++i) {
      auto residual = space.Residual(eigen, i);
      if (std::sqrt(Dot(residual, residual)) > most_left) missing.push_back(std::move(residual));
    }
    if (missing.empty()) break;
    if (space.size() + missing.size() > most)
      space.Restart(eigen, std::min(2 * rank, space.size()));
    const std::size_t before = space.size();
    for (auto& residual : missing) space.Add(std::move(residual));
    if (space.size() == before) break;  // all that the rows span
    eigen = space.Solve();
  }

  std::vector<double> sum(stride);
  const std::vector<double> ones(count, 1.0);
  vectors::ActiveDenseKernels().accumulate(ones.data(), rows, stride, count, sum.data());
  Basis basis;
  for (std::size_t i = 0; i < std::min(rank, space.size()); ++i) {
    if (eigen.values[i] <= kNegligible * eigen.values[0]) break;
    const auto vector = space.Vector(eigen, i);
    const double sign = Dot(vector, sum) < 0 ? -1 : 1;
    for (const double value : vector) basis.vectors.push_back(static_cast<float>(sign * value));
    basis.squared_singular_values.push_back(eigen.values[i]);
    ++basis.rank;
  }
  return basis;
}

}  // namespace dentate::atoms
