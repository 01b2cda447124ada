// Eigenvalues and vectors of a symmetric matrix of up to 64, by one block in shared memory.
//
// Two-sided Jacobi (Golub & Van Loan, Matrix Computations, 8.5): a rotation zeroes one pair's
// element, and size/2 disjoint pairs turn at once. The rounds of a tournament meet all pairs in
// size - 1 rounds: player 0 stays, the others move on by one. It converges quadratically: six to
// ten sweeps. Float64.

#ifndef DENTATE_CUDA_KERNELS_JACOBI_H_
#define DENTATE_CUDA_KERNELS_JACOBI_H_

#include "cuda/device_code.h"

namespace dentate::cuda {

inline constexpr std::uint32_t kMostBasis = 64;
inline constexpr std::uint32_t kMatrixStride = kMostBasis + 1;  // odd: columns lie in all banks
inline constexpr std::uint32_t kMostSweeps = 30;

// In shared memory.
struct JacobiMemory {
  double matrix[kMostBasis * kMatrixStride];
  double vectors[kMostBasis * kMatrixStride];  // eigenvector c is column c
  double cosines[kMostBasis / 2];
  double sines[kMostBasis / 2];
  double sums[32];                  // of a block's warps
  double parts[kMostBasis];         // of a vector in others' directions
  double values[kMostBasis];        // in order
  std::uint32_t order[kMostBasis];  // of the columns: the largest value first
  std::uint32_t turned;
};

// The players of pair `pair` in `round`, of `count` players, an even number.
DENTATE_DEVICE void PairOf(std::uint32_t pair, std::uint32_t round, std::uint32_t count,
                           std::uint32_t& p, std::uint32_t& q) {
  const std::uint32_t ring = count - 1;
  const std::uint32_t a = pair == 0 ? 0 : 1 + (pair - 1 + round) % ring;
  const std::uint32_t b = 1 + (ring - 1 - pair + round) % ring;
  p = a < b ? a : b;
  q = a < b ? b : a;
}

// REQUIRES: `matrix` holds the symmetric matrix, size by size; a barrier since. Ends with a
// barrier.
template <class Thread>
DENTATE_DEVICE void Jacobi(Thread& thread, JacobiMemory& m, std::uint32_t size) {
  const std::uint32_t even = size + size % 2;
  const std::uint32_t pairs = even / 2;
  for (std::uint32_t i = thread.index(); i < even * even; i += thread.size()) {
    const std::uint32_t row = i / even;
    const std::uint32_t column = i % even;
    m.vectors[row * kMatrixStride + column] = row == column ? 1 : 0;
    if (row >= size || column >= size) m.matrix[row * kMatrixStride + column] = 0;
  }
  thread.Sync();
  double trace = 0;
  for (std::uint32_t i = 0; i < size; ++i) trace += m.matrix[i * kMatrixStride + i];
  const double negligible = 1e-17 * trace;
  for (std::uint32_t sweep = 0; sweep < kMostSweeps && even > 1; ++sweep) {
    if (thread.index() == 0) m.turned = 0;
    thread.Sync();
    for (std::uint32_t round = 0; round + 1 < even; ++round) {
      std::uint32_t p = 0;
      std::uint32_t q = 0;
      for (std::uint32_t pair = thread.index(); pair < pairs; pair += thread.size()) {
        PairOf(pair, round, even, p, q);
        const double off = m.matrix[p * kMatrixStride + q];
        const double a = m.matrix[p * kMatrixStride + p];
        const double b = m.matrix[q * kMatrixStride + q];
        double cosine = 1;
        double sine = 0;
        if (fabs(off) > negligible) {
          const double zeta = (b - a) / (2 * off);
          const double tangent = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
          cosine = 1 / sqrt(1 + tangent * tangent);
          sine = cosine * tangent;
          // Worth another sweep only where it changes a direction.
          if (fabs(off) > 1e-15 * sqrt(fabs(a * b)) + negligible) thread.AtomicMax(&m.turned, 1);
        }
        m.cosines[pair] = cosine;
        m.sines[pair] = sine;
      }
      thread.Sync();
      for (std::uint32_t i = thread.index(); i < pairs * even; i += thread.size()) {
        const std::uint32_t pair = i / even;
        const std::uint32_t column = i % even;
        PairOf(pair, round, even, p, q);
        double& x = m.matrix[p * kMatrixStride + column];
        double& y = m.matrix[q * kMatrixStride + column];
        const double old = x;
        x = m.cosines[pair] * old - m.sines[pair] * y;
        y = m.sines[pair] * old + m.cosines[pair] * y;
      }
      thread.Sync();
      for (std::uint32_t i = thread.index(); i < 2 * pairs * even; i += thread.size()) {
        double* const of = i < pairs * even ? m.matrix : m.vectors;
        const std::uint32_t pair = i / even % pairs;
        const std::uint32_t row = i % even;
        PairOf(pair, round, even, p, q);
        double& x = of[row * kMatrixStride + p];
        double& y = of[row * kMatrixStride + q];
        const double old = x;
        x = m.cosines[pair] * old - m.sines[pair] * y;
        y = m.sines[pair] * old + m.cosines[pair] * y;
      }
      thread.Sync();
    }
    const bool is_done = m.turned == 0;
    thread.Sync();
    if (is_done) break;
  }
  // A column's place is how many values come before it.
  for (std::uint32_t i = thread.index(); i < size; i += thread.size()) {
    const double value = m.matrix[i * kMatrixStride + i];
    std::uint32_t place = 0;
    for (std::uint32_t j = 0; j < size; ++j) {
      const double other = m.matrix[j * kMatrixStride + j];
      place += other > value || (other == value && j < i) ? 1 : 0;
    }
    m.order[place] = i;
    m.values[place] = value;
  }
  thread.Sync();
}

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_KERNELS_JACOBI_H_
