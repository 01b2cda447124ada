// The working memory of a search (lease.h).

#ifndef DENTATE_BANK_SCRATCH_H_
#define DENTATE_BANK_SCRATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bank/ball.h"
#include "bank/best_slots.h"
#include "bank/dense_search.h"
#include "bank/piece_search_scratch.h"
#include "bank/slots.h"
#include "bank/spread.h"

namespace dentate::bank {

struct Scratch {
  // What a thread keeps between searches: about the need of a bank of 300,000 entries.
  static constexpr std::size_t kKeepBytes = std::size_t{8} << 20;

  Slots slots;
  BallFinder finder;
  std::vector<Ball> balls;                  // by query signature, then by part
  std::array<std::uint32_t, 1024> entries;  // of one stretch of a sweep

  // seen[slot] == generation: the current signature has met the slot. No generation is used twice.
  std::vector<std::uint32_t> seen;
  std::uint32_t generation = 0;

  Spread spread;
  std::vector<std::vector<std::uint32_t>> said;  // slots, by speaker whom the question names
  std::vector<std::uint32_t> candidates;         // slots
  std::vector<SlotKey> keys;                     // of slots, while the best are chosen
  std::vector<float> signature_scores;           // by slot, as are the next three
  std::vector<float> dense_scores;
  std::vector<float> place_scores;
  std::vector<float> scores;
  DenseScratch dense;
  PieceScratch pieces;
  RepeatScratch repeats;

  // A number that no item of `seen`, made at least `size` long, holds.
  std::uint32_t NextGeneration(std::size_t size);

  std::size_t SizeInBytes() const noexcept;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_SCRATCH_H_
