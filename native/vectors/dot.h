// Sums over int8 rows, one kernel per instruction set: dot products of one query with many rows; a
// few rows, each with its weight, as one vector against the query; one row after another, each with
// its factor, added to a vector.
//
// A vector is stored as int8 values and one float scale, x[j] ~ scale * row[j]; a query is int16
// values of at most 12 bits, so that its own rounding does not show beside the row's. Everything
// between is whole numbers: every kernel returns the same bits.
//
//   |row| <= 127, |query| <= 2047, dimensions <= 8192:  127 * 2047 * 8192 = 2,129,666,048 < 2^31
//
// Cost. One pass over the rows, count * dimensions bytes: bound by memory beyond the cache.

#ifndef DENTATE_VECTORS_DOT_H_
#define DENTATE_VECTORS_DOT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/cpu.h"

namespace dentate::vectors {

inline constexpr std::int32_t kRowLimit = 127;
inline constexpr std::int32_t kQueryLimit = 2047;
inline constexpr std::size_t kMaxDimensions = 8192;
static_assert(std::int64_t{kRowLimit} * kQueryLimit * std::int64_t{kMaxDimensions} <= INT32_MAX,
              "a dot product must fit its accumulator");

struct Kernels {
  Isa isa;

  // Fills dots[i], for i in [0, count), with the sum over j of query[j] * rows[i * dimensions + j].
  // REQUIRES: the limits above. No alignment is required.
  void (*dots)(const std::int16_t* query, const std::int8_t* rows, std::size_t dimensions,
               std::size_t count, std::int32_t* dots);

  // For the vector w = sum over i of weights[i] * rows[i], i in [0, count): `inner` = <query, w>
  // and `squared` = <w, w>. REQUIRES: no component of w passes an int16, and both sums fit. No
  // alignment is required.
  void (*window)(const std::int16_t* query, const std::int8_t* const* rows,
                 const std::int16_t* weights, std::size_t count, std::size_t dimensions,
                 std::int32_t* inner, std::int32_t* squared);

  // sum[j] += factor * row[j] for j in [0, dimensions). REQUIRES: the sums fit. No alignment is
  // required.
  void (*add_scaled)(const std::int8_t* row, std::int16_t factor, std::size_t dimensions,
                     std::int32_t* sum);
};

// The kernels of the fastest set up to `isa` that this family has one for.
const Kernels& KernelsFor(Isa isa) noexcept;

// Those of ActiveIsa().
const Kernels& ActiveKernels() noexcept;

// Rounds `values` to int8 with one scale, which is returned; 0 for a vector of zeros.
// A value that is not finite counts as 0. REQUIRES: row.size() == values.size().
float QuantizeRow(std::span<const float> values, std::span<std::int8_t> row) noexcept;

// The same, to the 12 bits of a query.
float QuantizeQuery(std::span<const float> values, std::span<std::int16_t> query) noexcept;

}  // namespace dentate::vectors

#endif  // DENTATE_VECTORS_DOT_H_
