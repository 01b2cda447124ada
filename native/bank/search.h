// The disjunctive search: every entry gets a score from the question's signatures, its vector and
// the speakers it names.
//
// For a query signature q of a word that has n_w of them, over the wanted entries e (N of them; the
// snapshot's current ones that the caller allows, slots.h):
//
//   g(c)    1 for a code of q's stem, else s^2 for a code within the radius, s = cos(pi * h / d)
//   A_q[e]  max of g over the codes of e; 1 where e is said by a speaker whose name q is, or is
//           marked for q
//   df(q)   sum of A_q: a near match makes a word less rare, a far one hardly
//   idf(q)  ln(1 + (N - df + 0.5) / (df + 0.5)) / n_w
//   Z_q[e]  A_q[e] / (1 - b + b * codes of e / mean codes of a current entry), shining on the
//           entries around (spread.h); b is the length weight
//
//   signature(e) = sum of idf(q) * Z_q[e] / sum of idf(q)          0 to 1
//   score(e)     = signature(e) + speaker weight, where e is said by a speaker the question names
//                + what boosts give e: their weights times the best score by what stands before
//                + dense weight * cosine of e's window (dense_search.h), for the weights.candidates
//                  best by what stands before; of equal ones the newer
//                + how recent e is (query.h), for the same
//   and that times what is not forgotten of e (query.h), for the same
//
// Not all signatures and codes count: lookup.h. Best first; of equal scores the older entry.
// Without a query vector, entries of score 0 are left out.
//
// Every occurrence of every code that counts is visited: one ascending sweep over a part's
// signature stream a code, nearest codes first, so that the first visit to an entry brings its
// maximum.
//
// The answer is the same, to the bit, however the bank is cut into parts: what is summed over parts
// is whole numbers (entries by distance), and floats are only made of sums.
//
// Threads. Any. A search's memory is kept for the thread's next one, up to Scratch::kKeepBytes.
//
// Cost. The balls (a scan of the dictionaries a signature), the occurrences (about weights.visits
// at most), a few passes over all entries, the candidates' windows.

#ifndef DENTATE_BANK_SEARCH_H_
#define DENTATE_BANK_SEARCH_H_

#include <cstddef>

#include "bank/query.h"
#include "bank/snapshot.h"
#include "core/status.h"
#include "signatures/word_vectors.h"

namespace dentate::bank {

// Whether the parts of a query agree with each other and with a bank of signatures of so many words
// and of these vectors (null: none): codes.signatures has `signature_words` values for each item of
// codes.word_of, and codes.stems one or is empty; vector is empty or as long as they are; speakers
// and speaker_codes are parallel, and speaker_codes number signatures or are kNone; marks number
// signatures and do not end before they begin; the length weight is in [0, 1), the prune weight not
// negative, what is forgotten between 0 and 1. DENTATE_INTERNAL where they do not.
Status CheckQuery(std::size_t signature_words, const signatures::WordVectors* vectors,
                  const SearchQuery& query);

// REQUIRES: CheckQuery.
Status Search(const Snapshot& snapshot, const signatures::WordVectors* vectors,
              const SearchQuery& query, const Cancelled& cancelled, SearchResult& result);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_SEARCH_H_
