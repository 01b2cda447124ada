// Sums of a table's rows at unit length: text to vectors by a static model, whose rows are the
// vectors of its tokens.
//
// Sums are of double precision, in the order of the ids. Cost: one read of each row named.
// Threads: groups are split over options.threads.

#ifndef DENTATE_ACCELERATE_ROW_SUMS_H_
#define DENTATE_ACCELERATE_ROW_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "accelerate/vector_table.h"
#include "core/status.h"
#include "hamming/matches.h"

namespace dentate::accelerate {

// Row g of `sums` is the sum of the rows ids[offsets[g]] .. ids[offsets[g + 1]], brought to unit
// length; zeros where there is none or they cancel. kAborted where options.cancelled said so.
// REQUIRES: ids are below table.size(); offsets ascend from 0 to ids.size(); sums holds
// dimensions() values for each group.
Status UnitRowSums(const VectorTable& table, std::span<const std::uint32_t> ids,
                   std::span<const std::uint32_t> offsets, const hamming::SearchOptions& options,
                   std::span<float> sums);

}  // namespace dentate::accelerate

#endif  // DENTATE_ACCELERATE_ROW_SUMS_H_
