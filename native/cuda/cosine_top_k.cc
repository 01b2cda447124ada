// Cosine: packed rows propose, exact rows decide.
//
// A tile's scan keeps more candidates than are wanted; their exact cosines order them. The k-th of
// those proves itself where it is above the best that the rest can have, the last candidate's score
// plus the error of packing (cosine_queries.h). A query without that proof (rows that are equal, or
// nearly) is asked again of the exact rows, all of them. So the answer is that of float64, at the
// price of a packed scan where vectors are told apart at all.

#include <algorithm>

#include "cuda/cosine_queries.h"
#include "cuda/kernels/cosine_scan.h"
#include "cuda/kernels/cosine_tile.h"
#include "cuda/merge.h"
#include "cuda/plan.h"
#include "cuda/searches.h"
#include "cuda/top_k_rounds.h"

namespace dentate::cuda {
namespace {

constexpr std::uint32_t kScanThreads = 256;
constexpr std::uint32_t kScanRowsABlock = kScanThreads / kWarp * kRowsAtOnce;
constexpr std::uint64_t kAllKeysBytes = std::uint64_t{64} << 20;
// Of a scan's queries in shared memory, so that several blocks fit.
constexpr std::uint32_t kStagedBytes = 48 * 1024;

// Candidates for k: fp16's error is a hundredth of the distances between the best of random rows.
std::uint32_t Candidates(std::uint32_t k, Precision precision) {
  return precision == Precision::kInt8 ? std::max(8 * k, k + 246) : std::max(2 * k, k + 54);
}

// A batch of queries on the device.
struct Uploaded {
  MemoryPool::Block memory;
  const std::uint8_t* packed = nullptr;
  const float* scales = nullptr;
  const float* unit = nullptr;
  const float* exact = nullptr;
  const double* lengths = nullptr;
};

template <class T>
Status Put(Queue& queue, const MemoryPool::Block& memory, std::size_t& at,
           const std::vector<T>& values, const T*& place) {
  place = memory.As<T>(at);
  Status status = queue.Upload(memory.As<T>(at), values.data(), values.size() * sizeof(T));
  at += RoundUp(values.size() * sizeof(T), 256);
  return status;
}

Status UploadQueries(DeviceEngine& engine, Queue& queue, const CosineQueries& queries,
                     Uploaded& uploaded) {
  const auto bytes = [](const auto& values) {
    return RoundUp(values.size() * sizeof(values[0]), 256);
  };
  Status status =
      engine.memory().Allocate(bytes(queries.packed) + bytes(queries.scales) + bytes(queries.unit) +
                                   bytes(queries.exact) + bytes(queries.lengths),
                               uploaded.memory);
  std::size_t at = 0;
  if (status.ok()) status = Put(queue, uploaded.memory, at, queries.packed, uploaded.packed);
  if (status.ok()) status = Put(queue, uploaded.memory, at, queries.scales, uploaded.scales);
  if (status.ok()) status = Put(queue, uploaded.memory, at, queries.unit, uploaded.unit);
  if (status.ok()) status = Put(queue, uploaded.memory, at, queries.exact, uploaded.exact);
  if (status.ok()) status = Put(queue, uploaded.memory, at, queries.lengths, uploaded.lengths);
  return Settled(queue, std::move(status));
}

// One search: its rows, its queries, and where it runs.
class CosineSearch {
 public:
  CosineSearch(const DeviceRows& rows, Queue& queue, const CosineQueries& queries, std::uint32_t k,
               const std::int32_t* cancel)
      : rows_(rows),
        engine_(rows.engine()),
        queue_(queue),
        queries_(queries),
        k_(k),
        cancel_(cancel) {}

  Status Upload() { return UploadQueries(engine_, queue_, queries_, uploaded_); }

