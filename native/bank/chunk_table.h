// A bank's living chunks, for whoever keeps their vectors somewhere else: an accelerator.
//
//   version   another number whenever a chunk comes, dies, or is in another atom; never given twice
//   chunks    numbers, ascending, of those that have a vector; and the atom that each is in
//   entries   of chunk i: [offsets[i], offsets[i + 1])
//
// So a copy of the vectors is kept up by asking for the table, and for the vectors of the chunks
// that are new in it.
//
// Threads. Any.

#ifndef DENTATE_BANK_CHUNK_TABLE_H_
#define DENTATE_BANK_CHUNK_TABLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "bank/bank.h"
#include "core/status.h"

namespace dentate::bank {

struct ChunkTable {
  std::uint64_t version = 0;
  std::uint32_t next_chunk = 0, dimensions = 0;
  std::vector<std::uint32_t> chunks, atoms, offsets, entries;
};

// Only the version, where it is still `known`.
Status ListChunkTable(const Bank& bank, std::uint64_t known, ChunkTable& table);

// Of each of the chunks, ascending numbers, the vector of unit length; zeros for one that is gone.
Status ReadChunkVectors(const Bank& bank, std::span<const std::uint32_t> chunks,
                        std::vector<float>& vectors);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_CHUNK_TABLE_H_
