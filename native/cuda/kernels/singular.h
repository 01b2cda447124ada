// Right singular vectors of ragged groups of rows: Gram matrices by all blocks, then a block a
// group.
//
// With A a group's rows (m by d), S is A Aᵀ where m <= d, and Aᵀ A else: of size n = min(m, d). S's
// eigenvectors u give v = Aᵀ u / |Aᵀ u|, or v = u. All sums are float64 (full speed on such
// devices), so that what the square loses, the share of a value below 1e-8 of the largest, is far
// below what counts (NEGLIGIBLE).
//
//   n <= 64   Jacobi on S itself: all vectors, whatever the gaps; the usual group of an atom
//   else      subspace iteration: X <- orth(P X) with more vectors than are wanted, P = S² or S^4
//   by tiles
//             (repeated squaring: each doubles what an iteration gains); every eighth,
//             Rayleigh-Ritz with S by Jacobi, until S x - θ x is below 1e-11 of θ₁
//
// Work of a group, float64, from `Group::work` on:
//
//   n² S | n² P | n² (square of P) | n·b X | n·b Y | rank·d vectors | d sum of rows
//   └ n > 64 has all; else S alone of the first five ┘
//
// Cost: n²·d multiply-adds for S (n² / 1024 blocks a group), n³ a squaring, 2·n²·b an iteration.
// 1,000 groups of 32 rows of 384: 0.4e9 for S and some 250 rounds of Jacobi of a microsecond each,
// on 132 multiprocessors side by side well under a millisecond; 49 MB over the bus take longer (1
// to 2 ms).

#ifndef DENTATE_CUDA_KERNELS_SINGULAR_H_
#define DENTATE_CUDA_KERNELS_SINGULAR_H_

#include "cuda/kernels/jacobi.h"
#include "cuda/launches.h"

