// The k best of what is offered: the highest scores; of equal scores, the lower ids.
//
// A candidate is one number: the score's bits, turned so that a greater score is a lesser number,
// above the id. The k least are kept in a heap with the greatest on top.
//
// Cost: O(log k) for each candidate that enters; 8 bytes each.

#ifndef DENTATE_ACCELERATE_BEST_ROWS_H_
#define DENTATE_ACCELERATE_BEST_ROWS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dentate::accelerate {

class BestRows {
 public:
  // REQUIRES: k > 0.
  explicit BestRows(std::size_t k) : k_(k) {}

  // REQUIRES: score is a number.
  void Offer(std::uint32_t id, float score) {
    const std::uint64_t key = KeyOf(id, score);
    if (heap_.size() < k_) {
      heap_.push_back(key);
      std::push_heap(heap_.begin(), heap_.end());
    } else if (key < heap_.front()) {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = key;
      std::push_heap(heap_.begin(), heap_.end());
    }
  }

  // Below this score nothing enters any more.
  float least() const noexcept {
    return heap_.size() < k_ ? -std::numeric_limits<float>::infinity() : ScoreOf(heap_.front());
  }

  // Takes over what another one has kept.
  void Merge(const BestRows& other) {
    for (const std::uint64_t key : other.heap_) Offer(IdOf(key), ScoreOf(key));
  }

  // What is kept, best first. Ends the use of this object.
  const std::vector<std::uint64_t>& Sort() {
    std::sort_heap(heap_.begin(), heap_.end());
    return heap_;
  }

  static std::uint32_t IdOf(std::uint64_t key) noexcept { return static_cast<std::uint32_t>(key); }
  static float ScoreOf(std::uint64_t key) noexcept {
    const auto turned = ~static_cast<std::uint32_t>(key >> 32);
    return std::bit_cast<float>((turned & kSign) != 0 ? turned ^ kSign : ~turned);
  }

 private:
  static constexpr std::uint32_t kSign = std::uint32_t{1} << 31;

  // Positive floats are ordered as their bits, negative ones against them; + 0 makes -0 0.
  static std::uint64_t KeyOf(std::uint32_t id, float score) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(score + 0.0F);
    const std::uint32_t ascending = (bits & kSign) != 0 ? ~bits : bits ^ kSign;
    return (static_cast<std::uint64_t>(~ascending) << 32) | id;
  }

  std::size_t k_;
  std::vector<std::uint64_t> heap_;
};

}  // namespace dentate::accelerate

#endif  // DENTATE_ACCELERATE_BEST_ROWS_H_
