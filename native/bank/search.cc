#include "bank/search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "bank/best_slots.h"
#include "bank/lease.h"
#include "bank/lookup.h"
#include "bank/piece_search.h"
#include "bank/repeats.h"
#include "bank/scratch.h"

namespace dentate::bank {
namespace {

constexpr float kLeastPositive = std::numeric_limits<float>::denorm_min();
constexpr float kLowest = -std::numeric_limits<float>::infinity();

Status Aborted() { return Status(ErrorCode::kAborted, "the operation was aborted"); }

class DisjunctiveSearch {
 public:
  DisjunctiveSearch(const signatures::WordVectors* vectors, const SearchQuery& query,
                    const Cancelled& cancelled, Scratch& scratch)
      : vectors_(vectors),
        query_(query),
        cancelled_(cancelled),
        scratch_(scratch),
        slots_(scratch.slots),
        lookup_(query, cancelled, scratch),
        dense_(!query.vector.empty()),
        mean_codes_(slots_.MeanCodes()) {
    if (mean_codes_ > 0) {
      length_of_code_ = static_cast<float>(double{query.weights.length} / mean_codes_);
    }
  }

  Status Run(SearchResult& result) {
    result.mean_codes = mean_codes_;
    if (!lookup_.Prepare() || !ScoreSignatures(result.shares)) return Aborted();
    AddSpeakers();
    AddBoosts();
    if (!ScoreCandidates()) return Aborted();

    std::vector<FoundPiece> items;
    std::vector<SlotKey>& keys = scratch_.keys;
    float least = kLeastPositive;
    if (dense_) least = kLowest;
    FindBestSlots<Ties::kOlderFirst>(slots_, scratch_.scores, query_.limit, least, keys);
    std::sort(keys.begin(), keys.end(), std::greater<>());
    for (const SlotKey key : keys) {
      const std::uint32_t slot = SlotOfKey<Ties::kOlderFirst>(key);
      const float score = scratch_.scores[slot];
      const float dense = dense_ ? query_.weights.dense * scratch_.dense_scores[slot] : 0;
      const float place = query_.boosts.empty() ? 0 : scratch_.place_scores[slot];
      items.push_back({.score = score,
                       .words = scratch_.signature_scores[slot],
                       .dense = dense,
                       .place = place,
                       .slot = slot,
                       .end = TokensOf(slot)});
    }
    if (query_.weights.piece > 0) {
      PieceSearch pieces(query_, slots_, lookup_, result.shares, mean_codes_, scratch_.pieces);
      if (!pieces.Replace(items, cancelled_)) return Aborted();
      if (query_.weights.repeat > 0) {
        Repeats repeats(query_, slots_, scratch_.repeats);
        if (!repeats.Lower(items, cancelled_)) return Aborted();
      }
    }
    const bool has_pieces = std::any_of(items.begin(), items.end(), [this](const auto& item) {
      return item.end - item.begin != TokensOf(item.slot);
    });
    for (const FoundPiece& item : items) {
      result.entries.push_back(slots_.EntryOf(item.slot));
      result.scores.push_back(item.score);
      result.signature_scores.push_back(item.words);
      result.dense_scores.push_back(item.dense);
      if (!query_.boosts.empty()) result.place_scores.push_back(item.place);
      if (!has_pieces) continue;
      result.pieces.push_back(item.begin);
      result.pieces.push_back(item.end);
    }
    return Status::Ok();
  }

 private:
  std::uint32_t TokensOf(std::uint32_t slot) const {
    const Slots::Placed& placed = slots_.PartOf(slot);
    return placed.part->TokenSpan(slot - placed.first_slot).size();
  }

  // What a match in the entry is divided by.
  float Length(const Slots::Placed& placed, std::uint32_t slot) const {
    if (length_of_code_ == 0) return 1;
    const std::uint32_t codes = slots_.CodesOf(placed, slot);
    return 1 - query_.weights.length + length_of_code_ * static_cast<float>(codes);
  }

