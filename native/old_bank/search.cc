#include "old_bank/search.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "old_bank/dense_search.h"
#include "old_bank/lease.h"
#include "old_bank/scratch.h"
#include "old_bank/sweep.h"
#include "old_bank/top_entries.h"

namespace dentate::old_bank {
namespace {

Status Aborted() { return Status(ErrorCode::kAborted, "the operation was aborted"); }

// s^2 by distance, for s = cos(pi * distance / bits); 0 from a right angle on.
std::vector<float> WeightsByDistance(std::size_t bits) {
  std::vector<float> weights(bits + 1);
  for (std::size_t distance = 0; 2 * distance < bits; ++distance) {
    const double s =
        std::cos(std::numbers::pi * static_cast<double>(distance) / static_cast<double>(bits));
    weights[distance] = static_cast<float>(s * s);
  }
  return weights;
}

class DisjunctiveSearch {
 public:
  DisjunctiveSearch(const Bank& bank, const SearchQuery& query, const Cancelled& cancelled,
                    Scratch& scratch)
      : bank_(bank),
        query_(query),
        cancelled_(cancelled),
        scratch_(scratch),
        size_(bank.entry_count()),
        weights_(WeightsByDistance(bank.signature_words() * 64)) {
    const std::uint32_t codes = size_ == 0 ? 0 : bank.CodesBefore(size_);
    if (codes > 0) {
      length_of_code_ =
          query.weights.length * static_cast<float>(size_) / static_cast<float>(codes);
    }
  }

  Status Run(SearchResult& result) {
    result = SearchResult();
    if (size_ == 0 || query_.limit == 0) return Status::Ok();
    if (!ScoreSignatures(result.shares)) return Aborted();
    const bool dense = !query_.vector.empty();
    if (dense) DenseScores(bank_, size_, query_.vector, scratch_);
    if (cancelled_()) return Aborted();
    Combine(dense);

    TopEntries<Ties::kOlderFirst> top(query_.limit);
    for (std::uint32_t entry = 0; entry < size_; ++entry) {
      const float score = scratch_.scores[entry];
      if (dense || score > 0) top.Offer(score, entry);
    }
    for (const auto& [score, entry] : top.Take()) {
      result.entries.push_back(entry);
      result.scores.push_back(score);
      result.signature_scores.push_back(scratch_.signature_scores[entry]);
      result.dense_scores.push_back(dense ? scratch_.dense_scores[entry] : 0.0F);
    }
    return Status::Ok();
  }

 private:
  double Rarity(double document_frequency, std::uint32_t code) const {
    const double others = std::max(0.0, static_cast<double>(size_) - document_frequency);
    return std::log(1 + (others + 0.5) / (document_frequency + 0.5)) / codes_of_word_[code];
  }

  // What a match in the entry is divided by.
  float Length(std::uint32_t entry) const {
    const EntryTable::Row& row = bank_.entries().row(entry);
    return 1 - query_.weights.length +
           length_of_code_ * static_cast<float>(row.code_end - row.code_begin);
  }

  template <typename Visit>
  void ForEachEntryOfSpeaker(std::uint32_t speaker, Visit visit) const {
    for (std::uint32_t entry = 0; entry < size_;) {
      for (const std::uint32_t other : bank_.entries().speakers().Run(entry, size_)) {
        if (other == speaker) visit(entry);
        ++entry;
      }
    }
  }

  // Visits the entries that match a query signature whatever they say: those of the speakers it
  // names and those that are marked for it; an entry perhaps more than once.
  template <typename Visit>
  void ForEachGiven(std::uint32_t code, Visit visit) const {
    for (std::size_t i = 0; i < query_.speakers.size(); ++i) {
      if (query_.speaker_codes[i] == code) ForEachEntryOfSpeaker(query_.speakers[i], visit);
    }
    for (const SearchQuery::Mark& mark : query_.marks) {
      if (mark.code != code) continue;
      const std::uint32_t end = std::min(mark.end, size_);
      for (std::uint32_t entry = mark.begin; entry < end; ++entry) visit(entry);
    }
  }

  // Fills scratch_.signature_scores and `shares`; false if given up.
  bool ScoreSignatures(std::vector<float>& shares) {
    scratch_.signature_scores.assign(size_, 0.0F);
    shares.assign(query_.codes.word_of.size(), 0.0F);
    if (!FindBalls()) return false;
    scratch_.spread.Begin(query_.weights.neighbours, size_);
    double total = 0;
    for (const std::uint32_t code : scratch_.order) {
      double document_frequency = 0;
      if (!Enumerate(code, document_frequency)) return false;
      const double rarity = Rarity(document_frequency, code);
      scratch_.spread.AddTo(scratch_.signature_scores, static_cast<float>(rarity));
      shares[code] = static_cast<float>(rarity);
      total += rarity;
    }
    const auto unit = static_cast<float>(total > 0 ? 1 / total : 0);
    for (float& score : scratch_.signature_scores) score *= unit;
    for (float& share : shares) share *= unit;
    return true;
  }

