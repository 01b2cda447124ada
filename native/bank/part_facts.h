// The facts of a part as bytes: the last section of an image (part_image.h).
//
// Varints (core/coding.h); entries as differences to the one before in the same list, the first to
// 0; times as differences to the one before, their signs folded in (0, -1, 1, -2, ... as 0, 1, 2,
// 3).
//
//   deleted     how many runs of consecutive numbers; of each its first number less the end of the
//   run
//               before, and its length less 1
//   versions    how many; of each the entry, and how far back its origin is
//   expiries    how many; of each the entry, the time
//   strengths   how many; of each the entry, the recalls, the time
//
// The next entry stands in the header; all entries are below it.

#ifndef DENTATE_BANK_PART_FACTS_H_
#define DENTATE_BANK_PART_FACTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "bank/part.h"
#include "core/status.h"

namespace dentate::bank {

// Appends the lists to `bytes`. REQUIRES: each is sorted by entry, without repeats; an origin is
// before its version; all entries are below facts.next_entry.
void EncodeFacts(const PartFacts& facts, std::vector<std::uint8_t>& bytes);

// Any bytes: kCorruption for what EncodeFacts would not have written. Replaces `facts`.
//
// `rows`: the numbers that the bank has rows for, ascending. Of `deleted` only these are taken: a
// run of any length is a few bytes, so that nothing else bounds the list; and that a number
// without a row was deleted says nothing.
Status DecodeFacts(std::span<const std::uint8_t> bytes, std::uint32_t next_entry,
                   std::span<const Interval32> rows, PartFacts& facts);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_PART_FACTS_H_
