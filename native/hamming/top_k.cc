#include "hamming/top_k.h"

#include <algorithm>

namespace dentate::hamming {

std::uint32_t TopK::Take(std::span<const std::uint32_t> ids,
                         std::span<const std::uint16_t> distances) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::uint64_t key = (std::uint64_t{distances[i]} << 32) | ids[i];
    if (heap_.size() == k_) {
      if (key > heap_.front()) continue;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back(key);
    std::push_heap(heap_.begin(), heap_.end());
  }
  if (heap_.size() == k_) {
    const std::uint32_t worst = DistanceOf(heap_.front());
    radius_ = std::min(radius_, worst == 0 ? 0 : worst - 1);
  }
  return radius_;
}

}  // namespace dentate::hamming
