// Which atom a new member joins: the clustering policies, behind one function.
//
// With x the new member, m the members of atom A, n their count, s = sum m, all of unit length:
//
//   policy            closeness of x to A                         joins the closest A if
//   max-member        max(<x, s> / |s|, max <x, m>)               closeness >= threshold
//     gate mean         <x, s> / |s| alone
//     gate member       max <x, m> alone (single linkage)
//   streaming-proto   <x, s> / |s|                                closeness >= threshold
//   online-k-means    1 - |x - s/n|^2 / 2                         there are `clusters` atoms
//   dp-means          1 - |x - s/n|^2 / 2                         1 - closeness <= 1 - threshold
//
// Otherwise x opens an atom. Of equally close atoms the one of lower number is taken.
// 1 - |x - c|^2 / 2 is <x, c> for a mean c of unit length: the last two differ from a cosine in
// that a scattered atom, whose mean is short, is farther away.
//
// One pass serves all: <x, s> is the sum of <x, m>, so that no mean has to be read.
//
// Online k-means starts from its first `clusters` members; with a seed, each member before there
// are enough atoms opens one with probability 1/2, drawn by seed and member number.
//
// Sources. Max-member: Geng, Wang, Yuan, "Compact-Memory LLM Agents via Online Max-Member
// Clustering and Atom-Aware Packing", 2026. Sequential k-means: MacQueen, "Some methods for
// classification and analysis of multivariate observations", 1967. DP-means: Kulis and Jordan,
// "Revisiting k-means", ICML 2012, in one pass, lambda = 1 - threshold. Streaming-proto is the
// first paper's baseline.

#ifndef DENTATE_ATOMS_POLICY_H_
#define DENTATE_ATOMS_POLICY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dentate::atoms {

enum class PolicyKind : std::uint8_t {
  kMaxMember = 0,
  kStreamingProto = 1,
  kOnlineKMeans = 2,
  kDpMeans = 3,
};

// Of max-member: which arm can cause a join.
enum class Gate : std::uint8_t { kBoth = 0, kMean = 1, kMember = 2 };

struct Policy {
  PolicyKind kind = PolicyKind::kMaxMember;
  Gate gate = Gate::kBoth;
  bool seeded = false;         // online k-means
  std::uint32_t clusters = 0;  // online k-means; positive there
  double threshold = 0;        // the others
  std::uint64_t seed = 0;
};

// What one atom is to a new member.
struct Closeness {
  double best_member = 0;  // max <x, m>
  double with_sum = 0;     // <x, s>
  double sum_length = 0;   // |s|; 0 where the members cancel out
  std::size_t count = 0;   // n > 0
};

inline double CosineToMean(const Closeness& atom) noexcept {
  return atom.sum_length > 0 ? atom.with_sum / atom.sum_length : 0;
}

// 1 - |x - s/n|^2 / 2, for |x| = 1.
inline double ByDistanceToMean(const Closeness& atom) noexcept {
  const auto count = static_cast<double>(atom.count);
  const double length = atom.sum_length / count;
  return 1 - (1 + length * length - 2 * atom.with_sum / count) / 2;
}

inline double UnclampedClosenessOf(const Policy& policy, const Closeness& atom) noexcept {
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

// The table's second column, from -1 to 1. Here, since an add asks it of every atom.
inline double ClosenessOf(const Policy& policy, const Closeness& atom) noexcept {
  return std::clamp(UnclampedClosenessOf(policy, atom), -1.0, 1.0);
}

// The third column, and the start of online k-means: whether member number `member` joins the
// closest of `atoms` atoms, whose closeness is given. REQUIRES: atoms > 0.
bool Joins(const Policy& policy, double closeness, std::size_t atoms,
           std::uint32_t member) noexcept;

}  // namespace dentate::atoms

#endif  // DENTATE_ATOMS_POLICY_H_
