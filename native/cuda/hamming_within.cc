#include <algorithm>
#include <limits>
#include <numeric>

#include "cuda/kernels/hamming.h"
#include "cuda/plan.h"
#include "cuda/searches.h"

namespace dentate::cuda {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kStagedBytes = 32 * 1024;  // of a launch's queries, in shared memory
constexpr std::uint64_t kMarkBytes = std::uint64_t{64} << 20;  // of a batch's marks
constexpr std::uint32_t kWindowMatches = std::uint32_t{8} << 20;

// The matches of some queries in one tile, a query after the other.
struct Part {
  std::vector<std::uint32_t> counts;  // a query
  std::vector<std::uint32_t> ids;
  std::vector<std::uint16_t> distances;
};

// What is on the device for one batch of queries and one tile.
struct Marks {
  MemoryPool::Block memory;
  std::uint32_t chunks = 0;  // a query
  std::uint32_t* marks = nullptr;
  std::uint32_t* counts = nullptr;
  std::vector<std::uint32_t> matches;  // counts, on the host
};

Status Mark(const DeviceRows& rows, Queue& queue, const TileView& tile,
            const std::uint64_t* queries, std::uint32_t count, std::uint32_t radius, Marks& marks) {
  marks.chunks = (tile.rows + kChunkRows - 1) / kChunkRows;
  const std::size_t chunks = std::size_t{count} * marks.chunks;
  const std::size_t mark_bytes = chunks * kChunkWords * sizeof(std::uint32_t);
  Status status =
      rows.engine().memory().Allocate(mark_bytes + chunks * sizeof(std::uint32_t), marks.memory);
  if (!status.ok()) return status;
  marks.marks = marks.memory.As<std::uint32_t>();
  marks.counts = marks.memory.As<std::uint32_t>(mark_bytes);
  status = queue.Fill(marks.counts, 0, chunks * sizeof(std::uint32_t));
  if (status.ok()) {
    HammingMark launch = {};
    launch.columns = tile.columns;
    launch.queries = queries;
    launch.stride = tile.stride;
    launch.words = rows.width();
    launch.rows = tile.rows;
    launch.query_count = count;
    launch.radius = radius;
    launch.chunks = marks.chunks;
    launch.marks = marks.marks;
    launch.counts = marks.counts;
    status = queue.Run(launch, {std::min(rows.engine().Blocks(kThreads), marks.chunks), kThreads,
                                count * rows.width() * 8});
  }
  marks.matches.resize(chunks);
  if (status.ok()) {
    status = queue.Download(marks.matches.data(), marks.counts, chunks * sizeof(std::uint32_t));
  }
  return status;
}

// Appends the matches of chunks [window.first, window.first + window.count).
Status List(const DeviceRows& rows, Queue& queue, const TileView& tile,
            const std::uint64_t* queries, const Marks& marks, const Window& window,
            std::span<const std::uint32_t> places, Part& part) {
  if (window.matches == 0) return Status::Ok();
  // | places | ids | distances |
  const std::size_t place_bytes = window.count * sizeof(std::uint32_t);
  const std::size_t id_bytes = window.matches * sizeof(std::uint32_t);
  const std::size_t distance_bytes = window.matches * sizeof(std::uint16_t);
  MemoryPool::Block memory;
  Status status = rows.engine().memory().Allocate(place_bytes + id_bytes + distance_bytes, memory);
  if (status.ok()) {
    status = queue.Upload(memory.As<void>(), places.data() + window.first, place_bytes);
  }
  HammingList launch = {};
  if (status.ok()) {
    launch.columns = tile.columns;
    launch.queries = queries;
    launch.stride = tile.stride;
    launch.words = rows.width();
    launch.first_id = static_cast<std::uint32_t>(tile.first);
    launch.chunks = marks.chunks;
    launch.first = window.first;
    launch.count = window.count;
    launch.marks = marks.marks;
    launch.places = memory.As<std::uint32_t>();
    launch.ids = memory.As<std::uint32_t>(place_bytes);
    launch.distances = memory.As<std::uint16_t>(place_bytes + id_bytes);
    const std::uint32_t warps = kThreads / kWarp;
    const std::uint32_t needed = (window.count + warps - 1) / warps;
    status = queue.Run(launch, {std::min(rows.engine().Blocks(kThreads), needed), kThreads, 0});
  }
  const std::size_t before = part.ids.size();
  part.ids.resize(before + window.matches);
  part.distances.resize(before + window.matches);
  if (status.ok()) status = queue.Download(part.ids.data() + before, launch.ids, id_bytes);
  if (status.ok()) {
    status = queue.Download(part.distances.data() + before, launch.distances, distance_bytes);
  }
  return Settled(queue, std::move(status));
}

Status SearchTile(const DeviceRows& rows, Queue& queue, const TileView& tile,
                  const std::uint64_t* queries, std::uint32_t count, std::uint32_t radius,
                  const std::int32_t* cancel, Part& part) {
  Marks marks;
  Status status = Mark(rows, queue, tile, queries, count, radius, marks);
  Part found;
  if (status.ok()) {
    const std::uint32_t room = RowsIn(rows.engine().ScratchBytes() / 2, 6, kWindowMatches);
    std::vector<std::uint32_t> places(marks.matches.size());
    for (const Window& window : PlanWindows(marks.matches, room, places)) {
      if (IsCancelled(cancel)) status = Cancelled();
      if (status.ok()) {
        status = List(rows, queue, tile, queries, marks, window, places, found);
      }
    }
  }
  if (!status.ok()) return Settled(queue, std::move(status));
  for (std::uint32_t q = 0; q < count; ++q) {
    const auto first = marks.matches.begin() + static_cast<std::ptrdiff_t>(q) * marks.chunks;
    part.counts.push_back(std::accumulate(first, first + marks.chunks, std::uint32_t{0}));
  }
  part.ids.insert(part.ids.end(), found.ids.begin(), found.ids.end());
  part.distances.insert(part.distances.end(), found.distances.begin(), found.distances.end());
  return status;
}

// Joins tiles, whose ids ascend, query by query.
Status Join(std::uint32_t query_count, const std::vector<Part>& parts, BallMatches& matches) {
  std::uint64_t total = 0;
  for (const Part& part : parts) total += part.ids.size();
  if (total > std::numeric_limits<std::uint32_t>::max()) {
    return {ErrorCode::kOutOfMemory, "more than 2^32 - 1 matches in one batch"};
  }
  matches.offsets.assign(1, 0);
  matches.ids.reserve(total);
  matches.distances.reserve(total);
  std::vector<std::size_t> at(parts.size());
  for (std::uint32_t q = 0; q < query_count; ++q) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto first = static_cast<std::ptrdiff_t>(at[i]);
      const auto last = first + parts[i].counts[q];
      matches.ids.insert(matches.ids.end(), parts[i].ids.begin() + first,
                         parts[i].ids.begin() + last);
      matches.distances.insert(matches.distances.end(), parts[i].distances.begin() + first,
                               parts[i].distances.begin() + last);
      at[i] += parts[i].counts[q];
    }
    matches.offsets.push_back(static_cast<std::uint32_t>(matches.ids.size()));
  }
  return Status::Ok();
}

}  // namespace

