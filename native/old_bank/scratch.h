// The working memory of a search (lease.h).

#ifndef DENTATE_OLD_BANK_SCRATCH_H_
#define DENTATE_OLD_BANK_SCRATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "old_bank/ball.h"
#include "old_bank/spread.h"

namespace dentate::old_bank {

struct Scratch {
  // What a thread keeps between searches: about the need of a bank of 300,000 entries.
  static constexpr std::size_t kKeepBytes = std::size_t{8} << 20;

  BallFinder finder;
  std::vector<Ball> balls;                    // one a query signature
  std::vector<std::uint32_t> order;           // of the query signatures, then of the entries
  std::array<std::uint32_t, 1024> positions;  // of one stretch of a sweep

  // seen[e] == generation: the current signature has met entry e. No generation is used twice.
  std::vector<std::uint32_t> seen;
  std::uint32_t generation = 0;

  Spread spread;
  std::vector<std::int32_t> integer_dots;  // by entry, as are the next four
  std::vector<float> dots;
  std::vector<float> signature_scores;
  std::vector<float> dense_scores;
  std::vector<float> scores;
  std::vector<std::int16_t> query_vector;

  // A number that no item of `seen`, made at least `size` long, holds.
  std::uint32_t NextGeneration(std::size_t size);

  std::size_t SizeInBytes() const noexcept;
};

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_SCRATCH_H_
