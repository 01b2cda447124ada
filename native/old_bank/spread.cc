#include "old_bank/spread.h"

#include <algorithm>

namespace dentate::old_bank {

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

void Spread::Match(const EntryTable& entries, std::uint32_t entry, float weight) {
  const std::uint32_t begin = entries.run_begin(entry);
  const std::uint32_t left = std::min<std::uint32_t>(kReach, entry - begin);
  std::uint32_t right = std::min<std::uint32_t>(kReach, size_ - 1 - entry);
  while (right > 0 && entries.run_begin(entry + right) != begin) --right;
  const bool interrupted =
      (left < kReach && entries.previous(begin) != EntryTable::kNone) ||
      (right < kReach && entries.next(entry + right, size_) != EntryTable::kNone);
  if (interrupted) {
    MatchByLinks(entries, entry, weight);
    return;
  }
  Mark((entry - left) / kBlock);
  Mark((entry + right) / kBlock);
  // z_ begins kReach before entry 0, so this is entry - kReach.
  float* z = z_.data() + entry;
  const Weights& weights = weights_[left][right];
  for (std::size_t i = 0; i < kWindow; ++i) z[i] = std::max(z[i], weight * weights[i]);
}

void Spread::Mark(std::uint32_t block) {
  if (marked_[block] != 0) return;
  blocks_.push_back(block);
  marked_[block] = 1;
}

void Spread::Raise(std::uint32_t entry, float value) {
  Mark(entry / kBlock);
  z_[entry + kReach] = std::max(z_[entry + kReach], value);
}

void Spread::MatchByLinks(const EntryTable& entries, std::uint32_t entry, float weight) {
  Raise(entry, weight);
  std::uint32_t at = entries.previous(entry);
  for (std::size_t k = 0; k < kReach && at != EntryTable::kNone; ++k) {
    Raise(at, weight * neighbours_[k]);
    at = entries.previous(at);
  }
  at = entries.next(entry, size_);
  for (std::size_t k = 0; k < kReach && at != EntryTable::kNone; ++k) {
    Raise(at, weight * neighbours_[k]);
    at = entries.next(at, size_);
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

}  // namespace dentate::old_bank