Status HammingWithin(const DeviceRows& rows, std::span<const std::uint64_t> queries,
                     std::uint32_t radius, const std::int32_t* cancel, BallMatches& matches) {
  const auto query_count = static_cast<std::uint32_t>(queries.size() / rows.width());
  matches.offsets.assign(query_count + 1, 0);
  if (query_count == 0 || rows.count() == 0) return Status::Ok();
  DeviceEngine::Lease queue;
  Status status = rows.engine().Borrow(queue);
  if (!status.ok()) return status;
  MemoryPool::Block uploaded;
  status = rows.engine().memory().Allocate(queries.size_bytes(), uploaded);
  if (status.ok()) {
    status = queue->Upload(uploaded.As<void>(), queries.data(), queries.size_bytes());
  }
  std::vector<Part> parts;
  if (status.ok()) {
    status = rows.ForEachTile(*queue, cancel, [&](const TileView& tile) {
      const std::uint32_t staged =
          RowsIn(kStagedBytes, std::uint64_t{rows.width()} * 8, kQueriesAtOnce);
      const std::uint32_t most = RowsIn(kMarkBytes, RoundUp(tile.rows, kChunkRows) / 8, staged);
      Part part;
      Status done =
          InBatches(query_count, most, cancel, [&](std::uint32_t first, std::uint32_t count) {
            return SearchTile(rows, *queue, tile,
                              uploaded.As<std::uint64_t>() + std::size_t{first} * rows.width(),
                              count, radius, cancel, part);
          });
      if (done.ok()) parts.push_back(std::move(part));
      return done;
    });
  }
  if (!status.ok()) return rows.engine().Noted(Settled(*queue, std::move(status)));
  return Join(query_count, parts, matches);
}

}  // namespace dentate::cuda
