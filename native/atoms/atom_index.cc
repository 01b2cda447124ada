#include "atoms/atom_index.h"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <utility>

#include "atoms/exact_sum.h"

namespace dentate::atoms {
namespace {

// Room for one more, so that push_back can't fail.
template <typename T>
void MakeRoom(std::vector<T>& values) {
  if (values.size() == values.capacity()) values.reserve(2 * values.size() + 1);
}

}  // namespace

AtomIndex::AtomIndex(const Options& options)
    : options_(options), rows_(options.dimensions, options.storage) {
  assert(options.rank > 0 && options.rank <= kMaxRank);
}

AtomIndex::~AtomIndex() = default;

void AtomIndex::TallyRows(const Probe& probe, std::vector<Tally>& tallies) const {
  tallies.assign(atoms_.size(), {-2, 0});
  rows_.ForEachCosine(probe, 0, rows_.slots(), [&](std::size_t slot, double cosine) {
    const std::uint32_t atom = atom_slot_of_[slot];
    if (atom == kNone) return;
    Tally& tally = tallies[atom];
    tally.best_member = std::max(tally.best_member, cosine);
    tally.with_sum += ToFixed(cosine);
  });
}

std::uint32_t AtomIndex::Place(const Probe& probe, Added& added) {
  TallyRows(probe, tallies_);
  added.similarity = -1;
  std::uint32_t closest = kNone;
  for (std::size_t slot = 0; slot < gauges_.size(); ++slot) {
    const Gauge& atom = gauges_[slot];
    if (atom.number == kNone) continue;
    const Closeness closeness{tallies_[slot].best_member, FromFixed(tallies_[slot].with_sum),
                              atom.sum_length, atom.members};
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

Status AtomIndex::AddMany(std::span<const float> vectors, const Cancelled& cancelled,
                          std::vector<Added>& added) {
  added.clear();
  const auto take_back = [&] {
    for (const Added& each : added) Remove(each.member);
    added.clear();
  };
  try {
    added.reserve(vectors.size() / options_.dimensions);
    for (std::size_t at = 0; at < vectors.size(); at += options_.dimensions) {
      const bool aborted = cancelled && cancelled();
      Added each;
      if (aborted || !Add(vectors.subspan(at, options_.dimensions), each)) {
        take_back();
        return aborted ? Status(ErrorCode::kAborted, "the operation was aborted")
                       : Status(ErrorCode::kInternal, "a vector has no direction");
      }
      added.push_back(each);
    }
  } catch (...) {
    take_back();
    throw;
  }
  return Status::Ok();
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
    MakeRoom(gauges_);
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
  if (slot == atom_slot_of_.size()) {
    atom_slot_of_.push_back(kNone);
    member_of_.push_back(kNone);
  }
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
    gauges_.emplace_back();
  } else if (opens) {
    free_atoms_.pop_back();
    atoms_[at] = std::move(opened);
  }
  atom_slot_of_[slot] = at;
  member_of_[slot] = member;
  gauges_[at].number = number;
  Join(at, slot, member, std::move(sum), std::move(centroid));
  next_member_ = member + 1;
  next_atom_ = std::max(next_atom_, number + 1);
  return member;
}

void AtomIndex::Join(std::uint32_t at, std::uint32_t slot, std::uint32_t member,
                     std::vector<std::int64_t> sum, std::vector<float> centroid) noexcept {
  Atom& atom = atoms_[at];
  heap_bytes_ -= HeapBytes(atom);
  if (atom.members.size() == 1) {
    atom.sum = std::move(sum);
    atom.centroid = std::move(centroid);
    AddRowTo(atom.sum, slot_of_member_.find(atom.members[0])->second, 1);
  }
  atom.members.push_back(member);
  ++gauges_[at].members;
  heap_bytes_ += HeapBytes(atom);
  if (atom.members.size() == 1) return;
  AddRowTo(atom.sum, slot, 1);
  Measure(at);
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

void AtomIndex::Measure(std::uint32_t at) noexcept {
  Atom& atom = atoms_[at];
  const double length = LengthOf(atom.sum);
  for (std::size_t j = 0; j < atom.sum.size(); ++j) {
    atom.centroid[j] = static_cast<float>(length > 0 ? FromFixed(atom.sum[j]) / length : 0);
  }
  gauges_[at].sum_length = length;
}

bool AtomIndex::Remove(std::uint32_t member) {
  const std::unique_lock lock(mutex_);
  const auto known = slot_of_member_.find(member);
  if (known == slot_of_member_.end()) return false;
  const std::uint32_t slot = known->second;
  const std::uint32_t at = atom_slot_of_[slot];
  Atom& atom = atoms_[at];
  heap_bytes_ -= HeapBytes(atom);
  auto& members = atom.members;
  members.erase(std::lower_bound(members.begin(), members.end(), member));
  --gauges_[at].members;
  if (atom.stale) --stale_;
  atom.basis = {};
  atom.stale = members.size() > 1;
  if (members.size() > 1) {
    ++stale_;
    AddRowTo(atom.sum, slot, -1);
    Measure(at);
  } else {
    atom.sum = {};
    atom.centroid = {};
    gauges_[at].sum_length = 1;
  }
  heap_bytes_ += HeapBytes(atom);
  if (members.empty()) {
    slot_of_atom_.erase(gauges_[at].number);
    gauges_[at] = {};
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
  for (const Gauge& atom : gauges_) largest = std::max<std::size_t>(largest, atom.members);
  return largest;
}

void AtomIndex::Atoms(std::vector<std::uint32_t>& numbers,
                      std::vector<std::uint32_t>& sizes) const {
  const std::shared_lock lock(mutex_);
  numbers.clear();
  sizes.clear();
  for (const Gauge& atom : gauges_) {
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
  atom = gauges_[atom_slot_of_[known->second]].number;
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

std::size_t AtomIndex::SizeInBytes() const {
  const std::shared_lock lock(mutex_);
  // A node of a hash table: a pair, a link, and its share of the buckets.
  constexpr std::size_t kNodeBytes = 4 * sizeof(void*);
  std::size_t bytes = sizeof(*this) + rows_.SizeInBytes();
  bytes += (atom_slot_of_.capacity() + member_of_.capacity() + free_atoms_.capacity()) *
           sizeof(std::uint32_t);
  bytes += (slot_of_member_.size() + slot_of_atom_.size()) * kNodeBytes;
  bytes += atoms_.capacity() * (sizeof(Atom) + sizeof(Gauge)) + tallies_.capacity() * sizeof(Tally);
  return bytes + heap_bytes_;
}

std::size_t AtomIndex::HeapBytes(const Atom& atom) noexcept {
  return atom.members.size() * sizeof(std::uint32_t) + atom.sum.capacity() * sizeof(std::int64_t) +
         (atom.centroid.capacity() + atom.basis.vectors.capacity()) * sizeof(float) +
         atom.basis.squared_singular_values.capacity() * sizeof(double);
}

std::uint64_t AtomIndex::Sum() const {
  const std::shared_lock lock(mutex_);
  return rows_.Sum();
}

}  // namespace dentate::atoms
