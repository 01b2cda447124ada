// The entries of greatest score, kept while scores go by.
//
// Up to 2 * limit candidates are held; when they are full the better half stays, and its worst sets
// the bar for what comes. Nearly every entry of a large bank fails one comparison.
//
// Order: greater score first; of equal scores the lower entry, or the higher (Ties::kNewerFirst).
//
// Cost. O(entries + limit * log(limit)), in expectation over their order.

#ifndef DENTATE_OLD_BANK_TOP_ENTRIES_H_
#define DENTATE_OLD_BANK_TOP_ENTRIES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dentate::old_bank {

enum class Ties : std::uint8_t { kOlderFirst, kNewerFirst };

template <Ties kTies>
class TopEntries {
 public:
  struct Candidate {
    float score;
    std::uint32_t entry;
  };

  explicit TopEntries(std::size_t limit) : limit_(limit) {}

  // REQUIRES: score is a number.
  void Offer(float score, std::uint32_t entry) {
    if (score < bar_ || limit_ == 0) return;
    kept_.push_back({score, entry});
    if (kept_.size() >= 2 * limit_) Shrink();
  }

  // The best `limit`, best first. The object is used up.
  std::vector<Candidate> Take() {
    if (kept_.size() > limit_) Shrink();
    std::sort(kept_.begin(), kept_.end(), Better);
    return std::move(kept_);
  }

 private:
  static bool Better(const Candidate& a, const Candidate& b) noexcept {
    if (a.score != b.score) return a.score > b.score;
    return kTies == Ties::kOlderFirst ? a.entry < b.entry : a.entry > b.entry;
  }

  void Shrink() {
    const auto middle = kept_.begin() + static_cast<std::ptrdiff_t>(limit_ - 1);
    std::nth_element(kept_.begin(), middle, kept_.end(), Better);
    kept_.resize(limit_);
    bar_ = kept_.back().score;  // the worst of those that stay
  }

  std::size_t limit_;
  std::vector<Candidate> kept_;
  float bar_ = -std::numeric_limits<float>::infinity();
};

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_TOP_ENTRIES_H_
