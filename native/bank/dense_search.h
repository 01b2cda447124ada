// Cosines of a query with the window vector of every entry (dense_store.h).
//
// Cost. One pass of a kernel over all vectors, dimensions bytes an entry, and one over the dot
// products. Threads: any.

#ifndef DENTATE_BANK_DENSE_SEARCH_H_
#define DENTATE_BANK_DENSE_SEARCH_H_

#include <cstdint>
#include <span>

#include "bank/bank.h"
#include "bank/scratch.h"

namespace dentate::bank {

// Fills scratch.dense_scores for the first `size` entries; all 0 where the query's length is 0.
// REQUIRES: query.size() == bank.dimensions() > 0.
void DenseScores(const Bank& bank, std::uint32_t size, std::span<const float> query,
                 Scratch& scratch);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_DENSE_SEARCH_H_
