#include "old_bank/dense_store.h"

#include <cmath>

#include "vectors/dot.h"

namespace dentate::old_bank {
namespace {

float InverseLength(double squared) noexcept {
  // What is left of vectors that cancel out is rounding, and has no direction.
  return squared > 1e-20 ? static_cast<float>(1 / std::sqrt(squared)) : 0.0F;
}

}  // namespace

double DenseStore::Dot(std::uint32_t left, std::uint32_t right) const noexcept {
  if (left == kNone || right == kNone) return 0;
  const std::int8_t* a = rows_.Row(left);
  const std::int8_t* b = rows_.Row(right);
  // Two int8 rows: at most 127 * 127 * 8192, which fits.
  std::int32_t sum = 0;
  for (std::size_t j = 0; j < dimensions(); ++j) sum += std::int32_t{a[j]} * std::int32_t{b[j]};
  return double{lengths_[left].scale} * double{lengths_[right].scale} * sum;
}

void DenseStore::Append(std::span<const std::int8_t> row, float scale,
                        const std::array<std::uint32_t, 4>& before) noexcept {
  const auto entry = static_cast<std::uint32_t>(lengths_.size());
  rows_.Set(entry, row);
  lengths_.push_back(Lengths{scale, {}});

  // |w(i)|^2 over the window `at`, whose middle is at[2]; an absent neighbour is kNone.
  const auto squared = [this](const std::array<std::uint32_t, 5>& at) {
    constexpr std::array<double, 5> kWeights{kFar, kNear, 1, kNear, kFar};
    double sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      sum += kWeights[i] * kWeights[i] * Dot(at[i], at[i]);
      for (std::size_t j = i + 1; j < at.size(); ++j) {
        sum += 2 * kWeights[i] * kWeights[j] * Dot(at[i], at[j]);
      }
    }
    return sum;
  };
  const auto [a, b, c, d] = before;  // a is the entry just before, d the oldest
  lengths_.Mutable(entry).inverse_length[0] = InverseLength(squared({b, a, entry, kNone, kNone}));
  if (a != kNone) {
    lengths_.Mutable(a).inverse_length[1] = InverseLength(squared({c, b, a, entry, kNone}));
  }
  if (b != kNone) {
    lengths_.Mutable(b).inverse_length[2] = InverseLength(squared({d, c, b, a, entry}));
  }
}

}  // namespace dentate::old_bank
