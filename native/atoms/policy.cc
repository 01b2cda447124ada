#include "atoms/policy.h"

namespace dentate::atoms {
namespace {

// SplitMix64 (Steele, Lea, Flood, 2014): the bits of one draw, by its number.
std::uint64_t Draw(std::uint64_t seed, std::uint64_t number) noexcept {
  std::uint64_t z = seed + (number + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

bool Joins(const Policy& policy, double closeness, std::size_t atoms,
           std::uint32_t member) noexcept {
  if (policy.kind != PolicyKind::kOnlineKMeans) return closeness >= policy.threshold;
  if (atoms >= policy.clusters) return true;
  return policy.seeded && (Draw(policy.seed, member) & 1) != 0;
}

}  // namespace dentate::atoms
