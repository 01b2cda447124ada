#include "bank/ball.h"

#include <algorithm>
#include <numeric>

#include "hamming/range_search.h"

namespace dentate::bank {

void BallFinder::Meet(std::uint32_t code, std::uint16_t distance) {
  if (least_[code] == kAbsent) {
    found_.push_back(code);
    least_[code] = distance;
  } else {
    least_[code] = std::min(least_[code], distance);
  }
}

void BallFinder::Find(const hamming::ColumnsView& signatures,
                      std::span<const std::uint64_t> signature, std::uint32_t radius,
                      std::span<const std::uint32_t> same_stem, Ball& ball) {
  const std::size_t code_count = signatures.size();
  if (least_.size() < code_count) least_.resize(code_count, kAbsent);
  found_.clear();
  for (std::size_t i = 0; i < known_.codes.size(); ++i) Meet(known_.codes[i], known_.distances[i]);
  hamming::RangeSearch(signatures, signature, radius, known_.below, code_count, ids_, distances_);
  for (std::size_t i = 0; i < ids_.size(); ++i) Meet(ids_[i], distances_[i]);
  known_ = {};
  for (const std::uint32_t code : same_stem) {
    if (code < code_count) Meet(code, 0);
  }

  // A counting sort by distance; codes of one distance go in ascending order.
  std::sort(found_.begin(), found_.end());
  starts_.assign(signature.size() * 64 + 2, 0);
  for (const std::uint32_t code : found_) ++starts_[least_[code] + 1U];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  ball.codes.resize(found_.size());
  ball.distances.resize(found_.size());
  for (const std::uint32_t code : found_) {
    const std::uint32_t at = starts_[least_[code]]++;
    ball.codes[at] = code;
    ball.distances[at] = least_[code];
    least_[code] = kAbsent;
  }
}

std::size_t BallFinder::SizeInBytes() const noexcept {
  return (least_.capacity() + distances_.capacity()) * sizeof(std::uint16_t) +
         (stem_codes_.capacity() + ids_.capacity() + found_.capacity() + starts_.capacity()) *
             sizeof(std::uint32_t);
}

StemRange FindStem(std::span<const std::uint64_t> sorted_stems, std::uint64_t stem) noexcept {
  const auto [first, last] = std::equal_range(sorted_stems.begin(), sorted_stems.end(), stem);
  return {static_cast<std::uint32_t>(first - sorted_stems.begin()),
          static_cast<std::uint32_t>(last - sorted_stems.begin())};
}

}  // namespace dentate::bank