  // Fills scratch_.signature_scores and `shares`; false if given up.
  bool ScoreSignatures(std::vector<float>& shares) {
    scratch_.signature_scores.assign(slots_.size(), 0.0F);
    shares.assign(query_.codes.word_of.size(), 0.0F);
    scratch_.spread.Begin(query_.weights.neighbours, slots_.size());
    double total = 0;
    for (const std::uint32_t signature : lookup_.counted()) {
      double document_frequency = 0;
      if (!Enumerate(signature, document_frequency)) return false;
      const double rarity = lookup_.Rarity(document_frequency, slots_.wanted_count(), signature);
      scratch_.spread.AddTo(scratch_.signature_scores, static_cast<float>(rarity));
      shares[signature] = static_cast<float>(rarity);
      total += rarity;
    }
    const auto unit = static_cast<float>(total > 0 ? 1 / total : 0);
    for (float& score : scratch_.signature_scores) score *= unit;
    for (float& share : shares) share *= unit;
    return true;
  }

  // Gives all entries that match a signature to scratch_.spread; false if given up.
  bool Enumerate(std::uint32_t signature, double& document_frequency) {
    const std::span<const float> weights = lookup_.weights();
    matches_.assign(weights.size(), 0);
    const std::uint32_t generation = scratch_.NextGeneration(slots_.size());
    const auto meet = [&](const Slots::Placed& placed, std::uint32_t slot, std::uint16_t distance) {
      if (scratch_.seen[slot] == generation) return;
      scratch_.seen[slot] = generation;
      ++matches_[distance];
      scratch_.spread.Match(slots_, placed, slot, weights[distance] / Length(placed, slot));
    };
    lookup_.ForEachGiven(signature,
                         [&](std::uint32_t slot) { meet(slots_.PartOf(slot), slot, 0); });
    for (std::size_t part = 0; part < slots_.parts().size(); ++part) {
      const Slots::Placed& placed = slots_.parts()[part];
      const Ball& ball = lookup_.BallOf(signature, part);
      for (std::size_t i = 0; i < ball.codes.size(); ++i) {
        const std::uint16_t distance = ball.distances[i];
        if (!lookup_.Counts(signature, distance)) break;
        if (i % 64 == 0 && cancelled_()) return false;
        for (Part::Sweep sweep; !sweep.done;) {
          const std::size_t count =
              placed.part->EntriesOf(ball.codes[i], placed.size, sweep, scratch_.entries);
          if (count == 0) break;
          for (std::size_t j = 0; j < count; ++j) {
            const std::uint32_t slot = placed.first_slot + scratch_.entries[j];
            if (slots_.IsWanted(slot)) meet(placed, slot, distance);
          }
          if (count == scratch_.entries.size() && cancelled_()) return false;
        }
      }
    }
    document_frequency = 0;
    for (std::size_t distance = 0; distance < weights.size(); ++distance) {
      document_frequency += double{weights[distance]} * matches_[distance];
    }
    return true;
  }

  void AddSpeakers() {
    scratch_.scores.assign(scratch_.signature_scores.begin(), scratch_.signature_scores.end());
    // A speaker named by two of the question's words is named once.
    const auto first = query_.speakers.begin();
    for (std::size_t i = 0; i < query_.speakers.size(); ++i) {
      const auto here = first + static_cast<std::ptrdiff_t>(i);
      if (std::find(first, here, *here) != here) continue;
      for (const std::uint32_t slot : lookup_.SaidBy(i)) {
        scratch_.scores[slot] += query_.weights.speaker;
      }
    }
  }

  void AddBoosts() {
    if (query_.boosts.empty()) return;
    float best = 0;
    slots_.ForEachWanted([&](std::uint32_t slot) { best = std::max(best, scratch_.scores[slot]); });
    if (best == 0) best = 1;  // no word is known: then a place is all there is
    scratch_.place_scores.assign(slots_.size(), 0.0F);
    for (const SearchQuery::Boost& boost : query_.boosts) {
      for (const Slots::Placed& placed : slots_.parts()) {
        const std::uint32_t begin = std::max(boost.begin, placed.first_entry);
        const std::uint32_t end = std::min(boost.end, placed.first_entry + placed.size);
        for (std::uint32_t entry = begin; entry < end; ++entry) {
          const std::uint32_t slot = placed.first_slot + (entry - placed.first_entry);
          if (slots_.IsWanted(slot)) scratch_.place_scores[slot] += boost.weight * best;
        }
      }
    }
    slots_.ForEachWanted(
        [&](std::uint32_t slot) { scratch_.scores[slot] += scratch_.place_scores[slot]; });
  }

