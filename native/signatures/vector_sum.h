// A text's vector while its words are added one by one, in any order.
//
// Words go to a 32-bit sum, which is emptied into a 64-bit one before it could overflow: few texts
// have that many words, and then there is no 64-bit one.

#ifndef DENTATE_SIGNATURES_VECTOR_SUM_H_
#define DENTATE_SIGNATURES_VECTOR_SUM_H_

#include <array>
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
    total_.clear();
    in_sum_ = 0;
  }

  void Add(const WordVectors& vectors, std::span<const std::uint32_t> pieces, std::uint64_t stem) {
    if (in_sum_ == WordVectors::kWordsPerSum) Flush();
    vectors.AddWeighted(pieces, stem, sum_);
    ++in_sum_;
  }

  // The sum at unit length; zeros where it is zero. REQUIRES: out.size() is the dimensions.
  void Unit(std::span<float> out) {
    if (total_.empty()) {
      Scale(std::span<const std::int32_t>(sum_), out);
    } else {
      Flush();
      Scale(std::span<const std::int64_t>(total_), out);
    }
  }

 private:
  void Flush() {
    total_.resize(sum_.size(), 0);
    for (std::size_t k = 0; k < sum_.size(); ++k) total_[k] += std::exchange(sum_[k], 0);
    in_sum_ = 0;
  }

  template <typename T>
  static void Scale(std::span<const T> sum, std::span<float> out) {
    // Four sums of squares, so that an addition need not wait for the one before.
    std::array<double, 4> squares{};
    for (std::size_t k = 0; k < sum.size(); ++k) {
      const auto component = static_cast<double>(sum[k]);
      squares[k % 4] += component * component;
    }
    const double squared = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    const double scale = squared > 0 ? 1 / std::sqrt(squared) : 0;
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] = static_cast<float>(static_cast<double>(sum[k]) * scale);
    }
  }

  std::vector<std::int32_t> sum_;
  std::vector<std::int64_t> total_;  // empty until sum_ is emptied into it
  std::size_t in_sum_ = 0;           // words
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_VECTOR_SUM_H_
