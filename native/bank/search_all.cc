#include "bank/search_all.h"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "bank/lease.h"
#include "bank/scratch.h"
#include "bank/top_entries.h"

namespace dentate::bank {
namespace {

Status Aborted() { return Status(ErrorCode::kAborted, "the operation was aborted"); }

class ConjunctiveSearch {
 public:
  ConjunctiveSearch(const ConjunctiveQuery& query, const Cancelled& cancelled, Scratch& scratch)
      : query_(query),
        cancelled_(cancelled),
        scratch_(scratch),
        slots_(scratch.slots),
        words_(slots_.parts().front().part->signature_words()),
        count_(query.codes.signatures.size() / words_),
        distances_(count_) {}

  Status Run(SearchResult& result) {
    if (count_ == 0) return Status::Ok();
    FindBalls();
    const std::size_t least = LeastFrequent();
    TopEntries<Ties::kNewerFirst> top(query_.limit);
    const std::uint32_t generation = scratch_.NextGeneration(slots_.size());
    std::uint32_t visits = 0;
    for (std::size_t part = 0; part < slots_.parts().size(); ++part) {
      const Slots::Placed& placed = slots_.parts()[part];
      const Ball& ball = BallOf(least, part);
      for (std::size_t i = 0; i < ball.codes.size(); ++i) {
        if (cancelled_()) return Aborted();
        distances_[least] = ball.distances[i];
        for (Part::Sweep sweep; !sweep.done;) {
          const std::size_t found =
              placed.part->EntriesOf(ball.codes[i], placed.size, sweep, scratch_.entries);
          if (found == 0) break;
          for (std::size_t j = 0; j < found; ++j) {
            const std::uint32_t slot = placed.first_slot + scratch_.entries[j];
            if (!slots_.IsWanted(slot) || scratch_.seen[slot] == generation) continue;
            scratch_.seen[slot] = generation;  // nearest codes come first: this is the best match
            if (++visits % 16 == 0 && cancelled_()) return Aborted();
            if (HoldsAll(placed, part, scratch_.entries[j], least)) top.Offer(Score(), slot);
          }
        }
      }
    }
    for (const auto& [score, slot] : top.Take()) {
      result.entries.push_back(slots_.EntryOf(slot));
      result.scores.push_back(score);
      result.signature_scores.push_back(score);
      result.dense_scores.push_back(0);
    }
    return Status::Ok();
  }

 private:
  static constexpr std::uint32_t kAbsent = 0xffffffff;
  static constexpr std::size_t kBatch = 16;

  const Ball& BallOf(std::size_t signature, std::size_t part) const {
    return scratch_.balls[signature * slots_.parts().size() + part];
  }

  // The mean similarity at distances_, summed in the order of the signatures.
  float Score() const {
    double sum = 0;
    for (const std::uint32_t distance : distances_) {
      sum += std::cos(std::numbers::pi * distance / static_cast<double>(words_ * 64));
    }
    return static_cast<float>(sum / static_cast<double>(count_));
  }

  void FindBalls() {
    const QueryCodes& codes = query_.codes;
    const std::span<const Slots::Placed> parts = slots_.parts();
    if (scratch_.balls.size() < count_ * parts.size()) {
      scratch_.balls.resize(count_ * parts.size());
    }
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t part = 0; part < parts.size(); ++part) {
        if (codes.known != nullptr) {
          scratch_.finder.SetKnown(codes.known->Of(parts[part].part->id(), i));
        }
        parts[part].part->FindBall(std::span(codes.signatures).subspan(i * words_, words_),
                                   codes.stems.empty() ? nullptr : &codes.stems[i], codes.radius,
                                   scratch_.finder, scratch_.balls[i * parts.size() + part]);
      }
    }
  }

  std::size_t LeastFrequent() const {
    std::size_t least = 0;
    std::uint64_t least_count = UINT64_MAX;
    for (std::size_t i = 0; i < count_; ++i) {
      std::uint64_t occurrences = 0;
      for (std::size_t part = 0; part < slots_.parts().size(); ++part) {
        for (const std::uint32_t code : BallOf(i, part).codes) {
          occurrences += slots_.parts()[part].part->OccurrencesOf(code);
        }
      }
      if (occurrences < least_count) {
        least = i;
        least_count = occurrences;
      }
    }
    return least;
  }

  // Whether the entry holds a code of every other ball; then distances_ has those of the nearest.
  bool HoldsAll(const Slots::Placed& placed, std::size_t part, std::uint32_t entry,
                std::size_t least) {
    const Interval32 span = placed.part->CodeSpan(entry);
    for (std::size_t other = 0; other < count_; ++other) {
      if (other == least) continue;
      distances_[other] = NearestIn(*placed.part, span, BallOf(other, part));
      if (distances_[other] == kAbsent) return false;
    }
    return true;
  }

  // The distance of the ball's nearest code at these positions, or kAbsent.
  static std::uint32_t NearestIn(const Part& part, Interval32 positions, const Ball& ball) {
    std::array<std::uint32_t, kBatch> counts;
    for (std::size_t at = 0; at < ball.codes.size(); at += kBatch) {
      const std::size_t count = std::min(kBatch, ball.codes.size() - at);
      part.CountIn(std::span(ball.codes).subspan(at, count), positions, counts.data());
      for (std::size_t i = 0; i < count; ++i) {
        if (counts[i] > 0) return ball.distances[at + i];
      }
    }
    return kAbsent;
  }

  const ConjunctiveQuery& query_;
  const Cancelled& cancelled_;
  Scratch& scratch_;
  const Slots& slots_;
  const std::size_t words_;
  const std::size_t count_;               // query signatures
  std::vector<std::uint32_t> distances_;  // by signature: of the entry at hand
};

}  // namespace

Status CheckQuery(std::size_t signature_words, const ConjunctiveQuery& query) {
  const std::size_t stems = query.codes.stems.size();
  const std::size_t values = query.codes.signatures.size();
  if (values % signature_words != 0 || (stems != 0 && stems != values / signature_words)) {
    return Status(ErrorCode::kInternal, "signatures and stems disagree");
  }
  return Status::Ok();
}

Status SearchAll(const Snapshot& snapshot, const ConjunctiveQuery& query,
                 const Cancelled& cancelled, SearchResult& result) {
  result = SearchResult();
  const Lease<Scratch> lease;
  Scratch& scratch = *lease;
  scratch.slots.Begin(snapshot, query.allowed.get());
  if (scratch.slots.wanted_count() == 0 || query.limit == 0) return Status::Ok();
  return ConjunctiveSearch(query, cancelled, scratch).Run(result);
}

}  // namespace dentate::bank
