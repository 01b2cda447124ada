// A bank's living chunks in memory, with their atoms: what searches over chunks look at.
//
//   slot      0 1 2 3 ...       a chunk, in the order of numbers; dead ones leave a gap
//   member    number in the AtomIndex (atoms/atom_index.h), which holds the vectors
//
// Made from what was recorded, when somebody first asks (bank_chunks.h), and kept up from then on.
// The statistics of atoms follow from their living members alone: a chunk that died is as if it had
// never been.
//
// While the bank has no threshold its chunks are grouped for the time being, by one that is found
// in them; those atoms are numbered anew each time.
//
// Cost. Making it: about what adding the vectors to the AtomIndex costs. A search: one cosine a
// living chunk.
//
// Threads: one that changes it, with nobody beside; any number that read.

#ifndef DENTATE_BANK_CHUNK_INDEX_H_
#define DENTATE_BANK_CHUNK_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atoms/atom_index.h"
#include "bank/chunk_rows.h"
#include "bank/chunker.h"
#include "bank/snapshot.h"

namespace dentate::bank {

class ChunkIndex {
 public:
  // Of all that was recorded, as one. `rows.dimensions` may be 0 where that is nothing: then
  // nothing is ever found.
  ChunkIndex(const ChunkRows& rows, const EntryMask& current);

  // What of the chunks it was made from had no atom though there is a threshold: the atoms that
  // they were given then, to be recorded.
  const std::vector<ChunkRows::Move>& moves() const noexcept { return moves_; }

  // --- changes
  // Takes in a record. REQUIRES: it moves nothing and brings no other threshold.
  void Extend(const ChunkRows& rows);
  // Takes in new chunks and gives back what is to be recorded: their numbers, and the atom that
  // each has joined, or made. REQUIRES: a threshold; `values` has dimensions() for each chunk.
  ChunkRows Cluster(const PlannedChunks& chunks, std::span<const std::int8_t> values);
  // Lets go of the chunks that have died.
  void Sync(const EntryMask& current);

  // --- questions
  // Another number after each change, and of each index: chunk_table.h.
  std::uint64_t version() const noexcept { return version_; }
  std::size_t slot_count() const noexcept { return numbers_.size(); }
  bool IsAlive(std::size_t slot) const noexcept { return alive_[slot]; }
  std::size_t alive_count() const noexcept { return alive_count_; }
  std::uint32_t number(std::size_t slot) const noexcept { return numbers_[slot]; }
  // The first slot of a chunk of this number or a later one; slot_count() where there is none.
  std::size_t FirstSlotFrom(std::uint32_t number) const noexcept {
    const auto first = std::lower_bound(numbers_.begin(), numbers_.end(), number);
    return static_cast<std::size_t>(first - numbers_.begin());
  }
  std::span<const ChunkPiece> PiecesOf(std::size_t slot) const noexcept {
    const std::uint32_t begin = slot == 0 ? 0 : piece_ends_[slot - 1];
    return {pieces_.data() + begin, pieces_.data() + piece_ends_[slot]};
  }
  // kNone: the vector is zeros, so that it is in no atom.
  std::uint32_t member(std::size_t slot) const noexcept { return members_[slot]; }
  std::size_t SlotOf(std::uint32_t member) const noexcept { return slots_[member]; }

  // The entries that are in living chunks.
  const EntryMask& chunked() const noexcept { return chunked_; }
  std::uint32_t next_chunk() const noexcept { return next_chunk_; }
  std::uint32_t dimensions() const noexcept { return dimensions_; }
  // What was recorded; ChunkRows::kNoThreshold.
  float threshold() const noexcept { return threshold_; }
  const atoms::AtomIndex* atoms() const noexcept { return atoms_.get(); }

  std::size_t SizeInBytes() const noexcept;
  // What of it are the gaps.
  std::size_t StaleBytes() const noexcept;

 private:
  static std::uint64_t NextVersion() noexcept;
  void PushSlot(std::uint32_t number, std::span<const ChunkPiece> pieces, std::uint32_t member);
  void Mark(std::span<const ChunkPiece> pieces);

  std::uint64_t version_ = NextVersion();
  std::uint32_t dimensions_ = 0, next_chunk_ = 0;
  float threshold_ = ChunkRows::kNoThreshold;
  std::vector<std::uint32_t> numbers_, members_, piece_ends_;
  std::vector<ChunkPiece> pieces_;
  std::vector<bool> alive_;
  std::size_t alive_count_ = 0;
  std::vector<std::uint32_t> slots_;  // by member
  std::vector<ChunkRows::Move> moves_;
  EntryMask chunked_;
  std::unique_ptr<atoms::AtomIndex> atoms_;  // null: no length of vectors is known
};

// Whether all of a chunk's entries are in the mask.
bool AllIn(const EntryMask& mask, std::span<const ChunkPiece> pieces) noexcept;

// The threshold that suits the first `most` of these chunks (atoms/calibrate.h).
float ThresholdOf(const ChunkRows& rows, std::size_t most);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_CHUNK_INDEX_H_
