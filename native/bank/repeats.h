// The third stage of a search: output that says again what the items above it say.
//
// A tool is called twice and answers the same, or shows a page of which one line has changed; and
// what an agent does next is in both. One of them is worth its room. So an item of a bulky role
// (query.h) counts less for the words that better items hold:
//
//   score(p) *= 1 - weights.repeat * (words of p that an item above p holds / words of p)
//
// Words are distinct stems. Items of other roles keep their scores, but their words count.
//
// The order is greedy: the best item comes first, then the best of the rest, given those. A score
// only falls as more items stand above, so an item is looked at when it comes first, and again only
// if it then did not stay there. (Lazy evaluation: M. Minoux, "Accelerated greedy algorithms for
// maximizing submodular set functions", 1978; the penalty is J. Carbonell and J. Goldstein's, "The
// use of MMR", SIGIR 1998.)
//
// It ends where 8 * limit tokens are placed, about twice what a budget of that limit takes; what
// follows keeps the score that it has by then. Nothing happens where no item is output.
//
// Cost. About 0.1 µs a code of the items that are placed, and of those that had to give way.

#ifndef DENTATE_BANK_REPEATS_H_
#define DENTATE_BANK_REPEATS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/piece_search.h"
#include "bank/query.h"
#include "bank/slots.h"

namespace dentate::bank {

class Repeats {
 public:
  Repeats(const SearchQuery& query, const Slots& slots, RepeatScratch& scratch)
      : query_(query), slots_(slots), scratch_(scratch) {}

  // Lowers scores, and puts `items`, which are best first, in their order again. False if given up.
  bool Lower(std::vector<FoundPiece>& items, const Cancelled& cancelled);

 private:
  // The words of an item, ascending: scratch_.stems[begin] to [end].
  struct Words {
    std::size_t begin = 0, end = 0;
    bool known = false;
  };
  struct Waiting {  // an item that had to give way, at the score that it then had
    FoundPiece piece;
    std::size_t item;
  };

  std::span<const std::uint64_t> WordsOf(const FoundPiece& piece, std::size_t item);
  float Lowered(const FoundPiece& piece, float full, std::size_t item);
  bool IsHeard(std::uint64_t stem) const;
  void Hear(std::uint64_t stem);
  void Grow();

  const SearchQuery& query_;
  const Slots& slots_;
  RepeatScratch& scratch_;
  std::vector<Words> words_;  // by item
  std::size_t heard_ = 0;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_REPEATS_H_
