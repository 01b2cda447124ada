#include "accelerate/cosine_search.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <limits>

#include "accelerate/best_rows.h"
#include "accelerate/cosine_kernels.h"
#include "accelerate/query_set.h"
#include "hamming/parallel.h"

namespace dentate::accelerate {
namespace {

// Rows of a single query's block: its products lie in the first-level cache.
constexpr std::size_t kSingleRows = 256;
// Rows that every panel is held against before the next: they lie in the second-level cache.
constexpr std::size_t kSharedRows = 4 * kBlockRows;

// One thread's share of a search.
class Part {
 public:
  Part(const VectorTable& table, const QuerySet& queries, std::size_t k)
      : table_(table),
        queries_(queries),
        error_(static_cast<float>(table.stride() + 8) / (1 << 24)),
        best_(queries.size(), BestRows(k)),
        least_((queries.size() + kPanelQueries) / kPanelQueries * kPanelQueries,
               std::numeric_limits<float>::infinity()) {
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (!queries.IsZero(q)) least_[q] = -std::numeric_limits<float>::infinity();
    }
  }

  BestRows& BestOf(std::size_t query) noexcept { return best_[query]; }

  // REQUIRES: blocks come in ascending order.
  void SearchBlock(std::size_t begin, std::size_t end) {
    if (queries_.panels().empty()) {
      SearchOne(begin, end);
    } else {
      for (const Panel& panel : queries_.panels()) {
        for (std::size_t at = begin; at < end; at += kBlockRows) {
          SearchPanel(panel, at, std::min(kBlockRows, end - at));
        }
      }
    }
  }

 private:
  void SearchOne(std::size_t begin, std::size_t end) {
    const std::size_t stride = table_.stride();
    float products[kSingleRows];
    for (; begin < end; begin += kSingleRows) {
      const std::size_t rows = std::min(kSingleRows, end - begin);
      ActiveCosineKernels().products(queries_.Unit(0), table_.Row(begin), stride, rows, products);
      for (std::size_t i = 0; i < rows; ++i) {
        Consider(0, begin + i, products[i] * table_.inverses()[begin + i]);
      }
    }
  }

  void SearchPanel(const Panel& panel, std::size_t begin, std::size_t rows) {
    const std::size_t found = ActiveCosineKernels().hits(
        panel.values.get(), panel.width, table_.Row(begin), table_.stride(), rows,
        table_.inverses() + begin, least_.data() + panel.first, hits_);
    for (std::size_t i = 0; i < found; ++i) {
      Consider(panel.first + hits_[i].query, begin + hits_[i].row, hits_[i].cosine);
    }
  }

  void Consider(std::size_t query, std::size_t row, float about) {
    if (!(about >= least_[query])) return;
    best_[query].Offer(static_cast<std::uint32_t>(row),
                       queries_.CosineWith(query, table_.Row(row)));
    least_[query] = best_[query].least() - error_;
  }

  const VectorTable& table_;
  const QuerySet& queries_;
  const float error_;
  std::vector<BestRows> best_;
  std::vector<float> least_;  // of each query: what a kernel's cosine has to be, for a look
  Hit hits_[kBlockRows * kPanelQueries];
};

// Every row has cosine 0.
void TakeFirstRows(std::size_t k, std::uint32_t* ids, float* scores) {
  for (std::size_t i = 0; i < k; ++i) {
    ids[i] = static_cast<std::uint32_t>(i);
    scores[i] = 0;
  }
}

}  // namespace

Status CosineTopK(const VectorTable& table, std::span<const float> queries, std::size_t k,
                  const SearchOptions& options, CosineMatches& matches) {
  assert(k > 0 && queries.size() % table.dimensions() == 0);
  const QuerySet asked(queries, table.dimensions());
  matches.k = std::min(k, table.size());
  matches.ids.resize(asked.size() * matches.k);
  matches.scores.resize(asked.size() * matches.k);
  if (matches.ids.empty()) return Status::Ok();

  // A thread is worth its start for so much work, of which one query does as much as 16 of a panel.
  const std::size_t bytes = table.size() * table.stride() * sizeof(float);
  const std::size_t work = bytes * (1 + asked.size() / kPanelLanes);
  std::vector<Part> parts(hamming::PartCount(work, options.threads), Part(table, asked, matches.k));
  std::atomic<bool> aborted{false};
  hamming::ForEachPart(0, table.size(), parts.size(),
                       [&](std::size_t part, std::size_t begin, std::size_t end) {
                         for (; begin < end && !aborted; begin += kSharedRows) {
                           if (options.cancelled && options.cancelled()) aborted = true;
                           parts[part].SearchBlock(begin, std::min(end, begin + kSharedRows));
                         }
                       });
  if (aborted) return {ErrorCode::kAborted, "the operation was aborted"};

  for (std::size_t q = 0; q < asked.size(); ++q) {
    std::size_t at = q * matches.k;
    if (asked.IsZero(q)) {
      TakeFirstRows(matches.k, matches.ids.data() + at, matches.scores.data() + at);
      continue;
    }
    BestRows& best = parts[0].BestOf(q);
    for (std::size_t part = 1; part < parts.size(); ++part) best.Merge(parts[part].BestOf(q));
    for (const std::uint64_t key : best.Sort()) {
      matches.ids[at] = BestRows::IdOf(key);
      matches.scores[at++] = BestRows::ScoreOf(key);
    }
  }
  return Status::Ok();
}

}  // namespace dentate::accelerate
