#include "bank/dense_search.h"

#include <algorithm>
#include <cmath>

#include "vectors/dot.h"

namespace dentate::bank {
namespace {

constexpr std::size_t kAhead = 6;  // slots whose rows are asked for before they are looked at

}  // namespace

std::size_t DenseScratch::SizeInBytes() const noexcept {
  return builder.SizeInBytes() + query.capacity() * sizeof(std::int16_t) +
         stretches.capacity() * sizeof(Slots::Stretch) +
         missing.capacity() * sizeof(std::uint32_t) + rows.capacity();
}

DenseSearch::DenseSearch(const Slots& slots, const signatures::WordVectors& vectors,
                         std::span<const float> query, DenseScratch& scratch)
    : slots_(slots), vectors_(vectors), scratch_(scratch) {
  scratch_.query.resize(query.size());
  scratch_.rows.resize(kWindow * query.size());
  vectors::QuantizeQuery(query, scratch_.query);
  double squared = 0;
  for (const double value : scratch_.query) squared += value * value;
  if (squared > 0) inverse_length_ = 1 / std::sqrt(squared);
}

bool DenseSearch::Score(std::span<const std::uint32_t> chosen, const Cancelled& cancelled,
                        std::span<float> cosines) {
  FindMissing(chosen);
  if (!BuildMissing(cancelled)) return false;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i % 256 == 0 && cancelled()) return false;
    cosines[chosen[i]] = Cosine(chosen[i], scratch_.stretches[i]);
  }
  return true;
}

// The slots of whole windows that have no vector; what links lead to is built when it is met.
void DenseSearch::FindMissing(std::span<const std::uint32_t> chosen) {
  scratch_.stretches.clear();
  scratch_.missing.clear();
  std::uint32_t next = 0;  // windows overlap: slots before it have been looked at
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i + kAhead < chosen.size()) {
      const Slots::Placed& ahead = slots_.PartOf(chosen[i + kAhead]);
      ahead.part->entry_vectors().Prefetch(chosen[i + kAhead] - ahead.first_slot,
                                           vectors_.dimensions());
    }
    const std::uint32_t slot = chosen[i];
    const Slots::Placed& placed = slots_.PartOf(slot);
    const Slots::Stretch stretch = slots_.StretchOf(placed, slot, kSide);
    scratch_.stretches.push_back(stretch);
    if (!stretch.whole) continue;
    next = std::max(next, slot - stretch.left);
    for (; next <= slot + stretch.right; ++next) {
      const EntryVectors& kept = placed.part->entry_vectors();
      if (kept.Find(next - placed.first_slot, vectors_.dimensions()) != nullptr) continue;
      scratch_.missing.push_back(next);
    }
  }
}

bool DenseSearch::BuildMissing(const Cancelled& cancelled) {
  const std::span<const std::uint32_t> missing = scratch_.missing;
  for (std::size_t i = 0; i < missing.size();) {
    if (cancelled()) return false;
    const Slots::Placed& placed = slots_.PartOf(missing[i]);
    const std::uint32_t limit =
        std::min(placed.first_slot + placed.size, missing[i] + VectorBuilder::kMostEntries);
    std::size_t end = i + 1;
    while (end < missing.size() && missing[end] == missing[end - 1] + 1 && missing[end] < limit) {
      ++end;
    }
    scratch_.builder.Build(*placed.part, missing[i] - placed.first_slot,
                           missing[end - 1] + 1 - placed.first_slot, vectors_);
    i = end;
  }
  return true;
}

void DenseSearch::Push(const Slots::Placed& placed, std::uint32_t slot, std::size_t distance,
                       Window& window) {
  const std::size_t dimensions = scratch_.query.size();
  const std::uint32_t entry = slot - placed.first_slot;
  const std::int8_t* row = placed.part->entry_vectors().Find(entry, dimensions);
  if (row == nullptr) {
    scratch_.builder.Build(*placed.part, entry, entry + 1, vectors_);
    const auto room = std::span(scratch_.rows).subspan(window.count * dimensions, dimensions);
    std::copy(scratch_.builder.rows().begin(), scratch_.builder.rows().end(), room.begin());
    row = room.data();
  }
  window.rows[window.count] = row;
  window.weights[window.count++] = kWeights[distance];
}

float DenseSearch::Cosine(std::uint32_t slot, const Slots::Stretch& stretch) {
  Window window;
  const Slots::Placed& placed = slots_.PartOf(slot);
  Push(placed, slot, 0, window);
  if (stretch.whole) {
    for (std::uint32_t k = 1; k <= stretch.left; ++k) Push(placed, slot - k, k, window);
    for (std::uint32_t k = 1; k <= stretch.right; ++k) Push(placed, slot + k, k, window);
  } else {
    std::uint32_t at = slots_.Previous(slot);
    for (std::size_t k = 1; k <= kSide && at != kNone; ++k, at = slots_.Previous(at)) {
      Push(at, k, window);
    }
    at = slots_.Next(slot);
    for (std::size_t k = 1; k <= kSide && at != kNone; ++k, at = slots_.Next(at)) {
      Push(at, k, window);
    }
  }
  std::int32_t inner = 0;
  std::int32_t squared = 0;
  vectors::ActiveKernels().window(scratch_.query.data(), window.rows.data(), window.weights.data(),
                                  window.count, scratch_.query.size(), &inner, &squared);
  if (squared == 0) return 0;
  return static_cast<float>(inner * inverse_length_ / std::sqrt(static_cast<double>(squared)));
}

}  // namespace dentate::bank
