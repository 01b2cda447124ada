#include "atoms/atom_index.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <mutex>
#include <utility>

#include "atoms/exact_sum.h"
#include "vectors/dense.h"

namespace dentate::atoms {
namespace {

// Rows whose cosines are held at a time.
constexpr std::size_t kBlockRows = 512;

// Room for one more, so that push_back can't fail.
template <typename T>
void MakeRoom(std::vector<T>& values) {
  if (values.size() == values.capacity()) values.reserve(2 * values.size() + 1);
}

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

AtomIndex::AtomIndex(const Options& options)
    : options_(options), rows_(options.dimensions, options.storage) {
  assert(options.rank > 0 && options.rank <= kMaxRank);
}

AtomIndex::~AtomIndex() = default;

void AtomIndex::TallyRows(const Probe& probe, std::vector<Tally>& tallies) const {
  tallies.assign(atoms_.size(), {-2, 0});
  double cosines[kBlockRows];
  for (std::size_t begin = 0; begin < rows_.slots(); begin += kBlockRows) {
    const std::size_t end = std::min(begin + kBlockRows, rows_.slots());
    rows_.Cosines(probe, begin, end, cosines);
    for (std::size_t slot = begin; slot < end; ++slot) {
      const std::uint32_t atom = atom_slot_of_[slot];
      if (atom == kNone) continue;
      Tally& tally = tallies[atom];
      const double cosine = cosines[slot - begin];
      tally.best_member = std::max(tally.best_member, cosine);
      tally.with_sum += ToFixed(cosine);
    }
  }
}

std::uint32_t AtomIndex::Place(const Probe& probe, Added& added) {
  TallyRows(probe, tallies_);
  added.similarity = -1;
  std::uint32_t closest = kNone;
  for (std::size_t slot = 0; slot < atoms_.size(); ++slot) {
    const Atom& atom = atoms_[slot];
    if (atom.number == kNone) continue;
    const Closeness closeness{tallies_[slot].best_member, FromFixed(tallies_[slot].with_sum),
                              atom.sum_length, atom.members.size()};
    const double similarity = ClosenessOf(options_.policy, closeness);
    if (closest == kNone || similarity > added.similarity ||
        (similarity == added.similarity && atom.number < closest)) {
      added.similarity = similarity;
      closest = atom.number;
    }
  }
  added.created = closest == kNone ||
                  !Joins(options_.policy, added.similarity, slot_of_atom_.size(), next_member_);
  added.atom = added.created ? next_atom_ : closest;
  return added.atom;
}

bool AtomIndex::Add(std::span<const float> vector, Added& added) {
  Probe probe;
  if (!rows_.ToProbe(vector, probe)) return false;
  const std::unique_lock lock(mutex_);
  added.member = Insert(probe, Place(probe, added));
  return true;
}

bool AtomIndex::AddRow(std::span<const std::int8_t> row, Added& added) {
  Probe probe;
  if (!rows_.ToProbe(row, probe)) return false;
  const std::unique_lock lock(mutex_);
  added.member = Insert(probe, Place(probe, added));
  return true;
}

bool AtomIndex::AddAssigned(std::span<const float> vector, std::uint32_t atom,
                            std::uint32_t& member) {
  Probe probe;
  if (!rows_.ToProbe(vector, probe)) return false;
  const std::unique_lock lock(mutex_);
  member = Insert(probe, atom);
  return true;
}

bool AtomIndex::AddAssigned(std::span<const std::int8_t> row, std::uint32_t atom,
                            std::uint32_t& member) {
  Probe probe;
  if (!rows_.ToProbe(row, probe)) return false;
  const std::unique_lock lock(mutex_);
  member = Insert(probe, atom);
  return true;
}

// Everything that can fail comes first: where memory runs out, nothing has changed.
std::uint32_t AtomIndex::Insert(const Probe& probe, std::uint32_t number) {
  const auto known = slot_of_atom_.find(number);
  const bool opens = known == slot_of_atom_.end();
  const bool grows = opens && free_atoms_.empty();
  const std::uint32_t at = !opens  ? known->second
                           : grows ? static_cast<std::uint32_t>(atoms_.size())
                                   : free_atoms_.back();
  if (grows) {
    MakeRoom(atoms_);
    if (free_atoms_.capacity() <= atoms_.size()) free_atoms_.reserve(2 * atoms_.size() + 1);
  }
  Atom opened;
  Atom& before = opens ? opened : atoms_[at];
  MakeRoom(before.members);
  std::vector<std::int64_t> sum;
  std::vector<float> centroid;
  if (before.members.size() == 1) {
    sum.resize(options_.dimensions);
    centroid.resize(rows_.stride());
  }
  MakeRoom(atom_slot_of_);
  MakeRoom(member_of_);
  const std::uint32_t member = next_member_;
  const std::uint32_t slot = rows_.Add(probe);
  try {
    slot_of_member_.emplace(member, slot);
    if (opens) slot_of_atom_.emplace(number, at);
  } catch (...) {
    slot_of_member_.erase(member);
    rows_.Remove(slot);
    throw;
  }

  if (grows) {
    atoms_.push_back(std::move(opened));
  } else if (opens) {
    free_atoms_.pop_back();
    atoms_[at] = std::move(opened);
  }
  if (slot == atom_slot_of_.size()) {
    atom_slot_of_.push_back(at);
    member_of_.push_back(member);
  } else {
    atom_slot_of_[slot] = at;
    member_of_[slot] = member;
  }
  Atom& atom = atoms_[at];
  atom.number = number;
  Join(atom, slot, member, std::move(sum), std::move(centroid));
  next_member_ = member + 1;
  next_atom_ = std::max(next_atom_, number + 1);
  return member;
}

void AtomIndex::Join(Atom& atom, std::uint32_t slot, std::uint32_t member,
                     std::vector<std::int64_t> sum, std::vector<float> centroid) noexcept {
  if (atom.members.size() == 1) {
    atom.sum = std::move(sum);
    atom.centroid = std::move(centroid);
    AddRowTo(atom.sum, slot_of_member_.find(atom.members[0])->second, 1);
  }
  atom.members.push_back(member);
  if (atom.members.size() == 1) return;
  AddRowTo(atom.sum, slot, 1);
  Measure(atom);
  if (!atom.stale) ++stale_;
  atom.stale = true;
}

void AtomIndex::AddRowTo(std::vector<std::int64_t>& sum, std::uint32_t slot,
                         int factor) const noexcept {
  float values[kMaxDimensions];
  rows_.Read(slot, values);
  for (std::size_t j = 0; j < sum.size(); ++j) {
    sum[j] += factor * ToFixed(static_cast<double>(values[j]));
  }
}

void AtomIndex::Measure(Atom& atom) noexcept {
  atom.sum_length = LengthOf(atom.sum);
  for (std::size_t j = 0; j < atom.sum.size(); ++j) {
    atom.centroid[j] =
        static_cast<float>(atom.sum_length > 0 ? FromFixed(atom.sum[j]) / atom.sum_length : 0);
  }
}

bool AtomIndex::Remove(std::uint32_t member) {
  const std::unique_lock lock(mutex_);
  const auto known = slot_of_member_.find(member);
  if (known == slot_of_member_.end()) return false;
  const std::uint32_t slot = known->second;
  const std::uint32_t at = atom_slot_of_[slot];
  Atom& atom = atoms_[at];
  auto& members = atom.members;
  members.erase(std::lower_bound(members.begin(), members.end(), member));
  if (atom.stale) --stale_;
  atom.basis = {};
  atom.stale = members.size() > 1;
  if (members.size() > 1) {
    ++stale_;
    AddRowTo(atom.sum, slot, -1);
    Measure(atom);
  } else {
    atom.sum = {};
    atom.centroid = {};
    atom.sum_length = 1;
  }
  if (members.empty()) {
    slot_of_atom_.erase(atom.number);
    atom = {};
    free_atoms_.push_back(at);
  }
  slot_of_member_.erase(known);
  atom_slot_of_[slot] = kNone;
  rows_.Remove(slot);
  return true;
}

std::size_t AtomIndex::size() const {
  const std::shared_lock lock(mutex_);
  return slot_of_member_.size();
}

std::size_t AtomIndex::count() const {
  const std::shared_lock lock(mutex_);
  return slot_of_atom_.size();
}

std::size_t AtomIndex::Largest() const {
  const std::shared_lock lock(mutex_);
  std::size_t largest = 0;
  for (const Atom& atom : atoms_) largest = std::max(largest, atom.members.size());
  return largest;
}

void AtomIndex::Atoms(std::vector<std::uint32_t>& numbers,
                      std::vector<std::uint32_t>& sizes) const {
  const std::shared_lock lock(mutex_);
  numbers.clear();
  sizes.clear();
  for (const Atom& atom : atoms_) {
    if (atom.number != kNone) numbers.push_back(atom.number);
  }
  std::sort(numbers.begin(), numbers.end());
  for (const std::uint32_t number : numbers) {
    sizes.push_back(static_cast<std::uint32_t>(Find(number)->members.size()));
  }
}

const AtomIndex::Atom* AtomIndex::Find(std::uint32_t atom) const {
  const auto known = slot_of_atom_.find(atom);
  return known == slot_of_atom_.end() ? nullptr : &atoms_[known->second];
}

std::vector<std::uint32_t> AtomIndex::MembersOf(std::uint32_t atom) const {
  const std::shared_lock lock(mutex_);
  const Atom* found = Find(atom);
  return found == nullptr ? std::vector<std::uint32_t>() : found->members;
}

bool AtomIndex::AtomOf(std::uint32_t member, std::uint32_t& atom) const {
  const std::shared_lock lock(mutex_);
  const auto known = slot_of_member_.find(member);
  if (known == slot_of_member_.end()) return false;
  atom = atoms_[atom_slot_of_[known->second]].number;
  return true;
}

bool AtomIndex::VectorOf(std::uint32_t member, std::span<float> out) const {
  assert(out.size() == options_.dimensions);
  const std::shared_lock lock(mutex_);
  const auto known = slot_of_member_.find(member);
  if (known == slot_of_member_.end()) return false;
  float values[kMaxDimensions];
  rows_.Read(known->second, values);
  std::copy_n(values, out.size(), out.begin());
  return true;
}

void AtomIndex::MakeBasis(Atom& atom) const {
  const std::size_t stride = rows_.stride();
  const auto rows = hamming::MakeHugeArray<float>(atom.members.size() * stride);
  for (std::size_t i = 0; i < atom.members.size(); ++i) {
    rows_.Read(slot_of_member_.find(atom.members[i])->second, rows.get() + i * stride);
  }
  atom.basis =
      FirstSingularVectors(rows.get(), stride, atom.members.size(), options_.rank, atom.basis);
  atom.stale = false;
  --stale_;
}

template <typename Read>
void AtomIndex::WithBases(By by, const Read& read) const {
  {
    const std::shared_lock lock(mutex_);
    if (stale_ == 0 || by == By::kCentroid || by == By::kBestMember) return read();
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
    const Atom& atom = atoms_[slot];
    if (atom.number == kNone) continue;
    scored.push_back(
        {atom.number, by == By::kBestMember ? tallies[slot].best_member : Score(probe, atom, by)});
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

bool AtomIndex::NearestMembers(std::span<const float> query, std::size_t most,
                               std::vector<Scored>& nearest) const {
  Probe probe;
  if (!rows_.ToProbe(query, probe)) return false;
  const std::shared_lock lock(mutex_);
  std::vector<double> cosines(rows_.slots());
  rows_.Cosines(probe, 0, rows_.slots(), cosines.data());
  nearest.clear();
  nearest.reserve(slot_of_member_.size());
  for (std::size_t slot = 0; slot < rows_.slots(); ++slot) {
    if (atom_slot_of_[slot] != kNone) nearest.push_back({member_of_[slot], cosines[slot]});
  }
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

std::size_t AtomIndex::SizeInBytes() const {
  const std::shared_lock lock(mutex_);
  // A node of a hash table: a pair, a link, and its share of the buckets.
  constexpr std::size_t kNodeBytes = 4 * sizeof(void*);
  std::size_t bytes = sizeof(*this) + rows_.SizeInBytes();
  bytes += (atom_slot_of_.capacity() + member_of_.capacity() + free_atoms_.capacity()) *
           sizeof(std::uint32_t);
  bytes += (slot_of_member_.size() + slot_of_atom_.size()) * kNodeBytes;
  bytes += atoms_.capacity() * sizeof(Atom) + tallies_.capacity() * sizeof(Tally);
  for (const Atom& atom : atoms_) {
    bytes += atom.members.capacity() * sizeof(std::uint32_t) +
             atom.sum.capacity() * sizeof(std::int64_t) +
             (atom.centroid.capacity() + atom.basis.vectors.capacity()) * sizeof(float);
  }
  return bytes;
}

std::uint64_t AtomIndex::Sum() const {
  const std::shared_lock lock(mutex_);
  return rows_.Sum();
}

}  // namespace dentate::atoms
