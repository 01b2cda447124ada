// Every signature within a Hamming distance of a query: exact.
//
// Cost: O(rows * words) for each query, at about the speed of reading the signatures from memory;
// several queries share that reading (scan.h).
// Threads: any; rows appended meanwhile are seen by the next view.

#ifndef DENTATE_HAMMING_RANGE_SEARCH_H_
#define DENTATE_HAMMING_RANGE_SEARCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "hamming/columns_view.h"
#include "hamming/matches.h"

namespace dentate::hamming {

// Replaces `ids` and `distances` by the rows in [begin, end) at most `radius` bits from `query`, in
// ascending order of id. REQUIRES: query.size() == columns.words(); end <= columns.size().
void RangeSearch(const ColumnsView& columns, std::span<const std::uint64_t> query,
                 std::uint32_t radius, std::size_t begin, std::size_t end,
                 std::vector<std::uint32_t>& ids, std::vector<std::uint16_t>& distances);

// The same for several queries over rows [begin, end): appends the i-th query's matches to
// *matches[i], in ascending order of id. Returns false, with an incomplete answer, where
// options.cancelled said so.
bool RangeSearchMany(const ColumnsView& columns, std::span<const std::uint64_t* const> queries,
                     std::uint32_t radius, std::size_t begin, std::size_t end,
                     const SearchOptions& options, std::span<Matches* const> matches);

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_RANGE_SEARCH_H_