namespace dentate::cuda {

// Products that stay far below 2^32 are made in 32 bits, a device's own width.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)

inline constexpr std::uint32_t kGramTile = 32;
inline constexpr std::uint32_t kGramThreads = 256;
// A squared singular value below this share of the largest counts for none, as everywhere in the
// package.
inline constexpr double kNegligible = 1e-5;
inline constexpr std::uint32_t kMostIterations = 600;
inline constexpr std::uint32_t kIterationsBetween = 8;  // of Rayleigh-Ritz

// Where a group's parts lie in its work.
struct WorkPlan {
  double* gram;
  double* power;
  double* spare;
  double* x;
  double* y;
  double* basis;
  double* sum;
};

// float64 numbers that a group needs.
constexpr std::uint64_t WorkDoubles(std::uint64_t size, std::uint64_t basis, std::uint64_t rank,
                                    std::uint64_t dimensions) {
  const std::uint64_t iterated = basis < size ? 2 * size * size + 2 * size * basis : 0;
  return size * size + iterated + (rank + 1) * dimensions;
}

DENTATE_DEVICE WorkPlan PlanOf(const Group& group, double* work, std::uint32_t rank,
                               std::uint32_t dimensions) {
  const std::size_t square = static_cast<std::size_t>(group.size) * group.size;
  const std::size_t block = static_cast<std::size_t>(group.size) * group.basis;
  const bool is_iterated = group.basis < group.size;
  WorkPlan plan;
  plan.gram = work + group.work;
  plan.power = plan.gram + square;
  plan.spare = plan.power + (is_iterated ? square : 0);
  plan.x = plan.spare + (is_iterated ? square : 0);
  plan.y = plan.x + (is_iterated ? block : 0);
  plan.basis = plan.y + (is_iterated ? block : 0);
  plan.sum = plan.basis + static_cast<std::size_t>(rank) * dimensions;
  return plan;
}

// Adds the products of tile (row_tile, column_tile): element(i, k) of 32 rows and 32 columns at a
// time, in shared memory. REQUIRES: 256 threads.
template <class Thread, class Element>
DENTATE_DEVICE void TileProduct(Thread& thread, std::uint32_t size, std::uint64_t length,
                                std::uint32_t row_tile, std::uint32_t column_tile,
                                bool is_row_major, Element&& element, double* out, double scale) {
  constexpr std::uint32_t kStride = kGramTile + 1;
  auto* const left = reinterpret_cast<double*>(thread.shared());
  double* const right = left + kGramTile * kStride;
  const std::uint32_t x = thread.index() % kGramTile;
  const std::uint32_t y = thread.index() / kGramTile;
  constexpr std::uint32_t kRowsALane = kGramTile * kGramTile / kGramThreads;
  double sums[kRowsALane] = {};
  for (std::uint64_t first = 0; first < length; first += kGramTile) {
    for (std::uint32_t i = thread.index(); i < kGramTile * kGramTile; i += thread.size()) {
      // Neighbouring threads read neighbouring numbers, along k or along i.
      const std::uint32_t fast = i % kGramTile;
      const std::uint32_t slow = i / kGramTile;
      const std::uint32_t row = is_row_major ? slow : fast;
      const std::uint32_t k = is_row_major ? fast : slow;
      const std::uint32_t a = row_tile * kGramTile + row;
      const std::uint32_t b = column_tile * kGramTile + row;
      const bool is_in = first + k < length;
      left[row * kStride + k] = is_in && a < size ? element(a, first + k) : 0;
      right[row * kStride + k] = is_in && b < size ? element(b, first + k) : 0;
    }
    thread.Sync();
    for (std::uint32_t k = 0; k < kGramTile; ++k) {
      const double other = right[x * kStride + k];
      DENTATE_UNROLL
      for (std::uint32_t i = 0; i < kRowsALane; ++i) {
        sums[i] += left[(y * kRowsALane + i) * kStride + k] * other;
      }
    }
    thread.Sync();
  }
  DENTATE_UNROLL
  for (std::uint32_t i = 0; i < kRowsALane; ++i) {
    const std::uint32_t row = row_tile * kGramTile + y * kRowsALane + i;
    const std::uint32_t column = column_tile * kGramTile + x;
    if (row >= size || column >= size) continue;
    // Symmetric: the tile's mirror image is written from here as well.
    out[static_cast<std::size_t>(row) * size + column] = sums[i] * scale;
    out[static_cast<std::size_t>(column) * size + row] = sums[i] * scale;
  }
}

// The group and the tile that a block has; false where it has none.
DENTATE_DEVICE bool TileOf(std::uint32_t block, std::uint32_t tiles, const Group* groups,
                           Group& group, std::uint32_t& row_tile, std::uint32_t& column_tile) {
  group = groups[block / (tiles * tiles)];
  row_tile = block / tiles % tiles;
  column_tile = block % tiles;
  const std::uint32_t own = (group.size + kGramTile - 1) / kGramTile;
  return row_tile <= column_tile && column_tile < own;
}

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const Gram& p) {
  Group group;
  std::uint32_t row_tile = 0;
  std::uint32_t column_tile = 0;
  if (!TileOf(thread.block(), p.tiles, p.groups, group, row_tile, column_tile)) return;
  const float* const rows = p.rows + group.first_row * p.dimensions;
  const bool by_rows = group.rows <= p.dimensions;
  TileProduct(
      thread, group.size, by_rows ? p.dimensions : group.rows, row_tile, column_tile, by_rows,
      [&](std::uint32_t i, std::uint64_t k) {
        return static_cast<double>(by_rows ? rows[static_cast<std::size_t>(i) * p.dimensions + k]
                                           : rows[k * p.dimensions + i]);
      },
      p.work + group.work, 1);
}

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const Square& p) {
  Group group;
  std::uint32_t row_tile = 0;
  std::uint32_t column_tile = 0;
  if (!TileOf(thread.block(), p.tiles, p.groups, group, row_tile, column_tile)) return;
  if (group.basis == group.size) return;  // Jacobi's
  const WorkPlan plan = PlanOf(group, p.work, 0, 0);
  const double* const from = p.again != 0 ? plan.power : plan.gram;
  double* const to = p.again != 0 ? plan.spare : plan.power;
  double trace = 0;
  for (std::uint32_t i = 0; i < group.size; ++i) {
    trace += from[static_cast<std::size_t>(i) * group.size + i];
  }
  TileProduct(
      thread, group.size, group.size, row_tile, column_tile, true,
      [&](std::uint32_t i, std::uint64_t k) {
        return from[static_cast<std::size_t>(i) * group.size + k];
      },
      to, trace > 0 ? 1 / (trace * trace) : 0);
}

