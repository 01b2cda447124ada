// What a search reads of an AtomIndex: scores of atoms and members, and the statistics behind them.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <mutex>
#include <utility>

#include "atoms/atom_index.h"
#include "vectors/dense.h"

namespace dentate::atoms {
namespace {

bool Better(const Scored& left, const Scored& right) noexcept {
  return left.score != right.score ? left.score > right.score : left.number < right.number;
}

void KeepBest(std::vector<Scored>& scored, std::size_t most) {
  const std::size_t keep = std::min(most, scored.size());
  std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(keep),
                    scored.end(), Better);
  scored.resize(keep);
}

}  // namespace

void AtomIndex::MakeBasis(Atom& atom) const {
  const std::size_t stride = rows_.stride();
  const auto rows = hamming::MakeHugeArray<float>(atom.members.size() * stride);
  for (std::size_t i = 0; i < atom.members.size(); ++i) {
    rows_.Read(slot_of_member_.find(atom.members[i])->second, rows.get() + i * stride);
  }
  Basis basis =
      FirstSingularVectors(rows.get(), stride, atom.members.size(), options_.rank, atom.basis);
  heap_bytes_ -= HeapBytes(atom);
  atom.basis = std::move(basis);
  heap_bytes_ += HeapBytes(atom);
  atom.stale = false;
  --stale_;
}

template <typename Read>
void AtomIndex::WithBases(By by, const Read& read) const {
  {
    const std::shared_lock lock(mutex_);
    if (stale_ == 0 || by == By::kCentroid || by == By::kBestMember) return read();
  }
  for (std::size_t slot = 0;; ++slot) {  // others may go in between
    const std::unique_lock lock(mutex_);
    if (slot >= atoms_.size()) break;
    if (atoms_[slot].stale) MakeBasis(atoms_[slot]);
  }
  const std::unique_lock lock(mutex_);
  for (Atom& atom : atoms_) {
    if (atom.stale) MakeBasis(atom);
  }
  read();
}

double AtomIndex::Score(const Probe& probe, const Atom& atom, By by) const {
  if (atom.members.size() == 1) {
    const double cosine = rows_.Cosine(probe, slot_of_member_.find(atom.members[0])->second);
    return by == By::kSubspace ? std::fabs(cosine) : cosine;
  }
  const float* rows = by == By::kCentroid ? atom.centroid.data() : atom.basis.vectors.data();
  const std::size_t count = by == By::kSubspace ? atom.basis.rank : 1;
  float dots[kMaxRank];
  vectors::ActiveDenseKernels().float_dots(probe.values.data(), rows, rows_.stride(), count, dots);
  if (by != By::kSubspace) return static_cast<double>(dots[0]);
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    squares += static_cast<double>(dots[i]) * static_cast<double>(dots[i]);
  }
  return std::sqrt(squares);
}

void AtomIndex::ScoreAll(const Probe& probe, By by, std::vector<Scored>& scored) const {
  scored.clear();
  scored.reserve(slot_of_atom_.size());
  std::vector<Tally> tallies;
  if (by == By::kBestMember) TallyRows(probe, tallies);
  for (std::size_t slot = 0; slot < atoms_.size(); ++slot) {
    if (gauges_[slot].number == kNone) continue;
    const double score =
        by == By::kBestMember ? tallies[slot].best_member : Score(probe, atoms_[slot], by);
    scored.push_back({gauges_[slot].number, score});
  }
}

bool AtomIndex::Nearest(std::span<const float> query, std::size_t most, By by,
                        std::vector<Scored>& nearest) const {
  Probe probe;
  if (!rows_.ToProbe(query, probe)) return false;
  WithBases(by, [&] { ScoreAll(probe, by, nearest); });
  KeepBest(nearest, most);
  return true;
}

double AtomIndex::BestMember(const Probe& probe, const Atom& atom) const {
  double best = -1;
  for (const std::uint32_t member : atom.members) {
    best = std::max(best, rows_.Cosine(probe, slot_of_member_.find(member)->second));
  }
  return best;
}

bool AtomIndex::ScoresOf(std::span<const float> query, std::span<const std::uint32_t> atoms, By by,
                         std::vector<Scored>& scored) const {
  Probe probe;
  if (!rows_.ToProbe(query, probe)) return false;
  const bool wants_basis = by == By::kFirstSingularVector || by == By::kSubspace;
  scored.clear();
  const std::unique_lock lock(mutex_);
  for (const std::uint32_t number : atoms) {
    const auto slot = slot_of_atom_.find(number);
    if (slot == slot_of_atom_.end()) continue;
    Atom& atom = atoms_[slot->second];
    if (wants_basis && atom.stale) MakeBasis(atom);
    scored.push_back(
        {number, by == By::kBestMember ? BestMember(probe, atom) : Score(probe, atom, by)});
  }
  return true;
}

Status AtomIndex::NearestMany(std::span<const float> queries, std::size_t most, By by,
                              const Cancelled& cancelled,
                              std::vector<std::vector<Scored>>& nearest) const {
  nearest.clear();
  for (std::size_t at = 0; at < queries.size(); at += options_.dimensions) {
    if (cancelled && cancelled()) return {ErrorCode::kAborted, "the operation was aborted"};
    if (!Nearest(queries.subspan(at, options_.dimensions), most, by, nearest.emplace_back())) {
      return {ErrorCode::kInternal, "a query has no direction"};
    }
  }
  return Status::Ok();
}

bool AtomIndex::NearestMembers(std::span<const float> query, std::size_t most,
                               std::vector<Scored>& nearest) const {
  Probe probe;
  if (!rows_.ToProbe(query, probe)) return false;
  const std::shared_lock lock(mutex_);
  nearest.clear();
  nearest.reserve(slot_of_member_.size());
  rows_.ForEachCosine(probe, 0, rows_.slots(), [&](std::size_t slot, double cosine) {
    if (atom_slot_of_[slot] != kNone) nearest.push_back({member_of_[slot], cosine});
  });
  KeepBest(nearest, most);
  return true;
}

bool AtomIndex::Cosines(std::span<const float> query, std::span<const std::uint32_t> members,
                        std::span<float> cosines) const {
  assert(members.size() == cosines.size());
  Probe probe;
  if (!rows_.ToProbe(query, probe)) return false;
  const std::shared_lock lock(mutex_);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto known = slot_of_member_.find(members[i]);
    cosines[i] =
        known == slot_of_member_.end() ? 0 : static_cast<float>(rows_.Cosine(probe, known->second));
  }
  return true;
}

std::vector<float> AtomIndex::StatisticsOf(std::uint32_t atom, By by) const {
  std::vector<float> statistics;
  WithBases(by, [&] {
    const Atom* found = Find(atom);
    if (found == nullptr || by == By::kBestMember) return;
    std::vector<float> padded;
    std::size_t count = 1;
    if (found->members.size() == 1) {
      padded.resize(rows_.stride());
      rows_.Read(slot_of_member_.find(found->members[0])->second, padded.data());
    } else {
      padded = by == By::kCentroid ? found->centroid : found->basis.vectors;
      if (by == By::kSubspace) count = found->basis.rank;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = std::span(padded).subspan(i * rows_.stride(), options_.dimensions);
      statistics.insert(statistics.end(), row.begin(), row.end());
    }
  });
  return statistics;
}

}  // namespace dentate::atoms
