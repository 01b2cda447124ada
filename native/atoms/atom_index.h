// Vectors clustered as they come: each joins the closest atom or opens one (policy.h).
//
//   members   rows of float32 or int8 (member_rows.h), numbered from 0 in the order they came
//   atoms     numbered from 0 in the order they were opened; which members each has
//   of each atom with two members or more:
//     sum        exact (exact_sum.h), and its length
//     basis      its first `rank` right singular vectors (basis.h), the first of which is v1; made
//                again when a search wants it after the atom has changed
//   An atom of one member is that member: sum, centroid and v1 take no room.
//
// Invariants.
//   1. Statistics are those of the living members alone, whatever was removed: the sum bit for bit;
//      bases within their tolerance, and a removal drops the old one, so that nothing of what was
//      removed is left in memory.
//   2. Numbers of removed members, and of atoms without members, are not given again.
//   3. The same vectors in the same order give the same atoms, on every machine and with every
//      kernel (vectors/dense.h).
//
// Cost, with n members of d values in m atoms: Add reads every row once, O(n d + m), whatever the
// policy. Nearest: m * d for centroids and v1, rank times that for a subspace, n * d for the best
// member; atoms that have changed since their basis was made cost basis.h first.
//
// Limits. kMaxNumbers members and as many atoms, removed ones included; 2^23 members in one atom
// (exact_sum.h).
//
// Threads. Any: a writer keeps everyone out for one vector, the making of a basis for one atom;
// searches run side by side.

#ifndef DENTATE_ATOMS_ATOM_INDEX_H_
#define DENTATE_ATOMS_ATOM_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "atoms/basis.h"
#include "atoms/member_rows.h"
#include "atoms/policy.h"
#include "core/status.h"

namespace dentate::atoms {

inline constexpr std::uint32_t kMaxNumbers = 0xffffffff;

struct Options {
  std::size_t dimensions = 0;  // 1 .. kMaxDimensions
  Storage storage = Storage::kFloat32;
  Policy policy;
  std::size_t rank = 8;  // of a basis, 1 .. kMaxRank
};

struct Added {
  std::uint32_t member = 0;
  std::uint32_t atom = 0;
  bool created = false;
  // The closeness (policy.h) of the atom joined; of the closest there was, if none was close
  // enough; -1 if there was none.
  double similarity = -1;
};

// What a query is compared with: <q, v1>; <q, mean> / |mean|; |V^T q| with the basis V; the
// greatest <q, m> over members m. q is of unit length.
enum class By : std::uint8_t {
  kFirstSingularVector = 0,
  kCentroid = 1,
  kSubspace = 2,
  kBestMember = 3,
};

// Polled between vectors; none is never.
using Cancelled = std::function<bool()>;

struct Scored {
  std::uint32_t number;  // of an atom or of a member
  double score;
};

class AtomIndex {
 public:
  // REQUIRES: options within the limits that they name.
  explicit AtomIndex(const Options& options);
  AtomIndex(const AtomIndex&) = delete;
  AtomIndex& operator=(const AtomIndex&) = delete;
  ~AtomIndex();

  const Options& options() const noexcept { return options_; }

  // Adds a vector to the atom that the policy names. REQUIRES: fewer than kMaxNumbers so far.
  // False, and nothing has changed, where the vector is all zero or not finite. REQUIRES:
  // vector.size() is the dimensions.
  bool Add(std::span<const float> vector, Added& added);
  // The same for an int8 row (QuantizeUnit), of any scale.
  bool AddRow(std::span<const std::int8_t> row, Added& added);
  // Adds a member to the atom of this number, whatever the policy; there need not be one yet.
  // REQUIRES: atom < kMaxNumbers.
  bool AddAssigned(std::span<const float> vector, std::uint32_t atom, std::uint32_t& member);
  bool AddAssigned(std::span<const std::int8_t> row, std::uint32_t atom, std::uint32_t& member);

  // Add for vectors that lie one after the other: all, or none where it returns kAborted
  // (`cancelled` said so) or kInternal (one has no direction), or throws std::bad_alloc. Others may
  // read, and write, between two vectors.
  Status AddMany(std::span<const float> vectors, const Cancelled& cancelled,
                 std::vector<Added>& added);

  // False where there is no such member.
  bool Remove(std::uint32_t member);

  // Living members; living atoms; members of the largest atom.
  std::size_t size() const;
  std::size_t count() const;
  std::size_t Largest() const;

  // Numbers of the living atoms, ascending, and how many members each has.
  void Atoms(std::vector<std::uint32_t>& numbers, std::vector<std::uint32_t>& sizes) const;
  // Its members, ascending; none for an atom that isn't there.
  std::vector<std::uint32_t> MembersOf(std::uint32_t atom) const;
  // False where there is no such member.
  bool AtomOf(std::uint32_t member, std::uint32_t& atom) const;
  // The unit vector that a member stands for; REQUIRES: out.size() is the dimensions.
  bool VectorOf(std::uint32_t member, std::span<float> out) const;

