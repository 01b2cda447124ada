#include "old_bank/search_all.h"

#include <array>
#include <cmath>
#include <numbers>

#include "old_bank/lease.h"
#include "old_bank/scratch.h"
#include "old_bank/sweep.h"
#include "old_bank/top_entries.h"

namespace dentate::old_bank {
namespace {

Status Aborted() { return Status(ErrorCode::kAborted, "the operation was aborted"); }

class ConjunctiveSearch {
 public:
  ConjunctiveSearch(const Bank& bank, const ConjunctiveQuery& query, const Cancelled& cancelled,
                    Scratch& scratch)
      : bank_(bank),
        query_(query),
        cancelled_(cancelled),
        scratch_(scratch),
        size_(bank.entry_count()),
        words_(bank.signature_words()),
        count_(query.codes.signatures.size() / words_) {}

  Status Run(SearchResult& result) {
    result = SearchResult();
    if (size_ == 0 || count_ == 0 || query_.limit == 0) return Status::Ok();
    FindBalls();
    const std::size_t least = LeastFrequent();
    const Ball& ball = scratch_.balls[least];
    TopEntries<Ties::kNewerFirst> top(query_.limit);
    const std::uint32_t generation = scratch_.NextGeneration(size_);
    bool given_up = false;
    std::uint32_t visits = 0;
    for (std::size_t i = 0; i < ball.codes.size() && !given_up; ++i) {
      SweepCode(bank_, ball.codes[i], size_, scratch_.positions, [&](std::uint32_t entry) {
        if (given_up || scratch_.seen[entry] == generation) return;
        scratch_.seen[entry] = generation;  // nearest codes come first: this is the best match
        if (++visits % 16 == 0 && cancelled_()) given_up = true;
        double sum = Similarity(ball.distances[i]);
        for (std::size_t other = 0; other < count_; ++other) {
          if (other == least) continue;
          const std::uint32_t distance = NearestIn(entry, scratch_.balls[other]);
          if (distance == kAbsent) return;
          sum += Similarity(distance);
        }
        top.Offer(static_cast<float>(sum / static_cast<double>(count_)), entry);
      });
      if (cancelled_()) given_up = true;
    }
    if (given_up) return Aborted();
    for (const auto& [score, entry] : top.Take()) {
      result.entries.push_back(entry);
      result.scores.push_back(score);
      result.signature_scores.push_back(score);
      result.dense_scores.push_back(0);
    }
    return Status::Ok();
  }

 private:
  static constexpr std::uint32_t kAbsent = 0xffffffff;
  static constexpr std::size_t kBatch = 16;

  double Similarity(std::uint32_t distance) const {
    return std::cos(std::numbers::pi * distance / static_cast<double>(words_ * 64));
  }

  void FindBalls() {
    const QueryCodes& codes = query_.codes;
    const std::size_t known = bank_.dictionary().size();
    if (scratch_.balls.size() < count_) scratch_.balls.resize(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      scratch_.finder.Find(
          bank_.dictionary(), known, std::span(codes.signatures).subspan(i * words_, words_),
          codes.stems.empty() ? nullptr : &codes.stems[i], codes.radius, scratch_.balls[i]);
    }
  }

  std::size_t LeastFrequent() const {
    std::size_t least = 0;
    std::uint64_t least_count = UINT64_MAX;
    for (std::size_t i = 0; i < count_; ++i) {
      std::uint64_t occurrences = 0;
      for (const std::uint32_t code : scratch_.balls[i].codes) {
        occurrences += bank_.codes().Count(Bank::CodeSymbol(code));
      }
      if (occurrences < least_count) {
        least = i;
        least_count = occurrences;
      }
    }
    return least;
  }

  // The distance of the ball's nearest code that the entry holds, or kAbsent.
  std::uint32_t NearestIn(std::uint32_t entry, const Ball& ball) const {
    const EntryTable::Row& row = bank_.entries().row(entry);
    std::array<std::uint32_t, 2 * kBatch> symbols;
    std::array<std::uint32_t, 2 * kBatch> positions;
    std::array<std::uint32_t, 2 * kBatch> ranks;
    for (std::size_t at = 0; at < ball.codes.size(); at += kBatch) {
      const std::size_t count = std::min(kBatch, ball.codes.size() - at);
      for (std::size_t i = 0; i < count; ++i) {
        symbols[2 * i] = symbols[2 * i + 1] = Bank::CodeSymbol(ball.codes[at + i]);
        positions[2 * i] = row.code_begin;
        positions[2 * i + 1] = row.code_end;
      }
      bank_.codes().RankMany(std::span(symbols).first(2 * count),
                             std::span(positions).first(2 * count), ranks.data());
      for (std::size_t i = 0; i < count; ++i) {
        if (ranks[2 * i + 1] > ranks[2 * i]) return ball.distances[at + i];
      }
    }
    return kAbsent;
  }

  const Bank& bank_;
  const ConjunctiveQuery& query_;
  const Cancelled& cancelled_;
  Scratch& scratch_;
  const std::uint32_t size_;  // the snapshot
  const std::size_t words_;
  const std::size_t count_;  // query signatures
};

}  // namespace

Status CheckQuery(const Bank& bank, const ConjunctiveQuery& query) {
  const std::size_t words = bank.signature_words();
  const std::size_t stems = query.codes.stems.size();
  const std::size_t values = query.codes.signatures.size();
  if (values % words != 0 || (stems != 0 && stems != values / words)) {
    return Status(ErrorCode::kInternal, "signatures and stems disagree");
  }
  return Status::Ok();
}

Status SearchAll(const Bank& bank, const ConjunctiveQuery& query, const Cancelled& cancelled,
                 SearchResult& result) {
  const Lease<Scratch> lease;
  return ConjunctiveSearch(bank, query, cancelled, *lease).Run(result);
}

}  // namespace dentate::old_bank
