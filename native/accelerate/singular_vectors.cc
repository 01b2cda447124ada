#include "accelerate/singular_vectors.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <vector>

#include "atoms/basis.h"
#include "atoms/symmetric_eigen.h"
#include "hamming/parallel.h"
#include "vectors/dense.h"

namespace dentate::accelerate {
namespace {

// Of Davidson's method: |C v - s v| for the largest s of C = A^T A.
constexpr double kResidual = 1e-12;

std::size_t StrideOf(std::size_t values) {
  return (values + vectors::kFloatLanes - 1) / vectors::kFloatLanes * vectors::kFloatLanes;
}

double Dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// Where the answer of one group goes.
struct Answer {
  std::size_t rank;
  std::span<float> vectors;
  std::span<float> values;
};

// One thread's: what is made for a group and taken again for the next.
class Solver {
 public:
  explicit Solver(std::size_t dimensions) : dimensions_(dimensions), sum_(StrideOf(dimensions)) {}

  void Solve(std::span<const float> rows, const Answer& answer) {
    const std::size_t count = rows.size() / dimensions_;
    const std::size_t least = std::min(count, dimensions_);
    if (least == 0) return;
    Pad(rows, count);
    SumRows(count);
    if (least <= kMostDirect || answer.rank > least / 8) {
      Directly(count, answer);
    } else {
      ByDavidson(count, answer);
    }
  }

 private:
  // A, each row padded with zeros to whole cache lines.
  void Pad(std::span<const float> rows, std::size_t count) {
    const std::size_t stride = StrideOf(dimensions_);
    padded_.assign(count * stride, 0);
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(rows.data() + i * dimensions_, dimensions_, padded_.data() + i * stride);
    }
  }

  void SumRows(std::size_t count) {
    std::fill(sum_.begin(), sum_.end(), 0.0);
    weights_.assign(count, 1.0);
    vectors::ActiveDenseKernels().accumulate(weights_.data(), padded_.data(), sum_.size(), count,
                                             sum_.data());
  }

  void Transpose(std::size_t count) {
    const std::size_t stride = StrideOf(count);
    transposed_.assign(dimensions_ * stride, 0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < dimensions_; ++j) {
        transposed_[j * stride + i] = padded_[i * sum_.size() + j];
      }
    }
  }

  void Directly(std::size_t count, const Answer& answer) {
    const bool wide = count <= dimensions_;
    if (!wide) Transpose(count);
    const std::vector<float>& b = wide ? padded_ : transposed_;
    const std::size_t m = wide ? count : dimensions_;
    const std::size_t stride = b.size() / m;
    const vectors::DenseKernels& kernels = vectors::ActiveDenseKernels();
    std::vector<double> gram(m * m);
    row_.assign(stride, 0);
    for (std::size_t i = 0; i < m; ++i) {
      std::copy_n(b.data() + i * stride, stride, row_.data());
      kernels.project(row_.data(), b.data(), stride, i + 1, gram.data() + i * m);
    }
    const atoms::Eigen eigen = atoms::SymmetricEigen(std::move(gram), m);
    double first = 0;
    for (std::size_t r = 0; r < std::min(answer.rank, m); ++r) {
      const auto u = std::span(eigen.vectors).subspan(r * m, m);
      row_.assign(stride, 0);  // B^T u
      kernels.accumulate(u.data(), b.data(), stride, m, row_.data());
      const double value = std::sqrt(Dot(row_, row_));
      if (r == 0) first = value;
      if (value * value <= atoms::kNegligible * first * first) break;
      if (wide) {
        Write(std::span(row_).first(dimensions_), value, r, value, answer);
      } else {
        Write(u, 1, r, value, answer);
      }
    }
  }

  void ByDavidson(std::size_t count, const Answer& answer) {
    const atoms::Basis basis =
        atoms::FirstSingularVectors(padded_.data(), sum_.size(), count, answer.rank, {}, kResidual);
    for (std::size_t r = 0; r < basis.rank; ++r) {
      const auto vector = std::span(basis.vectors).subspan(r * sum_.size(), dimensions_);
      row_.assign(vector.begin(), vector.end());
      Write(row_, 1, r, std::sqrt(basis.squared_singular_values[r]), answer);
    }
  }

  // Vector `r`, of `length`.
  void Write(std::span<const double> vector, double length, std::size_t r, double value,
             const Answer& answer) {
    const double factor = (Dot(vector, std::span(sum_).first(dimensions_)) < 0 ? -1 : 1) / length;
    float* to = answer.vectors.data() + r * dimensions_;
    for (std::size_t j = 0; j < dimensions_; ++j) to[j] = static_cast<float>(factor * vector[j]);
    answer.values[r] = static_cast<float>(value);
  }

  const std::size_t dimensions_;
  std::vector<float> padded_;
  std::vector<float> transposed_;
  std::vector<double> sum_;
  std::vector<double> weights_;
  std::vector<double> row_;
};

}  // namespace

Status SingularVectors(const VectorGroups& groups, std::size_t rank,
                       const hamming::SearchOptions& options, std::span<float> vectors,
                       std::span<float> values) {
  const std::size_t count = groups.offsets.size() - 1;
  assert(values.size() == count * rank && vectors.size() == values.size() * groups.dimensions);
  std::fill(vectors.begin(), vectors.end(), 0.0F);
  std::fill(values.begin(), values.end(), 0.0F);
  // A byte of a group is far more work than one that is only read.
  constexpr std::size_t kWork = 64;
  const std::size_t parts = hamming::PartCount(groups.rows.size_bytes() * kWork, options.threads);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> aborted{false};
  hamming::ForEachPart(0, parts, parts, [&](std::size_t, std::size_t, std::size_t) {
    Solver solver(groups.dimensions);
    for (std::size_t g = next++; g < count && !aborted; g = next++) {
      if (options.cancelled && options.cancelled()) aborted = true;
      const std::size_t begin = groups.offsets[g] * groups.dimensions;
      const std::size_t end = groups.offsets[g + 1] * groups.dimensions;
      solver.Solve(groups.rows.subspan(begin, end - begin),
                   {rank, vectors.subspan(g * rank * groups.dimensions, rank * groups.dimensions),
                    values.subspan(g * rank, rank)});
    }
  });
  return aborted ? Status(ErrorCode::kAborted, "the operation was aborted") : Status::Ok();
}

}  // namespace dentate::accelerate
