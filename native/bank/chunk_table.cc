#include "bank/chunk_table.h"

namespace dentate::bank {

Status ListChunkTable(const Bank& bank, std::uint64_t known, ChunkTable& table) {
  return bank.chunks().Use([&](const ChunkIndex& index) {
    table = {};
    table.version = index.version();
    table.next_chunk = index.next_chunk();
    table.dimensions = index.dimensions();
    if (table.version == known) return Status::Ok();
    table.offsets.push_back(0);
    for (std::size_t slot = 0; slot < index.slot_count(); ++slot) {
      if (!index.IsAlive(slot) || index.member(slot) == kNone) continue;
      std::uint32_t atom = kNone;
      index.atoms()->AtomOf(index.member(slot), atom);
      table.chunks.push_back(index.number(slot));
      table.atoms.push_back(atom);
      for (const ChunkPiece& piece : index.PiecesOf(slot)) table.entries.push_back(piece.entry);
      table.offsets.push_back(static_cast<std::uint32_t>(table.entries.size()));
    }
    return Status::Ok();
  });
}

Status ReadChunkVectors(const Bank& bank, std::span<const std::uint32_t> chunks,
                        std::vector<float>& vectors) {
  return bank.chunks().Use([&](const ChunkIndex& index) {
    const std::size_t dimensions = index.dimensions();
    vectors.assign(chunks.size() * dimensions, 0.0F);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      const std::size_t slot = index.FirstSlotFrom(chunks[i]);
      if (slot == index.slot_count() || index.number(slot) != chunks[i]) continue;
      if (!index.IsAlive(slot) || index.member(slot) == kNone) continue;
      index.atoms()->VectorOf(index.member(slot),
                              std::span(vectors).subspan(i * dimensions, dimensions));
    }
    return Status::Ok();
  });
}

}  // namespace dentate::bank
