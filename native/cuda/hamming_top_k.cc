#include <algorithm>

#include "cuda/kernels/hamming.h"
#include "cuda/merge.h"
#include "cuda/plan.h"
#include "cuda/searches.h"
#include "cuda/top_k_rounds.h"

namespace dentate::cuda {
namespace {

constexpr std::uint32_t kScanThreads = 256;
constexpr std::uint32_t kRowsABlock = kScanThreads / kWarp * kRowsAWarp;
// Of a launch's queries, in shared memory.
constexpr std::uint32_t kStagedBytes = 32 * 1024;
// Of the keys of all rows, where more are wanted than lists keep.
constexpr std::uint64_t kAllKeysBytes = std::uint64_t{64} << 20;

// What one tile gives for queries [first, first + count): merged into `best`, or nothing where it
// fails.
Status SearchTile(const DeviceRows& rows, Queue& queue, const TileView& tile,
                  const std::uint64_t* queries, std::uint32_t first, std::uint32_t count,
                  std::uint32_t k, const std::int32_t* cancel, BestKeys& best) {
  const std::uint32_t keep = std::min(k, tile.rows);
  const bool takes_all = keep > kMostKept;
  const auto scan = [&](const Round& round, const Sink& sink) {
    HammingScan launch = {};
    launch.columns = tile.columns;
    launch.queries = queries + std::size_t{first} * rows.width();
    launch.stride = tile.stride;
    launch.words = rows.width();
    launch.begin = round.begin;
    launch.end = round.end;
    launch.first_id = static_cast<std::uint32_t>(tile.first);
    launch.query_count = count;
    launch.sink = sink;
    const std::uint32_t needed = (round.end - round.begin + kRowsABlock - 1) / kRowsABlock;
    return queue.Run(launch, {std::min(rows.engine().Blocks(kScanThreads), needed), kScanThreads,
                              count * rows.width() * 8});
  };
  TopKLists lists;
  Status status =
      TopKLists::Make(rows.engine(), count, takes_all ? tile.rows : ListCapacity(tile.rows), lists);
  if (status.ok()) {
    status =
        takes_all ? lists.RunAll(tile.rows, scan) : lists.Run(queue, tile.rows, keep, cancel, scan);
  }
  const std::uint32_t listed = takes_all ? tile.rows : keep;
  std::vector<std::uint64_t> keys;
  if (status.ok()) status = lists.Download(queue, listed, keys);
  if (!status.ok()) return Settled(queue, std::move(status));
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::span<std::uint64_t> own(keys.data() + std::size_t{i} * listed, listed);
    if (takes_all) {
      best.MergeUnordered(first + i, own);
    } else {
      best.Merge(first + i, own);
    }
  }
  return status;
}

}  // namespace

Status HammingTopK(const DeviceRows& rows, std::span<const std::uint64_t> queries, std::uint32_t k,
                   const std::int32_t* cancel, std::uint32_t* ids, std::uint16_t* distances) {
  const auto query_count = static_cast<std::uint32_t>(queries.size() / rows.width());
  if (query_count == 0 || k == 0) return Status::Ok();
  DeviceEngine::Lease queue;
  Status status = rows.engine().Borrow(queue);
  if (!status.ok()) return status;
  MemoryPool::Block uploaded;
  status = rows.engine().memory().Allocate(queries.size_bytes(), uploaded);
  if (status.ok()) {
    status = queue->Upload(uploaded.As<void>(), queries.data(), queries.size_bytes());
  }
  BestKeys best(query_count, k);
  if (status.ok()) {
    status = rows.ForEachTile(*queue, cancel, [&](const TileView& tile) {
      std::uint32_t most = RowsIn(kStagedBytes, std::uint64_t{rows.width()} * 8, kQueriesAtOnce);
      if (std::min(k, tile.rows) > kMostKept) {
        most = RowsIn(kAllKeysBytes, std::uint64_t{tile.rows} * 8, most);
      }
      // A tile is a success as a whole: its keys are kept apart until then.
      BestKeys of_tile(query_count, k);
      Status done =
          InBatches(query_count, most, cancel, [&](std::uint32_t first, std::uint32_t count) {
            return SearchTile(rows, *queue, tile, uploaded.As<std::uint64_t>(), first, count, k,
                              cancel, of_tile);
          });
      for (std::uint32_t q = 0; done.ok() && q < query_count; ++q) best.Merge(q, of_tile.Of(q));
      return done;
    });
  }
  if (!status.ok()) return rows.engine().Noted(Settled(*queue, std::move(status)));
  for (std::uint32_t q = 0; q < query_count; ++q) {
    for (const std::uint64_t key : best.Of(q)) {
      *ids++ = KeyId(key);
      *distances++ = static_cast<std::uint16_t>(KeyDistance(key));
    }
  }
  return status;
}

}  // namespace dentate::cuda
