// Cosines of a query with the window vector of every entry (dense_store.h).
//
// Cost. One pass of a kernel over all vectors, dimensions bytes an entry, and one over the dot
// products. Threads: any.

#ifndef DENTATE_OLD_BANK_DENSE_SEARCH_H_
#define DENTATE_OLD_BANK_DENSE_SEARCH_H_

#include <cstdint>
#include <span>

#include "old_bank/bank.h"
#include "old_bank/scratch.h"

namespace dentate::old_bank {

// Fills scratch.dense_scores for the first `size` entries; all 0 where the query's length is 0.
// REQUIRES: query.size() == bank.dimensions() > 0.
void DenseScores(const Bank& bank, std::uint32_t size, std::span<const float> query,
                 Scratch& scratch);

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_DENSE_SEARCH_H_
