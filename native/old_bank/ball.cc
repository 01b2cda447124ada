#include "old_bank/ball.h"

#include <algorithm>
#include <numeric>

#include "hamming/range_search.h"

namespace dentate::old_bank {

void BallFinder::Meet(std::uint32_t code, std::uint16_t distance) {
  if (least_[code] == kAbsent) {
    found_.push_back(code);
    least_[code] = distance;
  } else {
    least_[code] = std::min(least_[code], distance);
  }
}

void BallFinder::Find(const Dictionary& dictionary, std::size_t code_count,
                      std::span<const std::uint64_t> signature, const std::uint64_t* stem,
                      std::uint32_t radius, Ball& ball) {
  if (least_.size() < code_count) least_.resize(code_count, kAbsent);
  hamming::RangeSearch(dictionary.signatures().View(code_count), signature, radius, code_count,
                       ids_, distances_);
  found_.clear();
  for (std::size_t i = 0; i < ids_.size(); ++i) Meet(ids_[i], distances_[i]);
  if (stem != nullptr) {
    for (std::uint32_t code = dictionary.NewestWithStem(*stem); code != Dictionary::kNone;
         code = dictionary.OlderWithStem(code)) {
      if (code < code_count) Meet(code, 0);
    }
  }

  // A counting sort by distance. Codes of one distance go in ascending order, so that the sum of an
  // entry's score is the same however the ball was put together.
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
         (ids_.capacity() + found_.capacity() + starts_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace dentate::old_bank