  // The closest `most` atoms or members, best first; of equals, the lower number first. False
  // where the query is all zero or not finite. REQUIRES: query.size() is the dimensions.
  bool Nearest(std::span<const float> query, std::size_t most, By by,
               std::vector<Scored>& nearest) const;
  // The scores of these atoms alone, in their order, those that aren't there left out; and only
  // their bases are made.
  bool ScoresOf(std::span<const float> query, std::span<const std::uint32_t> atoms, By by,
                std::vector<Scored>& scored) const;
  // Nearest for queries that lie one after the other. kAborted where `cancelled` said so.
  Status NearestMany(std::span<const float> queries, std::size_t most, By by,
                     const Cancelled& cancelled, std::vector<std::vector<Scored>>& nearest) const;
  bool NearestMembers(std::span<const float> query, std::size_t most,
                      std::vector<Scored>& nearest) const;
  // cosines[i] = cos(query, members[i]); 0 where there is no such member.
  bool Cosines(std::span<const float> query, std::span<const std::uint32_t> members,
               std::span<float> cosines) const;

  // The vector of an atom that a search by `by` compares with: rank rows of dimensions values;
  // none for an atom that isn't there, or by best member.
  std::vector<float> StatisticsOf(std::uint32_t atom, By by) const;

  std::size_t SizeInBytes() const;

  // Reads every stored byte of the rows once: the floor of what Add can take, for benches.
  std::uint64_t Sum() const;

  // The whole index as bytes (atom_image.h), and back, bit for bit. kCorruption where the bytes are
  // none, kVersion where they are of a later version. Bases are left out: they are made again.
  std::vector<std::uint8_t> Serialize() const;
  static Status Deserialize(std::span<const std::uint8_t> bytes, std::shared_ptr<AtomIndex>& index);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static_assert(kNone >= kMaxNumbers, "no number stands for none");

  // What Place asks of every atom, apart from what it doesn't.
  struct Gauge {
    double sum_length = 1;
    std::uint32_t number = kNone;  // kNone: a free slot
    std::uint32_t members = 0;
  };

  struct Atom {
    std::vector<std::uint32_t> members;  // numbers, ascending
    std::vector<std::int64_t> sum;       // none while there is one member
    std::vector<float> centroid;         // the same; of unit length, or zero
    Basis basis;                         // none until a search wants it
    bool stale = false;                  // of the basis, where there are two members or more
  };

  // What one pass over the rows tells of an atom.
  struct Tally {
    double best_member;
    std::int64_t with_sum;
  };

  std::uint32_t Insert(const Probe& probe, std::uint32_t atom);
  std::uint32_t Place(const Probe& probe, Added& added);
  void TallyRows(const Probe& probe, std::vector<Tally>& tallies) const;
  // `sum` and `centroid` are the room that an atom's second member needs.
  void Join(std::uint32_t at, std::uint32_t slot, std::uint32_t member,
            std::vector<std::int64_t> sum, std::vector<float> centroid) noexcept;
  void AddRowTo(std::vector<std::int64_t>& sum, std::uint32_t slot, int factor) const noexcept;
  void Measure(std::uint32_t at) noexcept;
  void MakeBasis(Atom& atom) const;
  static std::size_t HeapBytes(const Atom& atom) noexcept;
  double Score(const Probe& probe, const Atom& atom, By by) const;
  double BestMember(const Probe& probe, const Atom& atom) const;
  void ScoreAll(const Probe& probe, By by, std::vector<Scored>& scored) const;
  const Atom* Find(std::uint32_t atom) const;

  // Runs `read` under the lock, with bases up to date where `by` wants them.
  template <typename Read>
  void WithBases(By by, const Read& read) const;

  const Options options_;
  mutable std::shared_mutex mutex_;  // everything below
  MemberRows rows_;
  std::vector<std::uint32_t> atom_slot_of_;  // by row slot; kNone: a free one
  std::vector<std::uint32_t> member_of_;     // by row slot
  mutable std::vector<Atom> atoms_;          // by atom slot; a basis is made by a search
  std::vector<Gauge> gauges_;                // by atom slot
  std::vector<std::uint32_t> free_atoms_;
  std::unordered_map<std::uint32_t, std::uint32_t> slot_of_member_;  // by number; the living ones
  std::unordered_map<std::uint32_t, std::uint32_t> slot_of_atom_;    // the same
  std::uint32_t next_member_ = 0;
  std::uint32_t next_atom_ = 0;
  mutable std::size_t stale_ = 0;       // atoms whose basis is
  mutable std::size_t heap_bytes_ = 0;  // HeapBytes of all atoms
  std::vector<Tally> tallies_;
};

}  // namespace dentate::atoms

#endif  // DENTATE_ATOMS_ATOM_INDEX_H_
