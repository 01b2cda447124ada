// Which codes a search looks up: the balls of its signatures in every part, how rare each signature
// is, and what is left out for hardly counting (search.h has the formula).
//
// Decisions are made on sums over the parts of whole numbers (how many entries hold the codes at
// each distance), so that they are the same however the bank is cut into parts. The counts are the
// dictionaries': entries that are deleted or filtered out count here until their part is rewritten,
// and nowhere else.
//
//   bound(q)   sum of g(c) * entries with c, over the codes c of q's balls: at least df(q)
//   rarity(q)  idf by bound(q); the weights.codes signatures of the greatest count
//
// Codes with rarity(q) * g(c) below weights.prune times the sum of the rarities are left out: many
// occurrences that hardly count. So are those of least rarity(q) * g(c) while the others have more
// than weights.visits entries in all: what bounds a search in a large bank. Codes of the greatest
// share always count. Where a filter wants few of the entries, up to kMostVisits times as many are
// looked up, so that it finds about as many.
//
// Cost. A scan of each part's dictionary a signature; where the question names a speaker, a pass
// over all entries.

#ifndef DENTATE_BANK_LOOKUP_H_
#define DENTATE_BANK_LOOKUP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/query.h"
#include "bank/scratch.h"

namespace dentate::bank {

class Lookup {
 public:
  // All outlive this. Uses scratch.balls, finder and said; scratch.slots is what is searched.
  Lookup(const SearchQuery& query, const Cancelled& cancelled, Scratch& scratch);

  // False if given up. REQUIRES: a part.
  bool Prepare();

  // The signatures that count, ascending.
  std::span<const std::uint32_t> counted() const noexcept { return counted_; }
  // s^2 by distance, for s = cos(pi * distance / bits); 0 from a right angle on.
  std::span<const float> weights() const noexcept { return weights_; }
  const Ball& BallOf(std::uint32_t signature, std::size_t part) const noexcept {
    return scratch_.balls[signature * scratch_.slots.parts().size() + part];
  }
  // Whether codes at this distance from the signature are looked up; farther ones are not, if not.
  bool Counts(std::uint32_t signature, std::uint16_t distance) const noexcept {
    const double weight = weights_[distance];
    return weight > 0 && rarities_[signature] * weight >= least_share_;
  }
  // idf among `total` entries.
  double Rarity(double document_frequency, std::uint32_t total, std::uint32_t signature) const;

  // The wanted entries that speakers[i] said: slots, ascending.
  std::span<const std::uint32_t> SaidBy(std::size_t i) const noexcept { return scratch_.said[i]; }
  // Visits the wanted slots that match a signature whatever they say: those of the speakers it
  // names and those that are marked for it; a slot perhaps more than once.
  template <typename Visit>
  void ForEachGiven(std::uint32_t signature, Visit visit) const {
    const Slots& slots = scratch_.slots;
    for (std::size_t i = 0; i < query_.speakers.size(); ++i) {
      if (query_.speaker_codes[i] != signature) continue;
      for (const std::uint32_t slot : SaidBy(i)) visit(slot);
    }
    for (const SearchQuery::Mark& mark : query_.marks) {
      if (mark.code != signature) continue;
      for (const Slots::Placed& placed : slots.parts()) {
        const std::uint32_t begin = std::max(mark.begin, placed.first_entry);
        const std::uint32_t end = std::min(mark.end, placed.first_entry + placed.size);
        for (std::uint32_t entry = begin; entry < end; ++entry) {
          const std::uint32_t slot = placed.first_slot + (entry - placed.first_entry);
          if (slots.IsWanted(slot)) visit(slot);
        }
      }
    }
  }
  // Whether a wanted slot is among those.
  bool IsGiven(std::uint32_t signature, std::uint32_t slot) const;

 private:
  static constexpr std::uint32_t kMostVisits = 8;

  void FindSaid();
  bool FindBalls();
  void ChooseSignatures();
  void BoundVisits();

  const SearchQuery& query_;
  const Cancelled& cancelled_;
  Scratch& scratch_;
  const std::size_t words_;  // of a signature
  const std::size_t count_;  // signatures
  std::vector<float> weights_;
  std::vector<double> codes_of_word_;   // by signature: how many its word has
  std::vector<std::uint64_t> holders_;  // by signature, then distance: entries with such codes
  std::vector<double> rarities_;        // by signature
  std::vector<std::uint32_t> counted_;
  double least_share_ = 0;  // of rarity * g: what is below is not looked up
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_LOOKUP_H_