  // Fills scratch_.balls, and scratch_.order with the signatures that count, rarest first.
  bool FindBalls() {
    const QueryCodes& codes = query_.codes;
    const std::size_t words = bank_.signature_words();
    const std::size_t count = codes.word_of.size();
    const std::size_t known = bank_.dictionary().size();
    codes_of_word_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      codes_of_word_[i] = static_cast<double>(
          std::count(codes.word_of.begin(), codes.word_of.end(), codes.word_of[i]));
    }
    if (scratch_.balls.size() < count) scratch_.balls.resize(count);
    std::vector<double> rarities(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (cancelled_()) return false;
      Ball& ball = scratch_.balls[i];
      scratch_.finder.Find(bank_.dictionary(), known,
                           std::span(codes.signatures).subspan(i * words, words),
                           codes.stems.empty() ? nullptr : &codes.stems[i], codes.radius, ball);
      double bound = 0;
      for (std::size_t j = 0; j < ball.codes.size(); ++j) {
        bound +=
            double{weights_[ball.distances[j]]} * bank_.dictionary().EntriesWith(ball.codes[j]);
      }
      ForEachGiven(i, [&bound](std::uint32_t) { bound += 1; });
      rarities[i] = Rarity(bound, i);
    }
    scratch_.order.resize(count);
    std::iota(scratch_.order.begin(), scratch_.order.end(), 0U);
    std::stable_sort(scratch_.order.begin(), scratch_.order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rarities[a] > rarities[b]; });
    if (count > query_.weights.codes) scratch_.order.resize(query_.weights.codes);
    double total = 0;
    for (const std::uint32_t i : scratch_.order) total += rarities[i];
    rarities_ = std::move(rarities);
    least_share_ = query_.weights.prune * total;
    BoundVisits();
    return true;
  }

  // Raises least_share_ until the codes that reach it have weights.visits entries in all, or are
  // those of the greatest share alone.
  void BoundVisits() {
    std::vector<std::pair<double, std::uint32_t>> shares;  // and the entries
    std::uint64_t visits = 0;
    for (const std::uint32_t i : scratch_.order) {
      const Ball& ball = scratch_.balls[i];
      for (std::size_t j = 0; j < ball.codes.size(); ++j) {
        const double share = rarities_[i] * double{weights_[ball.distances[j]]};
        if (share <= 0 || share < least_share_) break;  // what follows is farther off still
        shares.emplace_back(share, bank_.dictionary().EntriesWith(ball.codes[j]));
        visits += shares.back().second;
      }
    }
    if (visits <= query_.weights.visits) return;
    std::sort(shares.begin(), shares.end());
    for (std::size_t i = 0; i < shares.size() && visits > query_.weights.visits;) {
      const double share = shares[i].first;
      if (share == shares.back().first) break;
      while (shares[i].first == share) visits -= shares[i++].second;
      least_share_ = shares[i].first;
    }
  }

  // Gives all entries that match a signature to scratch_.spread; false if given up.
  bool Enumerate(std::uint32_t code, double& document_frequency) {
    const std::uint32_t generation = scratch_.NextGeneration(size_);
    const auto meet = [&](std::uint32_t entry, float weight) {
      if (scratch_.seen[entry] == generation) return;
      scratch_.seen[entry] = generation;
      document_frequency += weight;
      scratch_.spread.Match(bank_.entries(), entry, weight / Length(entry));
    };
    ForEachGiven(code, [&](std::uint32_t entry) { meet(entry, 1.0F); });
    const Ball& ball = scratch_.balls[code];
    for (std::size_t i = 0; i < ball.codes.size(); ++i) {
      const float weight = weights_[ball.distances[i]];
      // What follows is farther off still.
      if (weight <= 0 || rarities_[code] * double{weight} < least_share_) break;
      if (i % 64 == 0 && cancelled_()) return false;
      SweepCode(bank_, ball.codes[i], size_, scratch_.positions,
                [&](std::uint32_t entry) { meet(entry, weight); });
    }
    return true;
  }

  void Combine(bool dense) {
    scratch_.scores.assign(scratch_.signature_scores.begin(), scratch_.signature_scores.end());
    if (dense && query_.weights.dense != 0) {
      for (std::uint32_t entry = 0; entry < size_; ++entry) {
        scratch_.scores[entry] += query_.weights.dense * scratch_.dense_scores[entry];
      }
    }
    // A speaker named by two of the question's words is named once.
    for (std::size_t i = 0; i < query_.speakers.size(); ++i) {
      const auto first = query_.speakers.begin();
      const auto here = first + static_cast<std::ptrdiff_t>(i);
      if (std::find(first, here, *here) != here) continue;
      ForEachEntryOfSpeaker(
          *here, [&](std::uint32_t entry) { scratch_.scores[entry] += query_.weights.speaker; });
    }
  }

  const Bank& bank_;
  const SearchQuery& query_;
  const Cancelled& cancelled_;
  Scratch& scratch_;
  const std::uint32_t size_;  // the snapshot
  const std::vector<float> weights_;
  float length_of_code_ = 0;           // what each code of an entry adds to its Length
  std::vector<double> codes_of_word_;  // by query signature
  std::vector<double> rarities_;       // by query signature, from the dictionary's counts
  double least_share_ = 0;             // of rarity * g: what is below is not looked up
};

}  // namespace

Status CheckQuery(const Bank& bank, const SearchQuery& query) {
  const std::size_t count = query.codes.word_of.size();
  if (query.codes.signatures.size() != count * bank.signature_words() ||
      (!query.codes.stems.empty() && query.codes.stems.size() != count)) {
    return Status(ErrorCode::kInternal, "signatures, stems and their words disagree");
  }
  if (!query.vector.empty() && query.vector.size() != bank.dimensions()) {
    return Status(ErrorCode::kInternal, "the query vector has the wrong length");
  }
  if (query.speakers.size() != query.speaker_codes.size()) {
    return Status(ErrorCode::kInternal, "speakers and their signatures disagree");
  }
  for (const std::uint32_t code : query.speaker_codes) {
    if (code != EntryTable::kNone && code >= count) {
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
  return Status::Ok();
}

Status Search(const Bank& bank, const SearchQuery& query, const Cancelled& cancelled,
              SearchResult& result) {
  const Lease<Scratch> lease;
  return DisjunctiveSearch(bank, query, cancelled, *lease).Run(result);
}

}  // namespace dentate::old_bank
