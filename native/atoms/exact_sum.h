// The sum of unit vectors, exact in fixed point: adding and taking away leave no trace.
//
// A component is cut to whole multiples of 2^-40 and summed in 64 bits, so that a sum depends on
// which vectors are in it, and not on their order or on those that were in it before. Components
// are at most 1: a sum of 2^23 vectors fits.
//
// Error: less than n * 2^-40 a component, for n vectors.

#ifndef DENTATE_ATOMS_EXACT_SUM_H_
#define DENTATE_ATOMS_EXACT_SUM_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dentate::atoms {

inline constexpr double kFixedOne = 1099511627776.0;  // 2^40
static_assert(kFixedOne == static_cast<double>(std::int64_t{1} << 40));

inline std::int64_t ToFixed(double value) noexcept {
  return static_cast<std::int64_t>(value * kFixedOne);
}
inline double FromFixed(std::int64_t fixed) noexcept {
  return static_cast<double>(fixed) / kFixedOne;
}

// REQUIRES: |values[j]| <= 1 for all j < sum.size().
inline void AddTo(std::span<std::int64_t> sum, const float* values) noexcept {
  for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += ToFixed(static_cast<double>(values[j]));
}
inline void TakeFrom(std::span<std::int64_t> sum, const float* values) noexcept {
  for (std::size_t j = 0; j < sum.size(); ++j) sum[j] -= ToFixed(static_cast<double>(values[j]));
}

inline double LengthOf(std::span<const std::int64_t> sum) noexcept {
  double squares = 0;
  for (const std::int64_t fixed : sum) squares += FromFixed(fixed) * FromFixed(fixed);
  return std::sqrt(squares);
}

}  // namespace dentate::atoms

#endif  // DENTATE_ATOMS_EXACT_SUM_H_