  // The best of a tile, for all queries.
  Status RunTile(const TileView& tile, BestKeys& best) {
    const std::uint32_t k = std::min(k_, tile.rows);
    if (k > kMostKept) {
      const std::uint32_t most =
          RowsIn(kAllKeysBytes, std::uint64_t{tile.rows} * 8, kQueriesAtOnce);
      return InBatches(queries_.count, most, cancel_,
                       [&](std::uint32_t first, std::uint32_t count) {
                         return RunAll(tile, first, count, best);
                       });
    }
    std::vector<std::uint32_t> unproven;
    Status status = InBatches(queries_.count, kQueriesAtOnce, cancel_,
                              [&](std::uint32_t first, std::uint32_t count) {
                                return RunPacked(tile, first, count, k, best, unproven);
                              });
    for (const std::uint32_t query : unproven) {
      if (status.ok() && IsCancelled(cancel_)) status = Cancelled();
      if (status.ok()) status = RunExact(tile, query, k, best);
    }
    return status;
  }

 private:
  Status ScanExact(const TileView& tile, std::uint32_t first, std::uint32_t count,
                   const Round& round, const Sink& sink) {
    ExactScan launch = {};
    launch.rows = tile.exact;
    launch.queries = uploaded_.exact + std::size_t{first} * rows_.row_floats();
    launch.query_lengths = uploaded_.lengths + first;
    launch.row_floats = rows_.row_floats();
    launch.begin = round.begin;
    launch.end = round.end;
    launch.first_id = static_cast<std::uint32_t>(tile.first);
    launch.query_count = count;
    launch.sink = sink;
    return queue_.Run(launch, {ScanBlocks(round), kScanThreads, 0});
  }

  Status ScanPacked(const TileView& tile, std::uint32_t first, std::uint32_t count,
                    const Round& round, const Sink& sink) {
    const std::uint32_t tile_shape = TileFor(count);
    if (tile_shape != kNoTile) return ScanTiles(tile, first, count, tile_shape, round, sink);
    const std::uint32_t length = rows_.row_bytes() / ElementBytes(engine_.precision());
    CosineScan launch = {};
    launch.rows = tile.packed;
    launch.scales = tile.scales;
    launch.row_bytes = rows_.row_bytes();
    launch.precision = engine_.precision();
    launch.begin = round.begin;
    launch.end = round.end;
    launch.first_id = static_cast<std::uint32_t>(tile.first);
    Status status;
    for (std::uint32_t at = 0; status.ok() && at < count; at += kScanQueries) {
      launch.queries = uploaded_.unit + std::size_t{first + at} * length;
      launch.query_count = std::min(kScanQueries, count - at);
      launch.sink = From(sink, at);
      const std::uint32_t staged = launch.query_count * length * 4;
      launch.stage_queries = staged <= kStagedBytes ? 1 : 0;
      status = queue_.Run(
          launch, {ScanBlocks(round), kScanThreads, launch.stage_queries != 0 ? staged : 0});
    }
    return status;
  }

  Status ScanTiles(const TileView& tile, std::uint32_t first, std::uint32_t count,
                   std::uint32_t tile_shape, const Round& round, const Sink& sink) {
    CosineTile launch = {};
    launch.rows = tile.packed;
    launch.scales = tile.scales;
    launch.queries = uploaded_.packed + std::size_t{first} * rows_.row_bytes();
    launch.query_scales = uploaded_.scales + first;
    launch.row_bytes = rows_.row_bytes();
    launch.precision = engine_.precision();
    launch.begin = round.begin;
    launch.end = round.end;
    launch.first_id = static_cast<std::uint32_t>(tile.first);
    launch.query_count = count;
    launch.query_tiles =
        (count + kTileShapes[tile_shape].queries() - 1) / kTileShapes[tile_shape].queries();
    launch.tile = tile_shape;
    launch.sink = sink;
    const std::uint32_t tiles = (round.end - round.begin + kTileRows - 1) / kTileRows;
    // As many as fit at once: a block stays, and takes tile after tile.
    const std::uint32_t shared = TileSharedBytes(tile_shape, rows_.row_bytes());
    const std::uint32_t blocks_each = tile_shape == kNarrow ? 2 : 1;
    const std::uint32_t at_once = engine_.limits().multiprocessors * blocks_each;
    const std::uint32_t rows_at_once = std::min(tiles, std::max(1U, at_once / launch.query_tiles));
    return queue_.Run(launch, {rows_at_once * launch.query_tiles, kTileThreads, shared});
  }

