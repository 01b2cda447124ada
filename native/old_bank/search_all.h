// The conjunctive search: the entries that hold a code of every query signature's ball.
//
//   1. Take the query signature whose ball occurs least (rank(c, n), summed over its codes).
//   2. Walk the occurrences of its codes by select, and find the entry that covers each.
//   3. Keep the entry [a, b) if every other ball has a code c with rank(c, b) - rank(c, a) > 0.
//
// An entry's score is the mean over the query's signatures of the similarity cos(pi * h / d) of the
// nearest code found; of equal scores the newer entry goes first.
//
// Meant for small radii: step 3 asks two ranks for each code of a ball, nearest codes first, until
// one is found.
//
// Threads. Any; the search pins the entry count when it begins.
//
// Source: Li, Cao, Ahmed, Sharma, Li, "Hippocampus: an efficient and scalable memory module for
// agentic AI", MLSys 2026, algorithm 3. The paper has no scores; its signatures are one a token.

#ifndef DENTATE_OLD_BANK_SEARCH_ALL_H_
#define DENTATE_OLD_BANK_SEARCH_ALL_H_

#include "old_bank/bank.h"
#include "old_bank/query.h"
#include "core/status.h"

namespace dentate::old_bank {

// DENTATE_INTERNAL where codes.signatures is not whole signatures, or codes.stems neither has one
// for each nor is empty. codes.word_of is not used.
Status CheckQuery(const Bank& bank, const ConjunctiveQuery& query);

// REQUIRES: CheckQuery. A query without signatures finds nothing. dense_scores are 0.
Status SearchAll(const Bank& bank, const ConjunctiveQuery& query, const Cancelled& cancelled,
                 SearchResult& result);

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_SEARCH_ALL_H_
