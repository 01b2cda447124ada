// The k nearest of what a scan offers; of equal distances, the lower id.
//
// A candidate is one number, distance * 2^32 + id, so that the order of numbers is the order of
// candidates. The k least are kept in a heap with the greatest on top. Once it is full, a row has
// to be strictly nearer than the top to enter, since later rows have higher ids: that distance is
// the scan's radius from then on, and so a top-k search costs hardly more than a range search.
//
// Cost: O(log k) for each candidate that enters; 8 bytes each.

#ifndef DENTATE_HAMMING_TOP_K_H_
#define DENTATE_HAMMING_TOP_K_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hamming/scan.h"

namespace dentate::hamming {

class TopK final : public Collector {
 public:
  // REQUIRES: k > 0.
  TopK(std::size_t k, std::uint32_t radius) : k_(k), radius_(radius) {}

  std::uint32_t Take(std::span<const std::uint32_t> ids,
                     std::span<const std::uint16_t> distances) override;

  // What is kept, in no order.
  std::span<const std::uint64_t> keys() const noexcept { return heap_; }

  static std::uint32_t IdOf(std::uint64_t key) noexcept { return static_cast<std::uint32_t>(key); }
  static std::uint16_t DistanceOf(std::uint64_t key) noexcept {
    return static_cast<std::uint16_t>(key >> 32);
  }

 private:
  const std::size_t k_;
  std::uint32_t radius_;
  std::vector<std::uint64_t> heap_;
};

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_TOP_K_H_