  static constexpr std::uint32_t kNoTile = ~std::uint32_t{0};

  // The largest tile that the queries fill and shared memory holds.
  std::uint32_t TileFor(std::uint32_t count) const {
    if (count <= kScanQueries) return kNoTile;
    std::uint32_t tile = count <= kTileShapes[kNarrow].queries()   ? kNarrow
                         : count <= kTileShapes[kMiddle].queries() ? kMiddle
                                                                   : kWide;
    while (TileSharedBytes(tile, rows_.row_bytes()) > engine_.limits().shared_bytes) {
      if (tile == kNarrow) return kNoTile;
      --tile;
    }
    return tile;
  }

  std::uint32_t ScanBlocks(const Round& round) const {
    const std::uint32_t needed = (round.end - round.begin + kScanRowsABlock - 1) / kScanRowsABlock;
    return std::min(engine_.Blocks(kScanThreads), needed);
  }

  // Exact keys in the place of packed ones, and in order.
  Status RunRescore(const TileView& tile, std::uint32_t first, TopKLists& lists,
                    std::uint32_t keep) {
    Rescore launch = {};
    launch.keys = lists.sink().keys;
    launch.counts = lists.sink().counts;
    launch.capacity = lists.sink().capacity;
    launch.keep = keep;
    launch.rows = tile.exact;
    launch.queries = uploaded_.exact + std::size_t{first} * rows_.row_floats();
    launch.query_lengths = uploaded_.lengths + first;
    launch.row_floats = rows_.row_floats();
    launch.first_id = static_cast<std::uint32_t>(tile.first);
    launch.query_count = lists.queries();
    const Round all = {0, lists.queries() * keep, false, 0};
    const Status status = queue_.Run(launch, {ScanBlocks(all), kScanThreads, 0});
    return status.ok() ? lists.Sort(queue_, keep) : status;
  }

  Status RunPacked(const TileView& tile, std::uint32_t first, std::uint32_t count, std::uint32_t k,
                   BestKeys& best, std::vector<std::uint32_t>& unproven) {
    const std::uint32_t keep =
        std::min({std::max(k, std::min(Candidates(k, engine_.precision()), kMostKept)), tile.rows});
    TopKLists lists;
    Status status = TopKLists::Make(engine_, count, ListCapacity(tile.rows), lists);
    if (status.ok()) {
      status =
          lists.Run(queue_, tile.rows, keep, cancel_, [&](const Round& round, const Sink& sink) {
            return ScanPacked(tile, first, count, round, sink);
          });
    }
    std::vector<std::uint64_t> limits;
    if (status.ok()) status = lists.DownloadLimits(queue_, limits);
    if (status.ok()) status = RunRescore(tile, first, lists, keep);
    std::vector<std::uint64_t> keys;
    if (status.ok()) status = lists.Download(queue_, k, keys);
    if (!status.ok()) return Settled(queue_, std::move(status));
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::span<const std::uint64_t> own(keys.data() + std::size_t{i} * k, k);
      if (keep == tile.rows || IsProven(tile, first + i, own.back(), limits[i])) {
        best.Merge(first + i, own);
      } else {
        unproven.push_back(first + i);
      }
    }
    return status;
  }

