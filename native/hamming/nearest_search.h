// The k signatures nearest to a query by Hamming distance: exact; of equal distances, lower ids.
//
// Cost: as a range search (range_search.h), plus O(log k) for each row nearer than the k nearest so
// far. Threads: any; each thread of a search keeps its own k, merged at the end.

#ifndef DENTATE_HAMMING_NEAREST_SEARCH_H_
#define DENTATE_HAMMING_NEAREST_SEARCH_H_

#include <cstdint>
#include <span>

#include "hamming/columns_view.h"
#include "hamming/matches.h"

namespace dentate::hamming {

// Replaces *matches[i] by the `k` rows of [0, end) nearest to the i-th query, in ascending order of
// distance, then id; all rows where there are fewer. Returns false, with an incomplete answer,
// where options.cancelled said so. REQUIRES: end <= columns.size().
bool NearestSearchMany(const ColumnsView& columns, std::span<const std::uint64_t* const> queries,
                       std::size_t k, std::size_t end, const SearchOptions& options,
                       std::span<Matches* const> matches);

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_NEAREST_SEARCH_H_