// The sum over the block, in all threads. REQUIRES: at most 32 warps.
template <class Thread>
DENTATE_DEVICE double SumOverBlock(Thread& thread, double* sums, double value) {
  DENTATE_UNROLL
  for (std::uint32_t mask = kWarp / 2; mask > 0; mask /= 2) value += thread.ShuffleXor(value, mask);
  thread.Sync();  // the last use of `sums`
  if (thread.index() % kWarp == 0) sums[thread.index() / kWarp] = value;
  thread.Sync();
  double sum = 0;
  for (std::uint32_t i = 0; i < thread.size() / kWarp; ++i) sum += sums[i];
  return sum;
}

template <class Thread>
DENTATE_DEVICE double DotOverBlock(Thread& thread, double* sums, const double* a, const double* b,
                                   std::uint32_t length) {
  double product = 0;
  for (std::uint32_t i = thread.index(); i < length; i += thread.size()) product += a[i] * b[i];
  return SumOverBlock(thread, sums, product);
}

// By one warp, in all of its lanes.
template <class Thread>
DENTATE_DEVICE double DotOverWarp(Thread& thread, const double* a, const double* b,
                                  std::uint32_t length) {
  double product = 0;
  for (std::uint32_t i = thread.index() % kWarp; i < length; i += kWarp) product += a[i] * b[i];
  DENTATE_UNROLL
  for (std::uint32_t mask = kWarp / 2; mask > 0; mask /= 2) {
    product += thread.ShuffleXor(product, mask);
  }
  return product;
}

// Makes `vector` orthogonal to the `count` vectors of `others`, at most kMostBasis, and of unit
// length; zeros, and false, where it lies in their span. Gram-Schmidt, all parts at once and then
// again: twice is enough (Kahan; Parlett, The Symmetric Eigenvalue Problem, 6.9).
template <class Thread>
DENTATE_DEVICE bool Orthonormalise(Thread& thread, JacobiMemory& memory, double* vector,
                                   const double* others, std::uint32_t count,
                                   std::uint32_t length) {
  const double before = DotOverBlock(thread, memory.sums, vector, vector, length);
  for (std::uint32_t pass = 0; pass < 2; ++pass) {
    for (std::uint32_t other = thread.index() / kWarp; other < count;
         other += thread.size() / kWarp) {
      const double part =
          DotOverWarp(thread, vector, others + static_cast<std::size_t>(other) * length, length);
      if (thread.index() % kWarp == 0) memory.parts[other] = part;
    }
    thread.Sync();
    for (std::uint32_t i = thread.index(); i < length; i += thread.size()) {
      double rest = vector[i];
      for (std::uint32_t other = 0; other < count; ++other) {
        rest -= memory.parts[other] * others[static_cast<std::size_t>(other) * length + i];
      }
      vector[i] = rest;
    }
    thread.Sync();
  }
  const double after = DotOverBlock(thread, memory.sums, vector, vector, length);
  const bool is_one = after > 1e-24 * before && after > 0;
  const double scale = is_one ? 1 / sqrt(after) : 0;
  for (std::uint32_t i = thread.index(); i < length; i += thread.size()) vector[i] *= scale;
  thread.Sync();
  return is_one;
}

