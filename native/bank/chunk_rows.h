// Chunks as they are recorded: what of the bank each one is of, its vector, and its atom.
//
// A chunk is a stretch of a conversation that was embedded as one: turns of a session that follow
// each other, or a piece of a long one. It is a fact about entries, by their bank-wide numbers, so
// that it may span parts; and like other facts it is kept with the period in which it was recorded:
// as records of the log, then in a blob of its own beside the period's part (docs/format.md).
//
//   number   bank-wide, ascending, given once
//   pieces   entries, ascending, each whole or tokens [begin, end) of it
//   vector   int8 values that stand for the unit vector of their direction; zeros: it says nothing
//   atom     the cluster it belongs to, by its bank-wide number; kNone: none, or not yet. Each was
//            opened by a chunk, so that it is below the next chunk's number
//
// Assignments are stored, since they depend on the order in which chunks came. While a bank has no
// threshold, its chunks have no atoms; what settles it names the atoms of those before it (moves).
//
// A chunk is alive as long as all its entries are current (bank_facts.h): nothing is recorded when
// it dies. Whoever writes chunks anew leaves out the dead.
//
// Encoding. Varints (core/coding.h) but for what is said otherwise; `signed` is zigzag.
//
//   dimensions
//   next_chunk     numbers below it had been given
//   threshold      0: unknown, or 1 and an f32
//   moves          how many; of each the chunk, as the difference from the one before, and the atom
//   chunks         how many; of each
//                    its number, as the difference from the one before (the first: from 0)
//                    atom + 1 (0: none)
//                    how many pieces, at least 1; of each
//                      the entry: of a chunk's first piece, signed, as the difference from the last
//                      entry of the chunk before (the first: from 0); else from the piece before
//                      0: the whole entry, or begin + 1 and the number of tokens
//   values         `dimensions` bytes each
//
// An encoding ends where its last value does. In a segment it comes after a header:
//
//   0   8  magic "DENTCHNK"
//   8   4  version, 1
//  12   4  zero

#ifndef DENTATE_BANK_CHUNK_ROWS_H_
#define DENTATE_BANK_CHUNK_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bank/batch.h"
#include "core/status.h"

namespace dentate::bank {

inline constexpr std::uint32_t kMaxChunkDimensions = 4096;

// Tokens [begin, end) of an entry; all of them: 0 and kNone.
struct ChunkPiece {
  std::uint32_t entry = 0;
  std::uint32_t begin = 0, end = kNone;

  bool whole() const noexcept { return end == kNone; }
  bool operator==(const ChunkPiece&) const = default;
};

// Parallel arrays, ascending by number.
struct ChunkRows {
  static constexpr float kNoThreshold = 2;  // no cosine reaches it

  struct Move {
    std::uint32_t chunk, atom;
    bool operator==(const Move&) const = default;
  };

  std::uint32_t dimensions = 0;
  std::uint32_t next_chunk = 0;
  float threshold = kNoThreshold;
  std::vector<Move> moves;  // ascending, of chunks that are not among these

  std::vector<std::uint32_t> numbers, atoms;
  std::vector<std::uint32_t> piece_ends;
  std::vector<ChunkPiece> pieces;  // of all chunks, concatenated
  std::vector<std::int8_t> values;

  std::size_t size() const noexcept { return numbers.size(); }
  bool empty() const noexcept {
    return numbers.empty() && moves.empty() && threshold == kNoThreshold;
  }
  std::span<const ChunkPiece> PiecesOf(std::size_t i) const noexcept {
    const std::uint32_t begin = i == 0 ? 0 : piece_ends[i - 1];
    return {pieces.data() + begin, pieces.data() + piece_ends[i]};
  }
  std::span<const std::int8_t> ValuesOf(std::size_t i) const noexcept {
    return {values.data() + i * dimensions, dimensions};
  }
  // REQUIRES: a higher number than the last, `values` of `dimensions`.
  void Push(std::uint32_t number, std::uint32_t atom, std::span<const ChunkPiece> of,
            std::span<const std::int8_t> vector);
  std::size_t SizeInBytes() const noexcept;

  bool operator==(const ChunkRows&) const = default;
};

// Appends the encoding. REQUIRES: ascending as said above.
void EncodeChunks(const ChunkRows& rows, std::vector<std::uint8_t>& out);

// Any bytes: kCorruption for what EncodeChunks would not have written. Replaces `rows`.
Status DecodeChunks(std::span<const std::uint8_t> bytes, ChunkRows& rows);

// The same with the header of a blob; kVersion for a newer one.
void EncodeChunkBlob(const ChunkRows& rows, std::vector<std::uint8_t>& out);
Status DecodeChunkBlob(std::span<const std::uint8_t> bytes, ChunkRows& rows);

// Makes `rows` what they and, after them, `newer` say. kCorruption where the two do not fit.
Status ExtendChunks(ChunkRows& rows, const ChunkRows& newer);
// Makes room for that: it then allocates nothing.
void PrepareExtend(ChunkRows& rows, const ChunkRows& newer);

// The same without the chunks whose pieces are not to stay.
using KeepChunk = std::function<bool(std::span<const ChunkPiece>)>;
ChunkRows KeptChunks(const ChunkRows& rows, const KeepChunk& keep);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_CHUNK_ROWS_H_
