// The k rows of a table with the highest cosine to each query: exact, and the same everywhere.
//
// A kernel in float32 proposes, double precision decides. The kernel's cosine of a row is off by at
// most e = (stride + 8) * 2^-24 (below), so that every row whose cosine is not below the k-th best
// so far is among those whose proposed cosine is at least that minus e. These few, about k (1 +
// ln(n / k)) of n rows in random order, are scored again in double precision (exact_cosine.h), and
// the float nearest to that is what a row is ranked by; of equal ones the lower id. So the answer
// doesn't depend on the instruction set, on the number of threads, or on what else was asked in the
// same call.
//
//   e: with u = 2^-24, for unit vectors sum |q[j] r[j]| <= 1. A sum of `stride` products, in any
//   order, is off by at most stride * u; the query is rounded to unit length (u), the row's inverse
//   length (u), their product (u), and the k-th best itself (u). Twice that of the four is left for
//   the terms of second order.
//
// Cost: one query reads the rows once, at the speed of memory. Rows that tie with the k-th best are
// all scored twice: a table of equal rows takes a few times as long. Memory: 8 k bytes for each
// query and thread. Threads: the rows are split over options.threads (hamming/parallel.h).

#ifndef DENTATE_ACCELERATE_COSINE_SEARCH_H_
#define DENTATE_ACCELERATE_COSINE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "accelerate/vector_table.h"
#include "core/status.h"
#include "hamming/matches.h"

namespace dentate::accelerate {

using hamming::SearchOptions;

// Of query i those from i * k on, best first.
struct CosineMatches {
  std::size_t k = 0;  // of each query
  std::vector<std::uint32_t> ids;
  std::vector<float> scores;
};

// `queries` lie one after the other. Gives the smaller of k and the table's size of each; kAborted
// where options.cancelled said so. REQUIRES: whole queries; finite values; k > 0.
Status CosineTopK(const VectorTable& table, std::span<const float> queries, std::size_t k,
                  const SearchOptions& options, CosineMatches& matches);

}  // namespace dentate::accelerate

#endif  // DENTATE_ACCELERATE_COSINE_SEARCH_H_
