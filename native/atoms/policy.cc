#include "atoms/policy.h"

#include <algorithm>

namespace dentate::atoms {
namespace {

// SplitMix64 (Steele, Lea, Flood, 2014): the bits of one draw, by its number.
std::uint64_t Draw(std::uint64_t seed, std::uint64_t number) noexcept {
  std::uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double CosineToMean(const Closeness& atom) noexcept {
  return atom.sum_length > 0 ? atom.with_sum / atom.sum_length : 0;
}

// 1 - |x - s/n|^2 / 2, for |x| = 1.
double ByDistanceToMean(const Closeness& atom) noexcept {
  const auto count = static_cast<double>(atom.count);
  const double length = atom.sum_length / count;
  return 1 - (1 + length * length - 2 * atom.with_sum / count) / 2;
}

double Unclamped(const Policy& policy, const Closeness& atom) noexcept {
  switch (policy.kind) {
    case PolicyKind::kStreamingProto:
      return CosineToMean(atom);
    case PolicyKind::kOnlineKMeans:
    case PolicyKind::kDpMeans:
      return ByDistanceToMean(atom);
    case PolicyKind::kMaxMember:
      break;
  }
  switch (policy.gate) {
    case Gate::kMean:
      return CosineToMean(atom);
    case Gate::kMember:
      return atom.best_member;
    case Gate::kBoth:
      break;
  }
  return std::max(CosineToMean(atom), atom.best_member);
}

}  // namespace

double ClosenessOf(const Policy& policy, const Closeness& atom) noexcept {
  return std::clamp(Unclamped(policy, atom), -1.0, 1.0);
}

bool Joins(const Policy& policy, double closeness, std::size_t atoms,
           std::uint32_t member) noexcept {
  if (policy.kind != PolicyKind::kOnlineKMeans) return closeness >= policy.threshold;
  if (atoms >= policy.clusters) return true;
  return policy.seeded && (Draw(policy.seed, member) & 1) != 0;
}

}  // namespace dentate::atoms
