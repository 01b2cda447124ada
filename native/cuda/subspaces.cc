#include <algorithm>
#include <string>

#include "cuda/kernels/singular.h"
#include "cuda/plan.h"
#include "cuda/searches.h"

namespace dentate::cuda {
namespace {

constexpr std::uint32_t kSingularThreads = 256;
// More vectors than are wanted are iterated, so that the last of them converge as well.
constexpr std::uint32_t kSpareVectors = 8;

// A batch of groups and what it needs.
struct Batch {
  std::vector<Group> groups;
  std::uint64_t rows = 0;
  std::uint64_t work_doubles = 0;
  std::uint32_t largest = 0;  // Gram matrix
  bool is_iterated = false;
};

Batch PlanBatch(std::span<const std::uint32_t> offsets, std::uint32_t dimensions,
                std::uint32_t rank) {
  Batch batch;
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    Group group = {};
    group.first_row = batch.rows;
    group.rows = offsets[g + 1] - offsets[g];
    group.size = std::min(group.rows, dimensions);
    group.basis =
        std::min(group.size, group.size <= kMostBasis ? group.size
                                                      : std::min(rank + kSpareVectors, kMostBasis));
    group.work = batch.work_doubles;
    batch.work_doubles += WorkDoubles(group.size, group.basis, rank, dimensions);
    batch.rows += group.rows;
    batch.largest = std::max(batch.largest, group.size);
    batch.is_iterated = batch.is_iterated || group.basis < group.size;
    batch.groups.push_back(group);
  }
  return batch;
}

// How many groups from `first` on are a batch of about `bytes`: one at least.
std::uint32_t GroupsIn(std::span<const std::uint32_t> offsets, std::uint32_t first,
                       std::uint32_t most, std::uint32_t dimensions, std::uint32_t rank,
                       std::uint64_t bytes) {
  std::uint64_t used = 0;
  std::uint32_t count = 0;
  while (count < most && first + count + 1 < offsets.size()) {
    const std::uint64_t rows = offsets[first + count + 1] - offsets[first + count];
    const std::uint64_t size = std::min<std::uint64_t>(rows, dimensions);
    used += rows * dimensions * 4 + WorkDoubles(size, 0, rank, dimensions) * 8;
    if (count > 0 && used > bytes) break;
    ++count;
  }
  return count;
}

Status RunBatch(DeviceEngine& engine, Queue& queue, const float* rows, const Batch& batch,
                std::uint32_t dimensions, std::uint32_t rank, float* vectors, float* values) {
  const auto count = static_cast<std::uint32_t>(batch.groups.size());
  // | work | vectors | values | groups | rows |
  const std::uint64_t vector_bytes = std::uint64_t{count} * rank * dimensions * 4;
  const std::uint64_t value_bytes = std::uint64_t{count} * rank * 4;
  const std::uint64_t row_bytes = batch.rows * dimensions * 4;
  std::uint64_t places[5] = {};
  const std::uint64_t sizes[5] = {batch.work_doubles * 8, vector_bytes, value_bytes,
                                  count * sizeof(Group), row_bytes};
  std::uint64_t total = 0;
  for (int i = 0; i < 5; ++i) {
    places[i] = total;
    total += RoundUp(sizes[i], 256);
  }
  MemoryPool::Block memory;
  Status status = engine.memory().Allocate(total, memory);
  if (!status.ok()) return status;
  auto* const work = memory.As<double>(places[0]);
  auto* const groups = memory.As<Group>(places[3]);
  auto* const on_device = memory.As<float>(places[4]);
  status = queue.Upload(groups, batch.groups.data(), sizes[3]);
  if (status.ok() && row_bytes > 0) status = queue.Upload(on_device, rows, row_bytes);

  const std::uint32_t tiles = (batch.largest + kGramTile - 1) / kGramTile;
  const Shape tile_shape = {count * tiles * tiles, kGramThreads,
                            2 * sizeof(double) * kGramTile * (kGramTile + 1)};
  if (status.ok() && tiles > 0) {
    status = queue.Run(Gram{on_device, groups, work, dimensions, count, tiles}, tile_shape);
  }
  // A square is worth an iteration; values of 1e-5 of the largest must survive it: S^2 for several
  // vectors, S^4 for the first alone.
  const std::uint32_t squares = !batch.is_iterated ? 0 : rank == 1 ? 2 : 1;
  for (std::uint32_t i = 0; status.ok() && i < squares; ++i) {
    status = queue.Run(Square{groups, work, count, tiles, i}, tile_shape);
  }
  Singular launch = {};
  launch.rows = on_device;
  launch.groups = groups;
  launch.work = work;
  launch.vectors = memory.As<float>(places[1]);
  launch.values = memory.As<float>(places[2]);
  launch.dimensions = dimensions;
  launch.group_count = count;
  launch.rank = rank;
  launch.is_squared = squares;
  if (status.ok()) {
    status = queue.Run(launch, {count, kSingularThreads, sizeof(JacobiMemory)});
  }
  if (status.ok()) status = queue.Download(vectors, launch.vectors, vector_bytes);
  if (status.ok() && values != nullptr) status = queue.Download(values, launch.values, value_bytes);
  return Settled(queue, std::move(status));
}

}  // namespace

Status Subspaces(DeviceEngine& engine, const float* rows, std::uint32_t dimensions,
                 std::span<const std::uint32_t> offsets, std::uint32_t rank,
                 const std::int32_t* cancel, float* vectors, float* values) {
  const auto count = static_cast<std::uint32_t>(offsets.size() - 1);
  for (std::uint32_t g = 0; rank > kMostBasis - kSpareVectors && g < count; ++g) {
    if (std::min(offsets[g + 1] - offsets[g], dimensions) > kMostBasis) {
      return {ErrorCode::kInternal, "at most " + std::to_string(kMostBasis - kSpareVectors) +
                                        " vectors of a group of more than " +
                                        std::to_string(kMostBasis) + " rows"};
    }
  }
  DeviceEngine::Lease queue;
  Status status = engine.Borrow(queue);
  std::uint32_t most = 4096;
  for (std::uint32_t first = 0; status.ok() && first < count;) {
    if (IsCancelled(cancel)) return Cancelled();
    const std::uint32_t groups =
        GroupsIn(offsets, first, most, dimensions, rank, engine.ScratchBytes() / 2);
    const Batch batch = PlanBatch(offsets.subspan(first, groups + 1), dimensions, rank);
    const std::uint64_t at = std::uint64_t{first} * rank;
    status =
        RunBatch(engine, *queue, rows + std::size_t{offsets[first]} * dimensions, batch, dimensions,
                 rank, vectors + at * dimensions, values == nullptr ? nullptr : values + at);
    if (status.code() == ErrorCode::kOutOfMemory && groups > 1) {
      most = groups / 2;
      status = Status::Ok();
    } else {
      first += groups;
    }
  }
  return engine.Noted(std::move(status));
}

}  // namespace dentate::cuda
