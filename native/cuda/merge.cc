#include "cuda/merge.h"

#include <algorithm>
#include <iterator>

namespace dentate::cuda {

void BestKeys::Merge(std::size_t query, std::span<const std::uint64_t> keys) {
  std::vector<std::uint64_t>& list = lists_[query];
  merged_.clear();
  std::merge(list.begin(), list.end(), keys.begin(), keys.end(), std::back_inserter(merged_));
  if (merged_.size() > k_) merged_.resize(k_);
  list.swap(merged_);
}

void BestKeys::MergeUnordered(std::size_t query, std::span<std::uint64_t> keys) {
  if (keys.size() > k_) {
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(k_), keys.end());
    keys = keys.first(k_);
  }
  std::sort(keys.begin(), keys.end());
  Merge(query, keys);
}

}  // namespace dentate::cuda
