// The second stage of a search: which pieces of the best long entries answer the question.
//
// An entry of more than weights.whole tokens is cut (text/token_breaks.h) into pieces of about
// weights.piece tokens; each is ranked as an entry of its own. For a piece p of entry e, with g,
// idf and K as in search.h:
//
//   A_q[p]    max of g over the codes that start in p; 1 where q is given for all of e (its
//             speaker's name, a mark)
//   Z_q[p]    max(A_q[p] / length, K[k] * A_q[p - k] / length, K[k] * A_q[p + k] / length) within e
//   words(p)  sum of idf(q) * Z_q[p] / sum of idf(q)
//   score(p)  score(e) - (1 - share) * (signature(e) - words(p))      share: weights.entry_share
//
// so that what holds for all of the entry (its neighbours, its vector, its time) counts for all of
// its pieces, and its words where they stand. length is search.h's, by the codes of the piece.
// Here all codes of a ball count, near or far: they need not be looked for.
//
// Entries that are not cut are one piece with the entry's score.
//
// Threads. One search's own.
//
// Cost. An entry's codes and tokens are read from the streams, about 0.1 µs a code.

#ifndef DENTATE_BANK_PIECE_SEARCH_H_
#define DENTATE_BANK_PIECE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "bank/lookup.h"
#include "bank/piece_search_scratch.h"
#include "bank/query.h"
#include "bank/slots.h"

namespace dentate::bank {

class PieceSearch {
 public:
  // `shares`: idf(q) / sum of idf, by signature. All outlive this.
  PieceSearch(const SearchQuery& query, const Slots& slots, const Lookup& lookup,
              std::span<const float> shares, double mean_codes, PieceScratch& scratch);

  // Cuts the entry; false where it stays whole. Then piece i is [i == 0 ? 0 : ends()[i - 1],
  // ends()[i]), in tokens from its start, and words()[i] is its words(p).
  bool Cut(std::uint32_t slot);

  std::span<const std::uint32_t> ends() const noexcept { return scratch_.ends; }
  std::span<const float> words() const noexcept { return scratch_.words; }

 private:
  void GatherMembers(std::size_t part);
  void Match(const Slots::Placed& placed, std::uint32_t slot);
  void AddWords();

  const SearchQuery& query_;
  const Slots& slots_;
  const Lookup& lookup_;
  const std::span<const float> shares_;
  const double mean_codes_;
  PieceScratch& scratch_;
  std::size_t part_;  // whose members are gathered; none: their number
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_PIECE_SEARCH_H_
