// Encodings of chunks, against what was put in; any bytes; rows that follow each other.

#include "bank/chunk_rows.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace dentate::bank::test {
namespace {

std::uint32_t Below(std::mt19937& random, std::uint32_t limit) {
  return static_cast<std::uint32_t>(random() % limit);
}

// After the first numbers, of up to `longest` dimensions.
ChunkRows RandomRows(std::mt19937& random, std::uint32_t longest) {
  const auto below = [&](std::uint32_t limit) { return Below(random, limit); };
  const std::uint32_t first = below(50);
  const std::uint32_t dimensions = 1 + below(longest);
  ChunkRows rows;
  rows.dimensions = dimensions;
  rows.next_chunk = first;
  if (below(3) == 0) rows.threshold = static_cast<float>(below(100)) / 100;
  std::uint32_t number = first;
  for (std::uint32_t i = below(6); i > 0; --i) {
    std::vector<ChunkPiece> pieces;
    std::uint32_t entry = below(1'000'000);
    for (std::uint32_t p = 1 + below(5); p > 0; --p) {
      const std::uint32_t begin = below(1000);
      pieces.push_back(below(2) == 0 ? ChunkPiece{entry, 0, kNone}
                                     : ChunkPiece{entry, begin, begin + 1 + below(500)});
      entry += 1 + below(100);
    }
    std::vector<std::int8_t> values(dimensions);
    for (auto& value : values) value = static_cast<std::int8_t>(static_cast<int>(below(255)) - 127);
    rows.Push(number, below(4) == 0 ? kNone : below(number + 1), pieces, values);
    number += 1 + below(3);
  }
  rows.next_chunk += below(2);
  for (std::uint32_t chunk = below(4); chunk < first; chunk += 1 + below(5)) {
    rows.moves.push_back({chunk, below(rows.next_chunk)});
  }
  return rows;
}

std::vector<std::uint8_t> BytesOf(const ChunkRows& rows) {
  std::vector<std::uint8_t> bytes;
  EncodeChunks(rows, bytes);
  return bytes;
}

TEST_CASE("chunks come back as they were") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const ChunkRows rows = RandomRows(random, 20);
    ChunkRows read;
    REQUIRE(DecodeChunks(BytesOf(rows), read).ok());
    CHECK(read == rows);
    std::vector<std::uint8_t> blob;
    EncodeChunkBlob(rows, blob);
    REQUIRE(DecodeChunkBlob(blob, read).ok());
    CHECK(read == rows);
    blob[8] = 2;
    CHECK(DecodeChunkBlob(blob, read).code() == ErrorCode::kVersion);
  }
}

TEST_CASE("bytes that are no chunks are refused, or are what they say") {
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::uint8_t> bytes = BytesOf(RandomRows(random, 4));
    for (std::uint32_t edits = 1 + Below(random, 3); edits > 0; --edits) {
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    ChunkRows read;
    const Status status = DecodeChunks(bytes, read);
    if (!status.ok()) {
      CHECK(status.code() == ErrorCode::kCorruption);
      continue;
    }
    ChunkRows again;
    REQUIRE(DecodeChunks(BytesOf(read), again).ok());
    CHECK(again == read);
  }
}

TEST_CASE("rows that follow are as one, and moved chunks have their last atom") {
  const std::vector<ChunkPiece> piece{{7, 0, kNone}};
  const std::vector<std::int8_t> values{1, 2};
  ChunkRows older;
  older.dimensions = 2;
  older.Push(3, kNone, piece, values);
  older.Push(4, kNone, piece, values);
  ChunkRows newer;
  newer.dimensions = 2;
  newer.threshold = 0.5F;
  newer.moves = {{1, 0}, {3, 2}};
  newer.Push(5, 2, piece, values);
  REQUIRE(ExtendChunks(older, newer).ok());
  CHECK(older.numbers == std::vector<std::uint32_t>{3, 4, 5});
  CHECK(older.atoms == std::vector<std::uint32_t>{2, kNone, 2});
  CHECK(older.moves == std::vector<ChunkRows::Move>{{1, 0}});
  CHECK(older.threshold == 0.5F);
  CHECK(older.next_chunk == 6);

  ChunkRows later;
  later.dimensions = 2;
  later.next_chunk = 6;
  later.moves = {{1, 5}, {4, 1}};
  REQUIRE(ExtendChunks(older, later).ok());
  CHECK(older.atoms == std::vector<std::uint32_t>{2, 1, 2});
  CHECK(older.moves == std::vector<ChunkRows::Move>{{1, 5}});

  // Numbers are given once, and vectors have one length.
  CHECK(ExtendChunks(older, newer).code() == ErrorCode::kCorruption);
  ChunkRows longer;
  longer.dimensions = 3;
  longer.next_chunk = 9;
  CHECK(ExtendChunks(older, longer).code() == ErrorCode::kCorruption);
}

TEST_CASE("those that are not kept leave nothing") {
  ChunkRows rows;
  rows.dimensions = 1;
  for (std::uint32_t i = 0; i < 10; ++i) {
    rows.Push(i, 0, std::vector<ChunkPiece>{{i, 0, kNone}},
              std::vector<std::int8_t>{static_cast<std::int8_t>(i)});
  }
  const ChunkRows kept =
      KeptChunks(rows, [](std::span<const ChunkPiece> pieces) { return pieces[0].entry % 2 == 0; });
  CHECK(kept.numbers == std::vector<std::uint32_t>{0, 2, 4, 6, 8});
  CHECK(kept.values == std::vector<std::int8_t>{0, 2, 4, 6, 8});
  CHECK(kept.next_chunk == 10);
}

}  // namespace
}  // namespace dentate::bank::test
