// Cuts what a bank holds into chunks: which entries, or tokens of them, are embedded as one.
//
//   session s    t1 t2 t3 t4 t5 | t6 ████████ | t8 t9            turns: 5, tokens: 256
//                └─ a chunk ──┘  └┘ └─┘└─┘└─┘   └ open, while the session may go on
//
// Entries of one session that follow each other, are current and in no living chunk are taken
// together: a chunk ends with the last turn that it may have, before one that would make it longer
// than `tokens`, and before one that is in a chunk already. A turn that is longer than that alone
// is cut into pieces on sentence ends (text/token_breaks.h), each a chunk of its own. What is left
// at the end of a session is open: a chunk that more turns may still join, until `kOpenReach`
// entries of other sessions have come after it.
//
// So the same entries make the same chunks, in the same order, however often they are looked at
// between: a chunk comes when what closes it has come, be it the turn that fills it or the last
// of those that others said since. What a deletion leaves of a chunk is chunked anew.
//
// Cost. O(1) an entry that has no chunk yet, and the cutting of long ones.
//
// Threads. Any: it reads a snapshot.

#ifndef DENTATE_BANK_CHUNKER_H_
#define DENTATE_BANK_CHUNKER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/chunk_rows.h"
#include "bank/snapshot.h"

namespace dentate::bank {

struct ChunkerOptions {
  std::uint32_t turns = 5;     // of a chunk, at most
  std::uint32_t tokens = 512;  // the same; a turn of more is cut into pieces of about so many
};

// Lists of pieces, concatenated: chunks that are not recorded yet.
struct PlannedChunks {
  std::vector<std::uint32_t> piece_ends;
  std::vector<ChunkPiece> pieces;

  std::size_t size() const noexcept { return piece_ends.size(); }
  std::span<const ChunkPiece> PiecesOf(std::size_t i) const noexcept {
    const std::uint32_t begin = i == 0 ? 0 : piece_ends[i - 1];
    return {pieces.data() + begin, pieces.data() + piece_ends[i]};
  }
  void EndChunk() { piece_ends.push_back(static_cast<std::uint32_t>(pieces.size())); }
};

// Entries after the last of a session's that leave its last chunk open.
inline constexpr std::uint32_t kOpenReach = 64;

// The next chunks that are due, closed ones alone: at least `most`, where there are as many, and a
// turn's pieces all. `chunked`: entries that are in a living chunk.
PlannedChunks PlanChunks(const Snapshot& snapshot, const EntryMask& chunked,
                         const ChunkerOptions& options, std::size_t most);

// Those of the last entries that are in no chunk yet, open or due: those before have a record as
// soon as whoever indexes has caught up, since an open chunk's entries are within kOpenReach of
// each other.
inline constexpr std::uint32_t kOpenTurns = 4;  // so many of them at least
PlannedChunks PlanOpenChunks(const Snapshot& snapshot, const EntryMask& chunked,
                             const ChunkerOptions& options);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_CHUNKER_H_
