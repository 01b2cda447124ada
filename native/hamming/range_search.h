// Every signature within a Hamming distance of a query: exact.
//
// Cost: O(rows * words), at about the speed of reading the signatures from memory (scan.h).
// Threads: any; rows appended meanwhile are seen by the next search.

#ifndef DENTATE_HAMMING_RANGE_SEARCH_H_
#define DENTATE_HAMMING_RANGE_SEARCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "hamming/signature_columns.h"

namespace dentate::hamming {

// Replaces `ids` and `distances` by the rows in [0, limit_rows) at most `radius` bits from `query`,
// in ascending order of id. REQUIRES: query.size() == columns.words();
// limit_rows <= a columns.size() this thread has seen.
void RangeSearch(const SignatureColumns& columns, std::span<const std::uint64_t> query,
                 std::uint32_t radius, std::size_t limit_rows, std::vector<std::uint32_t>& ids,
                 std::vector<std::uint16_t>& distances);

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_RANGE_SEARCH_H_
