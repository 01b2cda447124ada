// The vector of a chunk from the codes of its entries: what the embedder `static` is.
//
//   v(chunk)   the sum of weight * vector over the words of its pieces, at unit length
//
// Speakers' names are left out: in a talk of two they would be in every chunk. A piece has the
// codes that start at one of its tokens. Sums are of whole numbers (signatures/word_vectors.h): the
// same vector on every machine, however the bank is cut into parts.
//
// Cost. About 0.1 µs a code. The codes of an entry are all read for its pieces, once where these
// follow each other. Threads: one builder a thread.

#ifndef DENTATE_BANK_CHUNK_VECTOR_H_
#define DENTATE_BANK_CHUNK_VECTOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bank/chunk_rows.h"
#include "bank/snapshot.h"
#include "signatures/vector_sum.h"
#include "signatures/word_vectors.h"

namespace dentate::bank {

class ChunkVectorBuilder {
 public:
  // Zeros for a chunk without words. REQUIRES: out.size() is the vectors' dimensions; the entries
  // are current.
  void Build(const Snapshot& snapshot, std::span<const ChunkPiece> pieces,
             const signatures::WordVectors& vectors, std::span<float> out);

 private:
  void Add(const std::shared_ptr<const Part>& of, std::uint32_t entry, const ChunkPiece& piece,
           const signatures::WordVectors& vectors);

  signatures::VectorSum sum_;
  std::vector<std::uint32_t> codes_, tokens_;
  // The entry whose codes and tokens these are: a long one has thousands of pieces, one after the
  // other. Null: no piece's.
  std::shared_ptr<const Part> cut_;
  std::uint32_t cut_entry_ = 0;
  std::vector<std::uint32_t> of_word_, word_pieces_, piece_ends_;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_CHUNK_VECTOR_H_
