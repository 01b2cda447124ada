// What an indexer does to a bank, before it records anything: which chunks are due, and their
// vectors.
//
// Threads. Any.

#ifndef DENTATE_BANK_CHUNK_DUE_H_
#define DENTATE_BANK_CHUNK_DUE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "bank/bank.h"
#include "bank/chunker.h"
#include "bank/snapshot.h"
#include "core/status.h"
#include "signatures/word_vectors.h"

namespace dentate::bank {

// The next chunks that are to be recorded (chunker.h).
Status FindDueChunks(const Bank& bank, const Snapshot& snapshot, const ChunkerOptions& options,
                     std::size_t most, PlannedChunks& due);
// Those of the last entries that have no record, due or open: what a search has to embed.
Status FindOpenChunks(const Bank& bank, const Snapshot& snapshot, const ChunkerOptions& options,
                      PlannedChunks& open);

// With vectors from the bank's own words.
NewChunks EmbedChunks(const Snapshot& snapshot, PlannedChunks chunks,
                      const signatures::WordVectors& vectors);
// With these, one after the other. REQUIRES: `dimensions` for each chunk.
NewChunks WithVectors(PlannedChunks chunks, std::span<const float> vectors,
                      std::uint32_t dimensions);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_CHUNK_DUE_H_