  // Whether no row beside the candidates can be better than `kth`, whose key is exact.
  bool IsProven(const TileView& tile, std::uint32_t query, std::uint64_t kth,
                std::uint64_t limit) const {
    const bool is_zero = queries_.lengths[query] == 0;
    const double error =
        ScoreError(static_cast<double>(tile.worst_error),
                   static_cast<double>(queries_.errors[query]), is_zero, rows_.width());
    const auto exact = static_cast<double>(KeyScore(kth));
    const auto others = static_cast<double>(KeyScore(limit)) + error;
    // Without an error keys are in the order of ids where scores are equal.
    return error == 0 ? exact >= others : exact > others;
  }

  Status RunExact(const TileView& tile, std::uint32_t query, std::uint32_t k, BestKeys& best) {
    TopKLists lists;
    Status status = TopKLists::Make(engine_, 1, ListCapacity(tile.rows), lists);
    if (status.ok()) {
      status = lists.Run(queue_, tile.rows, k, cancel_, [&](const Round& round, const Sink& sink) {
        return ScanExact(tile, query, 1, round, sink);
      });
    }
    std::vector<std::uint64_t> keys;
    if (status.ok()) status = lists.Download(queue_, k, keys);
    if (!status.ok()) return Settled(queue_, std::move(status));
    best.Merge(query, keys);
    return status;
  }

  // All rows' exact keys, for the host to sort: the answer is of that size anyway.
  Status RunAll(const TileView& tile, std::uint32_t first, std::uint32_t count, BestKeys& best) {
    TopKLists lists;
    Status status = TopKLists::Make(engine_, count, tile.rows, lists);
    if (status.ok()) {
      status = lists.RunAll(tile.rows, [&](const Round& round, const Sink& sink) {
        return ScanExact(tile, first, count, round, sink);
      });
    }
    std::vector<std::uint64_t> keys;
    if (status.ok()) status = lists.Download(queue_, tile.rows, keys);
    if (!status.ok()) return Settled(queue_, std::move(status));
    for (std::uint32_t i = 0; i < count; ++i) {
      best.MergeUnordered(first + i, {keys.data() + std::size_t{i} * tile.rows, tile.rows});
    }
    return status;
  }

  const DeviceRows& rows_;
  DeviceEngine& engine_;
  Queue& queue_;
  const CosineQueries& queries_;
  const std::uint32_t k_;
  const std::int32_t* const cancel_;
  Uploaded uploaded_;
};

}  // namespace

Status CosineTopK(const DeviceRows& rows, std::span<const float> queries, std::uint32_t k,
                  const std::int32_t* cancel, std::uint32_t* ids, float* scores) {
  const auto query_count = static_cast<std::uint32_t>(queries.size() / rows.width());
  if (query_count == 0 || k == 0) return Status::Ok();
  DeviceEngine& engine = rows.engine();
  const CosineQueries prepared = PrepareQueries(queries, rows.width(), rows.row_floats(),
                                                rows.row_bytes(), engine.precision());
  DeviceEngine::Lease queue;
  Status status = engine.Borrow(queue);
  if (!status.ok()) return status;
  CosineSearch search(rows, *queue, prepared, k, cancel);
  BestKeys best(query_count, k);
  status = search.Upload();
  if (status.ok()) {
    status = rows.ForEachTile(*queue, cancel, [&](const TileView& tile) {
      // A tile is a success as a whole: its keys are kept apart until then.
      BestKeys of_tile(query_count, k);
      Status done = search.RunTile(tile, of_tile);
      for (std::uint32_t q = 0; done.ok() && q < query_count; ++q) best.Merge(q, of_tile.Of(q));
      return done;
    });
  }
  if (!status.ok()) return engine.Noted(Settled(*queue, std::move(status)));
  for (std::uint32_t q = 0; q < query_count; ++q) {
    for (const std::uint64_t key : best.Of(q)) {
      *ids++ = KeyId(key);
      *scores++ = KeyScore(key);
    }
  }
  return status;
}

}  // namespace dentate::cuda
