#include "bank/spread.h"

#include <algorithm>

namespace dentate::bank {

void Spread::Begin(std::span<const float, kReach> neighbours, std::uint32_t size) {
  for (const std::uint32_t block : blocks_) {  // of a search that was given up
    std::fill_n(z_.data() + std::size_t{block} * kBlock + kReach, kBlock, 0.0F);
    marked_[block] = 0;
  }
  blocks_.clear();
  std::copy(neighbours.begin(), neighbours.end(), neighbours_.begin());
  for (std::size_t left = 0; left <= kReach; ++left) {
    for (std::size_t right = 0; right <= kReach; ++right) {
      Weights& weights = weights_[left][right];
      weights.fill(0);
      weights[kReach] = 1;
      for (std::size_t k = 1; k <= left; ++k) weights[kReach - k] = neighbours[k - 1];
      for (std::size_t k = 1; k <= right; ++k) weights[kReach + k] = neighbours[k - 1];
    }
  }
  size_ = size;
  const std::size_t blocks = size / kBlock + 1;
  if (marked_.size() < blocks) {
    z_.resize(blocks * kBlock + 2 * kReach, 0.0F);
    marked_.resize(blocks, 0);
  }
}

void Spread::Match(const Slots& slots, const Slots::Placed& placed, std::uint32_t slot,
                   float weight) {
  const Slots::Stretch stretch = slots.StretchOf(placed, slot, kReach);
  if (!stretch.whole) {
    MatchByLinks(slots, slot, weight);
    return;
  }
  Mark((slot - stretch.left) / kBlock);
  Mark((slot + stretch.right) / kBlock);
  // z_ begins kReach before slot 0, so this is slot - kReach.
  float* z = z_.data() + slot;
  const Weights& weights = weights_[stretch.left][stretch.right];
  for (std::size_t i = 0; i < kWindow; ++i) z[i] = std::max(z[i], weight * weights[i]);
}

void Spread::MarkNew(std::uint32_t block) {
  blocks_.push_back(block);
  marked_[block] = 1;
}

void Spread::Raise(std::uint32_t slot, float value) {
  Mark(slot / kBlock);
  z_[slot + kReach] = std::max(z_[slot + kReach], value);
}

void Spread::MatchByLinks(const Slots& slots, std::uint32_t slot, float weight) {
  Raise(slot, weight);
  std::uint32_t at = slots.Previous(slot);
  for (std::size_t k = 0; k < kReach && at != kNone; ++k) {
    Raise(at, weight * neighbours_[k]);
    at = slots.Previous(at);
  }
  at = slots.Next(slot);
  for (std::size_t k = 0; k < kReach && at != kNone; ++k) {
    Raise(at, weight * neighbours_[k]);
    at = slots.Next(at);
  }
}

void Spread::AddTo(std::span<float> scores, float factor) {
  for (const std::uint32_t block : blocks_) {
    const std::uint32_t begin = block * kBlock;
    const std::uint32_t count = std::min(kBlock, size_ - begin);
    float* z = z_.data() + begin + kReach;
    float* to = scores.data() + begin;
    for (std::uint32_t i = 0; i < count; ++i) {
      to[i] += factor * z[i];
      z[i] = 0;
    }
    marked_[block] = 0;
  }
  blocks_.clear();
}

std::size_t Spread::SizeInBytes() const noexcept {
  return z_.capacity() * sizeof(float) + marked_.capacity() +
         blocks_.capacity() * sizeof(std::uint32_t);
}

}  // namespace dentate::bank