// to = matrix · from, of `basis` vectors. The matrix is symmetric, so that its columns are read as
// rows.
template <class Thread>
DENTATE_DEVICE void Apply(Thread& thread, const double* matrix, const double* from, double* to,
                          std::uint32_t size, std::uint32_t basis) {
  constexpr std::uint32_t kAtOnce = 8;
  for (std::uint32_t first = 0; first < basis; first += kAtOnce) {
    for (std::uint32_t i = thread.index(); i < size; i += thread.size()) {
      double sums[kAtOnce] = {};
      for (std::uint32_t k = 0; k < size; ++k) {
        const double element = matrix[static_cast<std::size_t>(k) * size + i];
        DENTATE_UNROLL
        for (std::uint32_t c = 0; c < kAtOnce; ++c) {
          if (first + c < basis) {
            sums[c] += element * from[static_cast<std::size_t>(first + c) * size + k];
          }
        }
      }
      DENTATE_UNROLL
      for (std::uint32_t c = 0; c < kAtOnce; ++c) {
        if (first + c < basis) to[static_cast<std::size_t>(first + c) * size + i] = sums[c];
      }
    }
  }
  thread.Sync();
}

// Turns x and y = S x to the Ritz vectors of x's span; whether the first `rank` of them are S's
// own.
template <class Thread>
DENTATE_DEVICE bool RayleighRitz(Thread& thread, JacobiMemory& memory, double* x, double* y,
                                 std::uint32_t size, std::uint32_t basis, std::uint32_t rank) {
  for (std::uint32_t pair = thread.index() / kWarp; pair < basis * basis;
       pair += thread.size() / kWarp) {
    const std::uint32_t i = pair / basis;
    const std::uint32_t j = pair % basis;
    if (i > j) continue;  // a warp as one
    const double product = DotOverWarp(thread, x + static_cast<std::size_t>(i) * size,
                                       y + static_cast<std::size_t>(j) * size, size);
    if (thread.index() % kWarp != 0) continue;
    memory.matrix[i * kMatrixStride + j] = product;
    memory.matrix[j * kMatrixStride + i] = product;
  }
  thread.Sync();
  Jacobi(thread, memory, basis);
  for (double* const vectors : {x, y}) {
    for (std::uint32_t i = thread.index(); i < size; i += thread.size()) {
      double old[kMostBasis];
      for (std::uint32_t c = 0; c < basis; ++c) {
        old[c] = vectors[static_cast<std::size_t>(c) * size + i];
      }
      for (std::uint32_t c = 0; c < basis; ++c) {
        double turned = 0;
        for (std::uint32_t j = 0; j < basis; ++j) {
          turned += memory.vectors[j * kMatrixStride + memory.order[c]] * old[j];
        }
        vectors[static_cast<std::size_t>(c) * size + i] = turned;
      }
    }
  }
  thread.Sync();
  double worst = 0;
  for (std::uint32_t c = 0; c < rank && c < basis; ++c) {
    if (memory.values[c] < kNegligible * memory.values[0]) break;
    double squares = 0;
    for (std::uint32_t i = thread.index(); i < size; i += thread.size()) {
      const std::size_t at = static_cast<std::size_t>(c) * size + i;
      const double rest = y[at] - memory.values[c] * x[at];
      squares += rest * rest;
    }
    worst = fmax(worst, SumOverBlock(thread, memory.sums, squares));
  }
  return sqrt(worst) <= 1e-11 * memory.values[0];
}

