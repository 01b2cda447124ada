// A text's vector while its words are added one by one, in any order.
//
// Words go to a 32-bit sum, which is emptied into a 64-bit one before it could overflow.

#ifndef DENTATE_SIGNATURES_VECTOR_SUM_H_
#define DENTATE_SIGNATURES_VECTOR_SUM_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "signatures/word_vectors.h"

namespace dentate::signatures {

class VectorSum {
 public:
  void Begin(std::size_t dimensions) {
    sum_.assign(dimensions, 0);
    total_.assign(dimensions, 0);
    in_sum_ = 0;
  }

  void Add(const WordVectors& vectors, std::span<const std::uint32_t> pieces, std::uint64_t stem) {
    if (in_sum_ == WordVectors::kWordsPerSum) Flush();
    vectors.AddWeighted(pieces, stem, sum_);
    ++in_sum_;
  }

  // The sum at unit length; zeros where it is zero. REQUIRES: out.size() is the dimensions.
  void Unit(std::span<float> out) {
    Flush();
    double squared = 0;
    for (const std::int64_t component : total_) {
      squared += static_cast<double>(component) * static_cast<double>(component);
    }
    const double scale = squared > 0 ? 1 / std::sqrt(squared) : 0;
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] = static_cast<float>(static_cast<double>(total_[k]) * scale);
    }
  }

 private:
  void Flush() {
    for (std::size_t k = 0; k < sum_.size(); ++k) total_[k] += std::exchange(sum_[k], 0);
    in_sum_ = 0;
  }

  std::vector<std::int32_t> sum_;
  std::vector<std::int64_t> total_;
  std::size_t in_sum_ = 0;  // words
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_VECTOR_SUM_H_
