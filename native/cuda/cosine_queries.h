// Queries as the kernels want them, and what packing can change.
//
// With x a row and q a query of unit length, x' and q' as packed, the scan's score differs from the
// cosine by
//
//   |<x', q'> - <x, q>| <= |x' - x| |q'| + |x| |q' - q| + rounding of the sum
//
// where |x' - x| is at most what was measured of all rows, and float32 sums of d products of a
// total of at most |x'| |q'| lose at most d · 2^-23 of it (2^-24 each where they round; matrix
// units may cut off).

#ifndef DENTATE_CUDA_COSINE_QUERIES_H_
#define DENTATE_CUDA_COSINE_QUERIES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/precision.h"

namespace dentate::cuda {

struct CosineQueries {
  std::uint32_t count = 0;
  std::vector<float> exact;          // as they came; row_floats each, zeros behind the dimensions
  std::vector<double> lengths;       // their lengths
  std::vector<float> unit;           // of unit length, as many numbers as packed ones
  std::vector<std::uint8_t> packed;  // row_bytes each, padded to a multiple of kPackedQueries
  std::vector<float> scales;
  std::vector<float> errors;  // how far a packed query is from the unit one

  static constexpr std::uint32_t kPackedQueries = 128;  // those of the largest tile
};

// `queries` are rows of `dimensions`.
CosineQueries PrepareQueries(std::span<const float> queries, std::uint32_t dimensions,
                             std::uint32_t row_floats, std::uint32_t row_bytes,
                             Precision precision);

// The most by which a scan's score is off, of rows whose packing lost at most `row_error`; 0 for a
// query of zeros. `query_error` 0 where the scan takes unit queries in float32.
double ScoreError(double row_error, double query_error, bool is_zero_query,
                  std::uint32_t dimensions);

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_COSINE_QUERIES_H_
