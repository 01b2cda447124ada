#include "bank/chunk_due.h"

#include <utility>
#include <vector>

#include "atoms/member_rows.h"
#include "bank/chunk_vector.h"

namespace dentate::bank {

Status FindDueChunks(const Bank& bank, const Snapshot& snapshot, const ChunkerOptions& options,
                     std::size_t most, PlannedChunks& due) {
  return bank.chunks().Use([&](const ChunkIndex& index) {
    due = PlanChunks(snapshot, index.chunked(), options, most);
    return Status::Ok();
  });
}

Status FindOpenChunks(const Bank& bank, const Snapshot& snapshot, const ChunkerOptions& options,
                      PlannedChunks& open) {
  return bank.chunks().Use([&](const ChunkIndex& index) {
    open = PlanOpenChunks(snapshot, index.chunked(), options);
    return Status::Ok();
  });
}

NewChunks EmbedChunks(const Snapshot& snapshot, PlannedChunks chunks,
                      const signatures::WordVectors& vectors) {
  const std::size_t dimensions = vectors.dimensions();
  std::vector<float> floats(chunks.size() * dimensions);
  ChunkVectorBuilder builder;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    builder.Build(snapshot, chunks.PiecesOf(i), vectors,
                  std::span(floats).subspan(i * dimensions, dimensions));
  }
  return WithVectors(std::move(chunks), floats, static_cast<std::uint32_t>(dimensions));
}

NewChunks WithVectors(PlannedChunks chunks, std::span<const float> vectors,
                      std::uint32_t dimensions) {
  NewChunks made;
  made.dimensions = dimensions;
  made.values.resize(chunks.size() * dimensions);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    // One of zeros stays that: a chunk that says nothing.
    static_cast<void>(
        atoms::QuantizeUnit(vectors.subspan(i * dimensions, dimensions),
                            std::span(made.values).subspan(i * dimensions, dimensions)));
  }
  made.chunks = std::move(chunks);
  return made;
}

}  // namespace dentate::bank
