// AtomIndex written plainly: every statistic from the members, in double precision, each time.

#ifndef DENTATE_TEST_NATIVE_ATOMS_ATOM_MODEL_H_
#define DENTATE_TEST_NATIVE_ATOMS_ATOM_MODEL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "atoms/policy.h"

namespace dentate::atoms {

class AtomModel {
 public:
  using Vector = std::vector<double>;

  explicit AtomModel(const Policy& policy) : policy_(policy) {}

  struct Choice {
    bool created;
    std::uint32_t atom;
    double closeness;
    double margin;  // to the next closest atom, and to the threshold
  };

  static double Dot(const Vector& left, const Vector& right) {
    double sum = 0;
    for (std::size_t j = 0; j < left.size(); ++j) sum += left[j] * right[j];
    return sum;
  }

  Vector SumOf(std::uint32_t atom) const {
    Vector sum;
    for (const std::uint32_t member : members_.at(atom)) {
      const Vector& vector = vectors_.at(member);
      if (sum.empty()) sum.resize(vector.size());
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += vector[j];
    }
    return sum;
  }

  double ClosenessOf(std::uint32_t atom, const Vector& x) const {
    const Vector sum = SumOf(atom);
    const double length = std::sqrt(Dot(sum, sum));
    const auto count = static_cast<double>(members_.at(atom).size());
    const double mean = length > 0 ? Dot(x, sum) / length : 0;
    double best = -1;
    for (const std::uint32_t member : members_.at(atom)) {
      best = std::max(best, Dot(x, vectors_.at(member)));
    }
    double squares = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      squares += (x[j] - sum[j] / count) * (x[j] - sum[j] / count);
    }
    switch (policy_.kind) {
      case PolicyKind::kStreamingProto:
        return mean;
      case PolicyKind::kOnlineKMeans:
      case PolicyKind::kDpMeans:
        return 1 - squares / 2;
      default:
        return policy_.gate == Gate::kMean     ? mean
               : policy_.gate == Gate::kMember ? best
                                               : std::max(mean, best);
    }
  }

  Choice Choose(const Vector& x) const {
    Choice choice{true, next_atom_, -1, 2};
    std::uint32_t closest = 0;
    double second = -3;
    for (const auto& [atom, members] : members_) {
      const double closeness = ClosenessOf(atom, x);
      if (closeness > choice.closeness || closest == 0) {
        second = closest == 0 ? -3 : choice.closeness;
        choice.closeness = closeness;
        closest = atom + 1;
      } else {
        second = std::max(second, closeness);
      }
    }
    if (closest == 0) return choice;
    choice.margin = choice.closeness - second;
    if (policy_.kind == PolicyKind::kOnlineKMeans) {
      choice.created = members_.size() < policy_.clusters;
    } else {
      choice.created = choice.closeness < policy_.threshold;
      choice.margin = std::min(choice.margin, std::fabs(choice.closeness - policy_.threshold));
    }
    if (!choice.created) choice.atom = closest - 1;
    return choice;
  }

  void Add(std::uint32_t member, std::uint32_t atom, Vector vector) {
    members_[atom].push_back(member);
    vectors_[member] = std::move(vector);
    next_atom_ = std::max(next_atom_, atom + 1);
  }

  void Remove(std::uint32_t member) {
    for (auto at = members_.begin(); at != members_.end(); ++at) {
      const auto found = std::find(at->second.begin(), at->second.end(), member);
      if (found == at->second.end()) continue;
      at->second.erase(found);
      if (at->second.empty()) members_.erase(at);
      break;
    }
    vectors_.erase(member);
  }

  const std::map<std::uint32_t, std::vector<std::uint32_t>>& members() const { return members_; }
  const std::map<std::uint32_t, Vector>& vectors() const { return vectors_; }

 private:
  const Policy policy_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> members_;
  std::map<std::uint32_t, Vector> vectors_;
  std::uint32_t next_atom_ = 0;
};

}  // namespace dentate::atoms

#endif  // DENTATE_TEST_NATIVE_ATOMS_ATOM_MODEL_H_
