// The operations on rows and groups, over a DeviceEngine. Arguments are the addon's, checked there;
// these are what plugin.h declares, with Status for codes.
//
// All take as many queries as there are, in batches; hold memory for one batch and one tile at a
// time; and where that fails, go on with half the batch, then (rows.h) half the tile.

#ifndef DENTATE_CUDA_SEARCHES_H_
#define DENTATE_CUDA_SEARCHES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/status.h"
#include "cuda/rows.h"

namespace dentate::cuda {

Status CosineTopK(const DeviceRows& rows, std::span<const float> queries, std::uint32_t k,
                  const std::int32_t* cancel, std::uint32_t* ids, float* scores);

Status HammingTopK(const DeviceRows& rows, std::span<const std::uint64_t> queries, std::uint32_t k,
                   const std::int32_t* cancel, std::uint32_t* ids, std::uint16_t* distances);

struct BallMatches {
  std::vector<std::uint32_t> offsets;  // one more than queries
  std::vector<std::uint32_t> ids;
  std::vector<std::uint16_t> distances;
};

Status HammingWithin(const DeviceRows& rows, std::span<const std::uint64_t> queries,
                     std::uint32_t radius, const std::int32_t* cancel, BallMatches& matches);

Status Subspaces(DeviceEngine& engine, const float* rows, std::uint32_t dimensions,
                 std::span<const std::uint32_t> offsets, std::uint32_t rank,
                 const std::int32_t* cancel, float* vectors, float* values);

Status Embed(const DeviceRows& table, std::span<const std::uint32_t> ids,
             std::span<const std::uint32_t> offsets, const std::int32_t* cancel, float* embedded);

// Runs `batch` over [0, count) in pieces of at most `most`; where one runs out of device memory, in
// pieces of half the size. REQUIRES: batch(first, count) keeps nothing of what it did where it
// fails so.
template <class Batch>
Status InBatches(std::uint32_t count, std::uint32_t most, const std::int32_t* cancel,
                 Batch&& batch) {
  for (std::uint32_t first = 0; first < count;) {
    if (IsCancelled(cancel)) return Cancelled();
    const std::uint32_t size = std::min(most, count - first);
    Status status = batch(first, size);
    if (status.code() == ErrorCode::kOutOfMemory && size > 1) {
      most = size / 2;
      continue;
    }
    if (!status.ok()) return status;
    first += size;
  }
  return Status::Ok();
}

// Waits for what a failed operation has queued: its memory goes to others next.
inline Status Settled(Queue& queue, Status status) {
  if (status.ok()) return status;
  const Status waited = queue.Wait();
  return waited.code() == ErrorCode::kUnavailable ? waited : status;
}

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_SEARCHES_H_
