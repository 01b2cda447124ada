// Dot products of dense rows, and what statistics over them need; one kernel per instruction set.
//
// Rows and queries are padded with zeros to whole cache lines: `stride` elements from one row to
// the next, a multiple of kFloatLanes floats or kByteLanes bytes. So no kernel has a tail.
//
// Exactness. Every kernel returns the same bits, on every machine:
//   int8     whole numbers. |value| <= 127 and stride <= 8192: 127 * 127 * 8192 < 2^31. -128 is
//            not a value: the AVX2 kernel negates rows, and sums pairs of products in 16 bits,
//            2 * 127 * 127 = 32,258 < 2^15.
//   float    sums have a fixed shape. Lane l of 16 adds the products j = l, l + 16, ... in this
//            order, each rounded and then added (no fused multiply-add: the baseline has none);
//            then lanes l and l + 8 are added, l and l + 4, l and l + 2, and the last two. The
//            error of <q, r> is at most (stride / 16 + 5) * 2^-24 * sum |q[j] r[j]|: for unit
//            vectors of 384 values 1.8e-6.
//   double   the same shape with 8 lanes.
// A cluster is chosen by comparing such sums, so that clusterings are equal on every machine.
// It needs -ffp-contract=off where a compiler would fuse on its own (CMakeLists.txt).
//
// Cost. One pass over the rows: bound by memory beyond the cache.

#ifndef DENTATE_VECTORS_DENSE_H_
#define DENTATE_VECTORS_DENSE_H_

#include <cstddef>
#include <cstdint>

#include "core/cpu.h"

namespace dentate::vectors {

inline constexpr std::size_t kFloatLanes = 16;  // floats in a cache line
inline constexpr std::size_t kByteLanes = 64;
inline constexpr std::size_t kDoubleLanes = 8;
inline constexpr std::size_t kMaxStride = 8192;
static_assert(std::int64_t{127} * 127 * std::int64_t{kMaxStride} <= INT32_MAX,
              "a dot product must fit its accumulator");

struct DenseKernels {
  Isa isa;

  // dots[i], for i in [0, count), is the sum over j < stride of query[j] * rows[i * stride + j].
  // REQUIRES: stride is a multiple of kFloatLanes. No alignment is required.
  void (*float_dots)(const float* query, const float* rows, std::size_t stride, std::size_t count,
                     float* dots);

  // The same for int8. REQUIRES: stride is a multiple of kByteLanes, at most kMaxStride; no value
  // is -128.
  void (*byte_dots)(const std::int8_t* query, const std::int8_t* rows, std::size_t stride,
                    std::size_t count, std::int32_t* dots);

  // The same with a query and sums of double precision.
  void (*project)(const double* query, const float* rows, std::size_t stride, std::size_t count,
                  double* dots);

  // sum[j] += weights[i] * rows[i * stride + j] for i in [0, count), in ascending order of i.
  void (*accumulate)(const double* weights, const float* rows, std::size_t stride,
                     std::size_t count, double* sum);
};

// The kernels of `isa`. REQUIRES: this CPU has it.
const DenseKernels& DenseKernelsFor(Isa isa) noexcept;

// Those of ActiveIsa().
const DenseKernels& ActiveDenseKernels() noexcept;

}  // namespace dentate::vectors

#endif  // DENTATE_VECTORS_DENSE_H_
