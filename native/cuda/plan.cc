#include "cuda/plan.h"

#include <algorithm>
#include <bit>

namespace dentate::cuda {

std::uint32_t ListCapacity(std::uint32_t rows) {
  return rows >= kListCapacity ? kListCapacity : std::bit_ceil(std::max(rows, 1U));
}

std::vector<Round> PlanRounds(std::uint32_t rows, std::uint32_t keep, std::uint32_t capacity) {
  std::vector<Round> rounds;
  std::uint64_t done = std::min(rows, capacity);
  if (done > 0) rounds.push_back({0, static_cast<std::uint32_t>(done), true, 0});
  // From n to g·n rows, keep·(g - 1) are expected to be better than the best `keep` of the first n.
  const std::uint64_t growth =
      std::clamp<std::uint64_t>(capacity / (4 * std::max<std::uint64_t>(keep, 1)), 1, 63) + 1;
  while (done < rows) {
    const std::uint64_t end = std::min<std::uint64_t>(rows, done * growth);
    rounds.push_back({static_cast<std::uint32_t>(done), static_cast<std::uint32_t>(end), false, 0});
    done = end;
  }
  return rounds;
}

std::vector<Round> PlanDenseRounds(std::uint32_t rows, std::uint32_t keep, std::uint32_t capacity) {
  std::vector<Round> rounds;
  std::uint64_t done = 0;
  while (done < rows) {
    const auto kept = static_cast<std::uint32_t>(std::min<std::uint64_t>(done, keep));
    const std::uint64_t end = std::min<std::uint64_t>(rows, done + capacity - kept);
    rounds.push_back(
        {static_cast<std::uint32_t>(done), static_cast<std::uint32_t>(end), true, kept});
    done = end;
  }
  return rounds;
}

std::vector<Window> PlanWindows(std::span<const std::uint32_t> counts, std::uint32_t room,
                                std::span<std::uint32_t> places) {
  std::vector<Window> windows;
  Window window;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (window.count > 0 && std::uint64_t{window.matches} + counts[i] > room) {
      windows.push_back(window);
      window = {static_cast<std::uint32_t>(i), 0, 0};
    }
    places[i] = window.matches;
    window.matches += counts[i];
    ++window.count;
  }
  if (window.count > 0) windows.push_back(window);
  return windows;
}

std::uint32_t RowsIn(std::uint64_t bytes, std::uint64_t row_bytes, std::uint64_t most) {
  const std::uint64_t fit = bytes / std::max<std::uint64_t>(row_bytes, 1);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(fit, 1, std::max<std::uint64_t>(most, 1)));
}

}  // namespace dentate::cuda
