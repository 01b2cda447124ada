#include "bank/chunk_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/coding.h"
#include "vectors/dot.h"

namespace dentate::bank {
namespace {

constexpr std::array<std::uint8_t, 8> kBlobMagic = {'D', 'E', 'N', 'T', 'C', 'H', 'N', 'K'};
constexpr std::uint32_t kBlobVersion = 1;

Status Damaged(const char* what) { return {ErrorCode::kCorruption, what}; }

void PutSigned(std::vector<std::uint8_t>& out, std::int64_t value) {
  PutVarint(out,
            (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

std::int64_t Unfold(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

Status ReadMoves(Decoder& in, ChunkRows& rows) {
  const std::uint64_t count = in.Varint();
  if (!in.ok() || count > in.remaining() / 2) return Damaged("too many moves of chunks");
  std::uint64_t chunk = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t difference = in.Varint32();
    chunk += difference;
    const std::uint32_t atom = in.Varint32();
    if (!in.ok() || (i > 0 && difference == 0) || chunk >= rows.next_chunk ||
        atom >= rows.next_chunk) {
      return Damaged("a move of a chunk is none");
    }
    rows.moves.push_back({static_cast<std::uint32_t>(chunk), atom});
  }
  return Status::Ok();
}

// The pieces of one chunk; `entry` is the last one of the chunk before.
Status ReadPieces(Decoder& in, std::int64_t& entry, ChunkRows& rows) {
  const std::uint64_t count = in.Varint();
  if (!in.ok() || count == 0 || count > in.remaining() / 2) return Damaged("a chunk of nothing");
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::int64_t difference = i == 0 ? Unfold(in.Varint()) : std::int64_t{in.Varint32()};
    if (difference < -std::int64_t{kNone} || difference > std::int64_t{kNone}) {
      return Damaged("an entry's number is wrong");
    }
    entry += difference;
    if (!in.ok() || entry < 0 || entry >= kNone || (i > 0 && difference == 0)) {
      return Damaged("an entry's number is wrong");
    }
    ChunkPiece piece{static_cast<std::uint32_t>(entry), 0, kNone};
    if (const std::uint32_t begin = in.Varint32(); begin != 0) {
      const std::uint64_t end = std::uint64_t{begin} - 1 + in.Varint32();
      if (end < begin || end >= kNone) return Damaged("a chunk's piece is empty");
      piece.begin = begin - 1;
      piece.end = static_cast<std::uint32_t>(end);
    }
    rows.pieces.push_back(piece);
  }
  rows.piece_ends.push_back(static_cast<std::uint32_t>(rows.pieces.size()));
  return Status::Ok();
}

Status ReadVectors(Decoder& in, ChunkRows& rows) {
  const auto bytes = in.Bytes(rows.size() * rows.dimensions);
  if (!in.ok() || in.remaining() != 0) return Damaged("the vectors of chunks are cut off");
  rows.values.resize(bytes.size());
  std::transform(bytes.begin(), bytes.end(), rows.values.begin(),
                 [](std::uint8_t byte) { return static_cast<std::int8_t>(byte); });
  const bool in_range = std::all_of(rows.values.begin(), rows.values.end(),
                                    [](std::int8_t v) { return v >= -vectors::kRowLimit; });
  return in_range ? Status::Ok() : Damaged("a value of a chunk's vector is out of range");
}

template <typename T>
void ReserveMore(std::vector<T>& list, std::size_t count) {
  const std::size_t size = list.size() + count;
  if (size > list.capacity()) list.reserve(std::max(size, 2 * list.capacity()));
}

}  // namespace

void ChunkRows::Push(std::uint32_t number, std::uint32_t atom, std::span<const ChunkPiece> of,
                     std::span<const std::int8_t> vector) {
  numbers.push_back(number);
  atoms.push_back(atom);
  pieces.insert(pieces.end(), of.begin(), of.end());
  piece_ends.push_back(static_cast<std::uint32_t>(pieces.size()));
  values.insert(values.end(), vector.begin(), vector.end());
  next_chunk = std::max(next_chunk, number + 1);
}

std::size_t ChunkRows::SizeInBytes() const noexcept {
  return sizeof *this + moves.capacity() * sizeof(Move) +
         (numbers.capacity() + atoms.capacity() + piece_ends.capacity()) * sizeof(std::uint32_t) +
         pieces.capacity() * sizeof(ChunkPiece) + values.capacity();
}

void EncodeChunks(const ChunkRows& rows, std::vector<std::uint8_t>& out) {
  PutVarint(out, rows.dimensions);
  PutVarint(out, rows.next_chunk);
  const bool has_threshold = rows.threshold != ChunkRows::kNoThreshold;
  PutVarint(out, has_threshold ? 1 : 0);
  if (has_threshold) PutFixed(out, rows.threshold);
  PutVarint(out, rows.moves.size());
  std::uint32_t chunk = 0;
  for (const ChunkRows::Move& move : rows.moves) {
    PutVarint(out, move.chunk - chunk);
    PutVarint(out, move.atom);
    chunk = move.chunk;
  }
  PutVarint(out, rows.size());
  chunk = 0;
  std::uint32_t entry = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PutVarint(out, rows.numbers[i] - chunk);
    chunk = rows.numbers[i];
    PutVarint(out, static_cast<std::uint32_t>(rows.atoms[i] + 1));  // kNone + 1 is 0
    const auto pieces = rows.PiecesOf(i);
    PutVarint(out, pieces.size());
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      if (p == 0) {
        PutSigned(out, std::int64_t{pieces[p].entry} - std::int64_t{entry});
      } else {
        PutVarint(out, pieces[p].entry - entry);
      }
      entry = pieces[p].entry;
      PutVarint(out, pieces[p].whole() ? 0 : std::uint64_t{pieces[p].begin} + 1);
      if (!pieces[p].whole()) PutVarint(out, pieces[p].end - pieces[p].begin);
    }
  }
  const auto* values = reinterpret_cast<const std::uint8_t*>(rows.values.data());
  out.insert(out.end(), values, values + rows.values.size());
}

Status DecodeChunks(std::span<const std::uint8_t> bytes, ChunkRows& rows) {
  rows = ChunkRows();
  Decoder in(bytes);
  rows.dimensions = in.Varint32();
  rows.next_chunk = in.Varint32();
  const std::uint64_t has_threshold = in.Varint();
  if (has_threshold == 1) rows.threshold = in.Fixed<float>();
  if (!in.ok() || rows.dimensions == 0 || rows.dimensions > kMaxChunkDimensions ||
      rows.next_chunk == kNone || has_threshold > 1 ||
      (has_threshold == 1 && !(std::abs(rows.threshold) <= 1))) {
    return Damaged("the head of chunks is wrong");
  }
  if (Status status = ReadMoves(in, rows); !status.ok()) return status;
  const std::uint64_t count = in.Varint();
  if (!in.ok() || count > in.remaining() / rows.dimensions) {
    return Damaged("too many chunks");
  }
  std::uint64_t number = 0;
  std::int64_t entry = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t difference = in.Varint32();
    number += difference;
    if (!in.ok() || (i > 0 && difference == 0) || number >= rows.next_chunk) {
      return Damaged("a chunk's number is wrong");
    }
    rows.numbers.push_back(static_cast<std::uint32_t>(number));
    rows.atoms.push_back(in.Varint32() - 1);
    if (rows.atoms.back() != kNone && rows.atoms.back() >= rows.next_chunk) {
      return Damaged("an atom's number is wrong");
    }
    if (Status status = ReadPieces(in, entry, rows); !status.ok()) return status;
  }
  const bool moves_its_own =
      std::any_of(rows.moves.begin(), rows.moves.end(), [&](const ChunkRows::Move& move) {
        return std::binary_search(rows.numbers.begin(), rows.numbers.end(), move.chunk);
      });
  return moves_its_own ? Damaged("a chunk is moved that is right already") : ReadVectors(in, rows);
}

