// Any bytes as a blob of chunks: refused, or the same again when they are written anew, and, where
// they are small, an index that can be searched.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "bank/chunk_index.h"
#include "bank/chunk_rows.h"

using namespace dentate::bank;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ChunkRows rows;
  if (!DecodeChunks({data, size}, rows).ok()) return 0;
  std::vector<std::uint8_t> blob;
  EncodeChunkBlob(rows, blob);
  ChunkRows again;
  if (!DecodeChunkBlob(blob, again).ok()) std::abort();
  // A threshold of -0 is one of 0.
  if (again.numbers != rows.numbers || again.atoms != rows.atoms || again.moves != rows.moves ||
      again.pieces != rows.pieces || again.values != rows.values) {
    std::abort();
  }
  ChunkRows both = rows;
  static_cast<void>(ExtendChunks(both, rows));

  const std::uint32_t entries = 4096;
  ChunkIndex index(rows, EntryMask(entries, true));
  if (index.atoms() == nullptr) return 0;
  std::vector<dentate::atoms::Scored> nearest;
  const std::vector<float> query(rows.dimensions, 1);
  index.atoms()->Nearest(query, 3, dentate::atoms::By::kCentroid, nearest);
  index.Sync(EntryMask(entries, false));
  if (index.alive_count() != 0) std::abort();
  return 0;
}
