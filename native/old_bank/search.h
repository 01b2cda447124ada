// The disjunctive search: every entry gets a score from the question's signatures, its vector and
// the speakers it names.
//
// For a query signature q of a word that has n_w of them, over the entries e of the bank (N):
//
//   g(c)    1 for a code of q's stem, else s^2 for a code within the radius, s = cos(pi * h / d)
//   A_q[e]  max of g over the codes of e; 1 where e is said by a speaker whose name q is, or is
//           marked for q
//   df(q)   sum of A_q: a near match makes a word less rare, a far one hardly
//   idf(q)  ln(1 + (N - df + 0.5) / (df + 0.5)) / n_w
//   Z_q[e]  A_q[e] / (1 - b + b * codes of e / mean codes of an entry), shining on the entries
//           around (spread.h); b is the length weight
//
//   signature(e) = sum of idf(q) * Z_q[e] / sum of idf(q)          0 to 1
//   score(e)     = signature(e) + dense weight * cosine of the window vector (dense_store.h)
//                               + speaker weight, where e is said by a speaker the question names
//
// Of more than weights.codes signatures only those count, above and below the line, whose idf is
// greatest by the dictionary's document frequencies. Of their balls, codes with idf(q) * g(c) below
// weights.prune times the sum of those idf are left out: many occurrences that hardly count. So are
// those of least idf(q) * g(c) while the others have more than weights.visits entries in all: what
// bounds a search in a large bank. Codes of the greatest idf(q) * g(c) always count. Best first; of
// equal scores the older entry. Without a query vector, entries of score 0 are left out.
//
// Every occurrence of every code that counts is visited: one ascending sweep over the signature
// stream a code, nearest codes first, so that the first visit to an entry brings its maximum.
//
// Threads. Any; the search pins the entry count when it begins. Its memory is kept for the thread's
// next search, up to Scratch::kKeepBytes.
//
// Cost. The balls (a scan of the dictionary a signature), the occurrences (about weights.visits at
// most), and a few passes over all entries.

#ifndef DENTATE_OLD_BANK_SEARCH_H_
#define DENTATE_OLD_BANK_SEARCH_H_

#include "old_bank/bank.h"
#include "old_bank/query.h"
#include "core/status.h"

namespace dentate::old_bank {

// Whether the parts of a query agree with each other and with the bank: codes.signatures has
// bank.signature_words() values for each item of codes.word_of, and codes.stems one or is empty;
// vector is empty or bank.dimensions() long; speakers and speaker_codes are parallel, and
// speaker_codes number signatures or are EntryTable::kNone; marks number signatures and do not end
// before they begin; the length weight is in [0, 1), the prune weight not negative.
// DENTATE_INTERNAL where they do not.
Status CheckQuery(const Bank& bank, const SearchQuery& query);

// REQUIRES: CheckQuery.
Status Search(const Bank& bank, const SearchQuery& query, const Cancelled& cancelled,
              SearchResult& result);

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_SEARCH_H_
