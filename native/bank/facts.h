// The facts of neighbouring parts as one: what an image carries after a merge.

#ifndef DENTATE_BANK_FACTS_H_
#define DENTATE_BANK_FACTS_H_

#include <functional>

#include "bank/part.h"

namespace dentate::bank {

// Whether the bank has, in any part, a row for this number once the merge is done.
using HasRow = std::function<bool(std::uint32_t entry)>;

// `newer` follows `older` in time. Facts about numbers without a row are left out; of an expiry or
// a strength that both have, the newer counts. O(n).
//
// A version is kept while the newer entry has a row, even where its origin has none: the origin's
// number is the turn's id.
PartFacts MergeFacts(const PartFacts& older, const PartFacts& newer, const HasRow& has_row);

// The same for one part's facts alone, after its rows have been cut.
PartFacts WithoutRowless(const PartFacts& facts, const HasRow& has_row);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_FACTS_H_