  // Fills scratch_.candidates with the best so far, newer ones first among equals.
  void ChooseCandidates() {
    std::vector<std::uint32_t>& chosen = scratch_.candidates;
    chosen.clear();
    const std::size_t limit = query_.weights.candidates;
    if (limit == 0) return;
    FindBestSlots<Ties::kNewerFirst>(slots_, scratch_.scores, limit, kLeastPositive, scratch_.keys);
    for (const SlotKey key : scratch_.keys) chosen.push_back(SlotOfKey<Ties::kNewerFirst>(key));
    if (chosen.size() < limit) {
      slots_.ForEachWantedFromNewest([&](std::uint32_t slot) {
        if (!(scratch_.scores[slot] > 0)) chosen.push_back(slot);
        return chosen.size() < limit;
      });
    }
    std::sort(chosen.begin(), chosen.end());  // so that windows that overlap follow each other
  }

  // Dense scores and what is forgotten; false if given up.
  bool ScoreCandidates() {
    const bool forgets = query_.forgetting.weight > 0;
    if (dense_) scratch_.dense_scores.assign(slots_.size(), 0.0F);
    if (!dense_ && !forgets && query_.recency.weight == 0) return true;
    ChooseCandidates();
    if (dense_) {
      DenseSearch dense(slots_, *vectors_, query_.vector, scratch_.dense);
      if (!dense.Score(scratch_.candidates, cancelled_, scratch_.dense_scores)) return false;
      for (const std::uint32_t slot : scratch_.candidates) {
        scratch_.scores[slot] += query_.weights.dense * scratch_.dense_scores[slot];
      }
    }
    if (query_.recency.weight > 0) AddRecency();
    if (forgets) Forget();
    return true;
  }

  void AddRecency() {
    if (IsAboutAnotherTime()) return;
    const double most = double{query_.recency.weight} * Alive();
    std::uint32_t newer = 0;
    std::uint32_t end = slots_.size();
    const std::vector<std::uint32_t>& candidates = scratch_.candidates;
    for (auto slot = candidates.rbegin(); slot != candidates.rend(); ++slot) {
      newer += slots_.CountWanted(*slot + 1, end);
      end = *slot + 1;
      scratch_.scores[*slot] += static_cast<float>(most / (1 + newer / query_.recency.entries));
    }
  }

  bool IsAboutAnotherTime() const {
    std::uint32_t end = 0;  // of the newest stretch of entries that is pointed at
    for (const SearchQuery::Mark& mark : query_.marks) {
      if (mark.begin < mark.end) end = std::max(end, mark.end);
    }
    for (const SearchQuery::Boost& boost : query_.boosts) {
      if (boost.begin < boost.end) end = std::max(end, boost.end);
    }
    if (end == 0) return false;
    return slots_.CountWanted(slots_.FirstSlotFrom(end), slots_.size()) > query_.recency.entries;
  }

  double Alive() const {
    const Recency& recency = query_.recency;
    double passed = std::numeric_limits<double>::infinity();
    std::uint32_t left = Recency::kNewest;
    slots_.ForEachWantedFromNewest([&](std::uint32_t slot) {
      const Slots::Placed& placed = slots_.PartOf(slot);
      const std::int64_t at = placed.part->Row(slot - placed.first_slot).at;
      passed = std::min(passed, static_cast<double>(recency.now) - static_cast<double>(at));
      return --left > 0;
    });
    return std::exp2(-std::max(0.0, passed) / recency.half_life_milliseconds);
  }