void EncodeChunkBlob(const ChunkRows& rows, std::vector<std::uint8_t>& out) {
  out.assign(kBlobMagic.begin(), kBlobMagic.end());
  PutFixed(out, kBlobVersion);
  PutFixed(out, std::uint32_t{0});
  EncodeChunks(rows, out);
}

Status DecodeChunkBlob(std::span<const std::uint8_t> bytes, ChunkRows& rows) {
  Decoder in(bytes);
  const auto magic = in.Bytes(kBlobMagic.size());
  const auto version = in.Fixed<std::uint32_t>();
  const auto zero = in.Fixed<std::uint32_t>();
  if (!in.ok() || !std::equal(magic.begin(), magic.end(), kBlobMagic.begin())) {
    return Damaged("no blob of chunks");
  }
  if (version > kBlobVersion) return {ErrorCode::kVersion, "chunks are of a newer format"};
  if (version == 0 || zero != 0) return Damaged("the header of chunks is invalid");
  return DecodeChunks(in.Bytes(in.remaining()), rows);
}

Status ExtendChunks(ChunkRows& rows, const ChunkRows& newer) {
  if (rows.dimensions != 0 && rows.dimensions != newer.dimensions) {
    return Damaged("chunks of one bank have vectors of different lengths");
  }
  // A number that was given before is not given again.
  if (!newer.numbers.empty() && newer.numbers.front() < rows.next_chunk) {
    return Damaged("chunks of one bank are not in order");
  }
  rows.dimensions = newer.dimensions;
  rows.next_chunk = std::max(rows.next_chunk, newer.next_chunk);
  if (newer.threshold != ChunkRows::kNoThreshold) rows.threshold = newer.threshold;
  for (const ChunkRows::Move& move : newer.moves) {
    const auto chunk = std::lower_bound(rows.numbers.begin(), rows.numbers.end(), move.chunk);
    if (chunk != rows.numbers.end() && *chunk == move.chunk) {
      rows.atoms[static_cast<std::size_t>(chunk - rows.numbers.begin())] = move.atom;
      continue;
    }
    const auto place = std::lower_bound(
        rows.moves.begin(), rows.moves.end(), move.chunk,
        [](const ChunkRows::Move& other, std::uint32_t number) { return other.chunk < number; });
    if (place != rows.moves.end() && place->chunk == move.chunk) {
      place->atom = move.atom;
    } else {
      rows.moves.insert(place, move);
    }
  }
  for (std::size_t i = 0; i < newer.size(); ++i) {
    rows.Push(newer.numbers[i], newer.atoms[i], newer.PiecesOf(i), newer.ValuesOf(i));
  }
  return Status::Ok();
}

void PrepareExtend(ChunkRows& rows, const ChunkRows& newer) {
  ReserveMore(rows.moves, newer.moves.size());
  ReserveMore(rows.numbers, newer.size());
  ReserveMore(rows.atoms, newer.size());
  ReserveMore(rows.piece_ends, newer.size());
  ReserveMore(rows.pieces, newer.pieces.size());
  ReserveMore(rows.values, newer.values.size());
}

ChunkRows KeptChunks(const ChunkRows& rows, const KeepChunk& keep) {
  ChunkRows kept;
  kept.dimensions = rows.dimensions;
  kept.next_chunk = rows.next_chunk;
  kept.threshold = rows.threshold;
  kept.moves = rows.moves;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (keep(rows.PiecesOf(i))) {
      kept.Push(rows.numbers[i], rows.atoms[i], rows.PiecesOf(i), rows.ValuesOf(i));
    }
  }
  return kept;
}

}  // namespace dentate::bank