// Eigenvectors of S in x, the largest first, and their values in `memory`.
template <class Thread>
DENTATE_DEVICE void Iterate(Thread& thread, JacobiMemory& memory, const WorkPlan& plan,
                            const Group& group, std::uint32_t rank, const double* power) {
  const std::uint32_t size = group.size;
  const std::uint32_t basis = group.basis;
  for (std::uint32_t i = thread.index(); i < size * basis; i += thread.size()) {
    // Any directions: Weyl's sequence, well spread and the same every time.
    const double weyl = (i + 1) * 0.6180339887498949;
    plan.x[i] = weyl - floor(weyl) - 0.5;
  }
  thread.Sync();
  for (std::uint32_t iteration = 0; iteration < kMostIterations; ++iteration) {
    for (std::uint32_t c = 0; c < basis; ++c) {
      Orthonormalise(thread, memory, plan.x + static_cast<std::size_t>(c) * size, plan.x, c, size);
    }
    if (iteration % kIterationsBetween == kIterationsBetween - 1) {
      Apply(thread, plan.gram, plan.x, plan.y, size, basis);
      if (RayleighRitz(thread, memory, plan.x, plan.y, size, basis, rank)) return;
    }
    Apply(thread, power, plan.x, plan.y, size, basis);
    for (std::uint32_t i = thread.index(); i < size * basis; i += thread.size()) {
      plan.x[i] = plan.y[i];
    }
    thread.Sync();
  }
  for (std::uint32_t c = 0; c < basis; ++c) {
    Orthonormalise(thread, memory, plan.x + static_cast<std::size_t>(c) * size, plan.x, c, size);
  }
  Apply(thread, plan.gram, plan.x, plan.y, size, basis);
  RayleighRitz(thread, memory, plan.x, plan.y, size, basis, rank);
}

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const Singular& p) {
  JacobiMemory& memory = *reinterpret_cast<JacobiMemory*>(thread.shared());
  const std::uint32_t d = p.dimensions;
  for (std::uint32_t g = thread.block(); g < p.group_count; g += thread.blocks()) {
    const Group group = p.groups[g];
    const WorkPlan plan = PlanOf(group, p.work, p.rank, d);
    const float* const rows = p.rows + group.first_row * d;
    const bool is_iterated = group.basis < group.size;
    thread.Sync();  // the last group's memory
    if (is_iterated) {
      const double* const power = p.is_squared > 1 ? plan.spare : plan.power;
      Iterate(thread, memory, plan, group, p.rank, power);
    } else {
      for (std::uint32_t i = thread.index(); i < group.size * group.size; i += thread.size()) {
        memory.matrix[i / group.size * kMatrixStride + i % group.size] = plan.gram[i];
      }
      thread.Sync();
      Jacobi(thread, memory, group.size);
    }
    for (std::uint32_t i = thread.index(); i < d; i += thread.size()) {
      double sum = 0;
      for (std::uint32_t row = 0; row < group.rows; ++row) {
        sum += static_cast<double>(rows[static_cast<std::size_t>(row) * d + i]);
      }
      plan.sum[i] = sum;
    }
    for (std::uint32_t r = 0; r < p.rank; ++r) {
      double* const vector = plan.basis + static_cast<std::size_t>(r) * d;
      const double value = r < group.basis ? memory.values[r] : 0;
      const bool counts = value > 0 && value >= kNegligible * memory.values[0];
      const auto component = [&](std::uint32_t i) {
        return is_iterated ? plan.x[static_cast<std::size_t>(r) * group.size + i]
                           : memory.vectors[i * kMatrixStride + memory.order[r]];
      };
      for (std::uint32_t i = thread.index(); i < d; i += thread.size()) {
        double sum = 0;
        if (counts && group.rows <= d) {
          for (std::uint32_t row = 0; row < group.rows; ++row) {
            sum +=
                static_cast<double>(rows[static_cast<std::size_t>(row) * d + i]) * component(row);
          }
        } else if (counts) {
          sum = component(i);
        }
        vector[i] = sum;
      }
      thread.Sync();
      const bool is_one = counts && Orthonormalise(thread, memory, vector, plan.basis, r, d);
      const double product = DotOverBlock(thread, memory.sums, vector, plan.sum, d);
      const double sign = !is_one ? 0 : product < 0 ? -1 : 1;
      const std::size_t place = static_cast<std::size_t>(g) * p.rank + r;
      for (std::uint32_t i = thread.index(); i < d; i += thread.size()) {
        p.vectors[place * d + i] = static_cast<float>(sign * vector[i]);
      }
      if (thread.index() == 0) p.values[place] = is_one ? static_cast<float>(sqrt(value)) : 0;
    }
  }
}

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_KERNELS_SINGULAR_H_