  void Forget() {
    const Forgetting& forgetting = query_.forgetting;
    std::vector<std::uint32_t> entries;
    for (const std::uint32_t slot : scratch_.candidates) entries.push_back(slots_.EntryOf(slot));
    const auto strengths = forgetting.strengths(entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::uint32_t slot = scratch_.candidates[i];
      const Slots::Placed& placed = slots_.PartOf(slot);
      const std::uint32_t recalls = strengths[i].recalls;
      const std::int64_t last =
          recalls > 0 ? strengths[i].last : placed.part->Row(slot - placed.first_slot).at;
      const double passed =
          std::max(0.0, static_cast<double>(forgetting.now) - static_cast<double>(last));
      const double retention =
          std::exp(-passed / (forgetting.stability_milliseconds * (1.0 + recalls)));
      scratch_.scores[slot] *=
          static_cast<float>(1 - forgetting.weight + forgetting.weight * retention);
    }
  }

  const signatures::WordVectors* const vectors_;
  const SearchQuery& query_;
  const Cancelled& cancelled_;
  Scratch& scratch_;
  const Slots& slots_;
  Lookup lookup_;
  const bool dense_;
  const double mean_codes_;
  float length_of_code_ = 0;            // what each code of an entry adds to its Length
  std::vector<std::uint32_t> matches_;  // of a signature: entries, by distance
};

}  // namespace

Status CheckQuery(std::size_t signature_words, const signatures::WordVectors* vectors,
                  const SearchQuery& query) {
  const std::size_t count = query.codes.word_of.size();
  if (query.codes.signatures.size() != count * signature_words ||
      (!query.codes.stems.empty() && query.codes.stems.size() != count)) {
    return Status(ErrorCode::kInternal, "signatures, stems and their words disagree");
  }
  if (!query.vector.empty() &&
      (vectors == nullptr || query.vector.size() != vectors->dimensions())) {
    return Status(ErrorCode::kInternal, "the query vector has the wrong length");
  }
  if (query.speakers.size() != query.speaker_codes.size()) {
    return Status(ErrorCode::kInternal, "speakers and their signatures disagree");
  }
  for (const std::uint32_t code : query.speaker_codes) {
    if (code != kNone && code >= count) {
      return Status(ErrorCode::kInternal, "a speaker's signature is not in the query");
    }
  }
  for (const SearchQuery::Mark& mark : query.marks) {
    if (mark.code >= count || mark.begin > mark.end) {
      return Status(ErrorCode::kInternal, "a mark is of no signature, or ends before it begins");
    }
  }
  if (!(query.weights.prune >= 0)) {
    return Status(ErrorCode::kInternal, "the prune weight is not a share");
  }
  if (!(query.weights.length >= 0 && query.weights.length < 1)) {
    return Status(ErrorCode::kInternal, "the length weight is not in [0, 1)");
  }
  for (const SearchQuery::Boost& boost : query.boosts) {
    if (!(boost.weight >= 0) || boost.begin > boost.end) {
      return Status(ErrorCode::kInternal, "a boost has no weight, or ends before it begins");
    }
  }
  const Recency& recency = query.recency;
  if (!(recency.weight >= 0 && recency.entries > 0 && recency.half_life_milliseconds > 0)) {
    return Status(ErrorCode::kInternal, "recency has no half life");
  }
  if (!(query.weights.bulk_free > 0 && query.weights.action_free > 0 &&
        query.weights.bulk_price >= 0 && query.weights.give_way >= 0 && query.weights.repeat >= 0 &&
        query.weights.repeat <= 1)) {
    return Status(ErrorCode::kInternal, "what is bulky has no price");
  }
  const Forgetting& forgetting = query.forgetting;
  if (!(forgetting.weight >= 0 && forgetting.weight <= 1) ||
      (forgetting.weight > 0 &&
       (!(forgetting.stability_milliseconds > 0) || !forgetting.strengths))) {
    return Status(ErrorCode::kInternal, "what is forgotten is not a share");
  }
  return Status::Ok();
}

Status Search(const Snapshot& snapshot, const signatures::WordVectors* vectors,
              const SearchQuery& query, const Cancelled& cancelled, SearchResult& result) {
  result = SearchResult();
  const Lease<Scratch> lease;
  Scratch& scratch = *lease;
  scratch.slots.Begin(snapshot, query.allowed.get());
  if (scratch.slots.wanted_count() == 0 || query.limit == 0) return Status::Ok();
  return DisjunctiveSearch(vectors, query, cancelled, scratch).Run(result);
}

}  // namespace dentate::bank
