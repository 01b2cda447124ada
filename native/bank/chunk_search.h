// Searches over chunks: by their own cosine with a vector, or by that of the atoms they are in.
//
// What counts is a chunk with an entry that is current in the snapshot and allowed; of it those
// entries alone are named. Chunks that are not recorded yet, open or about to be, are embedded by
// the search itself, or by the caller where it has the embedder, so that what was added is found at
// once: they are numbered from the next chunk on, and belong to the atom of their closest member
// where that is close enough, else to one of their own.
//
// Cost. One cosine a living chunk, and a look at the entries of each; the chunks without a record
// that are embedded here. The first search of a bank makes its index (chunk_index.h).
//
// Threads. Any.

#ifndef DENTATE_BANK_CHUNK_SEARCH_H_
#define DENTATE_BANK_CHUNK_SEARCH_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "atoms/atom_index.h"
#include "bank/bank.h"
#include "bank/chunker.h"
#include "bank/query.h"
#include "bank/snapshot.h"
#include "core/status.h"
#include "signatures/word_vectors.h"

namespace dentate::bank {

// Where another device has looked for the nearest: what is left to be scored, exactly, here.
struct ChunkCandidates {
  std::vector<std::uint32_t> chunks;  // with a record, ascending; the others are passed over
  std::uint32_t from = 0;  // but for those from here on, of which the device knows nothing
  // Of SearchAtoms: the atoms that are scored, beside those of chunks from `from` on; they come
  // first, and all their chunks are among `chunks`.
  std::vector<std::uint32_t> atoms;
};

struct ChunkQuery {
  std::vector<float> vector;
  ChunkerOptions chunker;  // how the chunks without a record are cut
  // These, where the caller has embedded them; else what the chunker says, by the bank's own codes.
  bool embedded = false;
  PlannedChunks open;
  std::vector<float> open_vectors;
  std::shared_ptr<const EntryMask> allowed;           // null: all that are current
  std::shared_ptr<const ChunkCandidates> candidates;  // null: all are looked at
  std::uint32_t limit = 0;                            // chunks; of SearchAtoms: atoms
};

// Parallel arrays, best first.
struct ChunkResult {
  std::vector<std::uint32_t> chunks;
  std::vector<float> scores;         // cosines
  std::vector<std::uint32_t> atoms;  // kNone: a vector of zeros
  // Entries of chunk i: [offsets[i], offsets[i + 1]); of each the tokens [from, to), or 0 and kNone
  // for all.
  std::vector<std::uint32_t> offsets, entries, ranges;
};

// Atoms, best first: their chunks are those of the ChunkResult from offsets[i] to offsets[i + 1].
struct AtomResult {
  std::vector<std::uint32_t> atoms;
  std::vector<float> scores;
  std::vector<std::uint32_t> offsets;
};

struct ChunkStats {
  std::uint64_t chunks = 0, atoms = 0, largest = 0;  // chunks of the largest atom
  float threshold = ChunkRows::kNoThreshold;
};

// `vectors`: null where the bank's words have none; then nothing is embedded here. kAborted.
Status SearchChunks(const Bank& bank, const Snapshot& snapshot,
                    const signatures::WordVectors* vectors, const ChunkQuery& query,
                    const Cancelled& cancelled, ChunkResult& result);
Status SearchAtoms(const Bank& bank, const Snapshot& snapshot,
                   const signatures::WordVectors* vectors, const ChunkQuery& query, atoms::By by,
                   const Cancelled& cancelled, ChunkResult& result, AtomResult& nearest);
// All that count, in the order of their numbers, with their vectors, of unit length, one after the
// other; their scores say nothing. REQUIRES: query.vector is zeros, as many as the vectors have.
Status ListChunks(const Bank& bank, const Snapshot& snapshot,
                  const signatures::WordVectors* vectors, const ChunkQuery& query,
                  const Cancelled& cancelled, ChunkResult& result, std::vector<float>& values);
Status CountChunks(const Bank& bank, ChunkStats& stats);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_CHUNK_SEARCH_H_
