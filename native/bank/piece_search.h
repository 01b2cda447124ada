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
// What some roles say comes in bulk (weights.bulky: the output of tools), and so does what brings
// it about: an entry of a role in weights.acting that a bulky one follows in the session, with
// nothing but such roles between, kReach entries away at most. There are many pieces of it that
// hold a question's words, and one of them seldom says more than the next. So its length has a
// price, and the pieces of one entry give way to the better ones, j of them:
//
//   score(p) *= max(1, tokens / free) ^ -bulk_price / (1 + give_way * j)
//
// free is bulk_free, or action_free of what brings it about;
// where what the question's places give (search.h) goes to the best piece, half of it to the next,
// and so on.
//
// Threads. One search's own.
//
// Cost. An entry's codes and tokens are read from the streams, about 0.1 µs a code.

#ifndef DENTATE_BANK_PIECE_SEARCH_H_
#define DENTATE_BANK_PIECE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/lookup.h"
#include "bank/piece_search_scratch.h"
#include "bank/query.h"
#include "bank/slots.h"

namespace dentate::bank {

// Of an entry: said to somebody, the output of a tool, or what brings such about.
enum class Kind : std::uint8_t { kSaid, kOutput, kAction };

// What is found: an entry, or the piece [begin, end) of one, in tokens from its start.
struct FoundPiece {
  float score = 0;
  float words = 0, dense = 0,
        place = 0;  // parts of the score: its signature's, its cosine times its weight, ...
  std::uint32_t slot = 0;
  std::uint32_t begin = 0, end = 0;
  Kind kind = Kind::kSaid;
  bool cut = false;    // it is not all of its entry,
  Interval32 codes{};  // and then it has these of the part's
};

// The better first; of equal ones the older.
inline bool IsBetter(const FoundPiece& a, const FoundPiece& b) noexcept {
  if (a.score != b.score) return a.score > b.score;
  return a.slot < b.slot || (a.slot == b.slot && a.begin < b.begin);
}

class PieceSearch {
 public:
  // `shares`: idf(q) / sum of idf, by signature. All outlive this.
  PieceSearch(const SearchQuery& query, const Slots& slots, const Lookup& lookup,
              std::span<const float> shares, double mean_codes, PieceScratch& scratch);

  // Puts the pieces of long ones in the place of `items`, which are whole entries, best first; best
  // first again, of equal ones the older first, at most query.limit. False if given up.
  bool Replace(std::vector<FoundPiece>& items, const Cancelled& cancelled);

 private:
  bool Cut(std::uint32_t slot);
  void GatherMembers(std::size_t part);
  void Match(const Slots::Placed& placed, std::uint32_t slot);
  void AddWords();
  void PushPieces(const FoundPiece& entry);
  void Push(FoundPiece piece, std::size_t better);
  Kind KindOf(std::uint32_t slot) const;
  bool IsOf(std::uint32_t roles, std::uint32_t slot) const;

  const SearchQuery& query_;
  const Slots& slots_;
  const Lookup& lookup_;
  const std::span<const float> shares_;
  const double mean_codes_;
  PieceScratch& scratch_;
  std::size_t part_;  // whose members are gathered; none: their number
  std::vector<FoundPiece> found_;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_PIECE_SEARCH_H_
