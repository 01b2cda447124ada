#include "bank/best_slots.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "bank/search_banks.h"

namespace dentate::bank::test {
namespace {

// The best by a sort of all.
template <Ties kTies>
std::vector<std::uint32_t> Sorted(const Slots& slots, const std::vector<float>& scores,
                                  std::size_t limit, float least) {
  std::vector<std::uint32_t> best;
  slots.ForEachWanted([&](std::uint32_t slot) {
    if (scores[slot] >= least) best.push_back(slot);
  });
  std::sort(best.begin(), best.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (scores[a] != scores[b]) return scores[a] > scores[b];
    return kTies == Ties::kOlderFirst ? a < b : a > b;
  });
  best.resize(std::min(best.size(), limit));
  return best;
}

template <Ties kTies>
void Check(const Slots& slots, const std::vector<float>& scores, std::size_t limit, float least) {
  std::vector<SlotKey> keys;
  FindBestSlots<kTies>(slots, scores, limit, least, keys);
  std::sort(keys.begin(), keys.end(), std::greater<>());
  std::vector<std::uint32_t> found;
  for (const SlotKey key : keys) found.push_back(SlotOfKey<kTies>(key));
  CHECK(found == Sorted<kTies>(slots, scores, limit, least));
}

}  // namespace

TEST_CASE("the best slots are those of a sort of all, whatever a sample says") {
  constexpr std::uint32_t kTurns = 1500;
  RandomTurns turns(1);
  const auto bank = NewBank();
  AppendTo(*bank, turns.MakeMany(kTurns, 1));
  const auto snapshot = bank->Read(1);
  std::mt19937 random(2);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random()) % limit;
  };
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    EntryMask allowed(snapshot->entry_count, true);
    if (round % 3 == 1) {  // few
      allowed = EntryMask(snapshot->entry_count, false);
      for (std::uint32_t i = 0; i < snapshot->entry_count; i += 1 + below(40)) allowed.Set(i);
    }
    Slots slots;
    slots.Begin(*snapshot, &allowed);
    std::vector<float> scores(slots.size());
    for (std::uint32_t slot = 0; slot < scores.size(); ++slot) {
      const auto at = static_cast<float>(below(round % 2 == 0 ? 7 : 100'000));
      scores[slot] = at - static_cast<float>(round % 4);
      // Those that a sample may look at are better than all others, or worse.
      if (round % 5 == 3) scores[slot] += slot % 17 == 0 ? 1e6F : 0.0F;
      if (round % 5 == 4) scores[slot] -= slot % 17 == 0 ? 1e6F : 0.0F;
      if (scores[slot] == 0 && slot % 2 == 0) scores[slot] = -0.0F;
    }
    for (const std::size_t limit : {1, 20, 300, 2000}) {
      for (const float least :
           {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::denorm_min()}) {
        Check<Ties::kOlderFirst>(slots, scores, limit, least);
        Check<Ties::kNewerFirst>(slots, scores, limit, least);
      }
    }
  }
}

}  // namespace dentate::bank::test
