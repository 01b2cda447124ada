#include "bank/best_slots.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace dentate::bank {
namespace {

// Odd, since two speakers who take turns have scores that differ.
constexpr std::uint32_t kStride = 17;

// What about `limit` slots or somewhat more reach; `least` where that cannot be told.
float GuessBar(const Slots& slots, std::span<const float> scores, std::size_t limit, float least,
               std::vector<SlotKey>& sample) {
  sample.clear();
  for (std::uint32_t slot = 0; slot < slots.size(); slot += kStride) {
    if (!slots.IsWanted(slot) || scores[slot] < least) continue;
    sample.push_back(KeyOf<Ties::kNewerFirst>(scores[slot], slot));
  }
  // So many of the sample are expected among the best, and three standard deviations more.
  const double expected = static_cast<double>(limit) / kStride;
  const auto rank = static_cast<std::size_t>(expected + 3 * std::sqrt(expected)) + 1;
  if (rank >= sample.size()) return least;
  const auto at = sample.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(sample.begin(), at, sample.end(), std::greater<>());
  return scores[SlotOfKey<Ties::kNewerFirst>(*at)];
}

template <Ties kTies>
void Gather(const Slots& slots, std::span<const float> scores, float bar,
            std::vector<SlotKey>& keys) {
  keys.clear();
  slots.ForEachWanted([&](std::uint32_t slot) {
    if (scores[slot] >= bar) keys.push_back(KeyOf<kTies>(scores[slot], slot));
  });
}

}  // namespace

template <Ties kTies>
void FindBestSlots(const Slots& slots, std::span<const float> scores, std::size_t limit,
                   float least, std::vector<SlotKey>& keys) {
  const float bar = GuessBar(slots, scores, limit, least, keys);
  Gather<kTies>(slots, scores, bar, keys);
  if (keys.size() < limit && bar > least) Gather<kTies>(slots, scores, least, keys);
  if (keys.size() <= limit) return;
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(limit);
  std::nth_element(keys.begin(), end, keys.end(), std::greater<>());
  keys.erase(end, keys.end());
}

template void FindBestSlots<Ties::kOlderFirst>(const Slots&, std::span<const float>, std::size_t,
                                               float, std::vector<SlotKey>&);
template void FindBestSlots<Ties::kNewerFirst>(const Slots&, std::span<const float>, std::size_t,
                                               float, std::vector<SlotKey>&);

}  // namespace dentate::bank
