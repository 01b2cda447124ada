#include <algorithm>

#include "cuda/kernels/embed.h"
#include "cuda/plan.h"
#include "cuda/searches.h"

namespace dentate::cuda {
namespace {

constexpr std::uint32_t kThreads = 128;

// All tiles of the table into the sums of groups [first, first + count).
Status RunBatch(const DeviceRows& table, Queue& queue, std::span<const std::uint32_t> ids,
                std::span<const std::uint32_t> offsets, const std::int32_t* cancel,
                float* embedded) {
  const auto count = static_cast<std::uint32_t>(offsets.size() - 1);
  const std::uint32_t dimensions = table.width();
  // | sums | embedded | offsets | ids | , offsets from the batch's first id
  const std::uint64_t numbers = std::uint64_t{count} * dimensions;
  const std::uint64_t embedded_at = RoundUp(numbers * 8, 256);
  const std::uint64_t offsets_at = embedded_at + RoundUp(numbers * 4, 256);
  const std::uint64_t ids_at = offsets_at + RoundUp(offsets.size_bytes(), 256);
  MemoryPool::Block memory;
  Status status = table.engine().memory().Allocate(ids_at + ids.size_bytes() + 4, memory);
  if (!status.ok()) return status;
  std::vector<std::uint32_t> from_zero(offsets.begin(), offsets.end());
  for (std::uint32_t& offset : from_zero) offset -= offsets.front();
  status = queue.Fill(memory.As<void>(), 0, numbers * 8);
  if (status.ok()) {
    status = queue.Upload(memory.As<void>(offsets_at), from_zero.data(), offsets.size_bytes());
  }
  if (status.ok() && !ids.empty()) {
    status = queue.Upload(memory.As<void>(ids_at), ids.data(), ids.size_bytes());
  }
  const std::uint32_t blocks = std::min(table.engine().Blocks(kThreads), count);
  if (status.ok()) {
    status = table.ForEachTile(queue, cancel, [&](const TileView& tile) {
      EmbedSum launch = {};
      launch.rows = tile.exact;
      launch.row_floats = table.row_floats();
      launch.dimensions = dimensions;
      launch.first_row = static_cast<std::uint32_t>(tile.first);
      launch.row_count = tile.rows;
      launch.ids = memory.As<std::uint32_t>(ids_at);
      launch.offsets = memory.As<std::uint32_t>(offsets_at);
      launch.sums = memory.As<double>();
      launch.group_count = count;
      return queue.Run(launch, {blocks, kThreads, 0});
    });
  }
  EmbedFinish finish = {};
  finish.sums = memory.As<double>();
  finish.embedded = memory.As<float>(embedded_at);
  finish.dimensions = dimensions;
  finish.group_count = count;
  if (status.ok()) {
    status = queue.Run(finish, {blocks, kThreads, kThreads / kWarp * sizeof(double)});
  }
  if (status.ok()) status = queue.Download(embedded, finish.embedded, numbers * 4);
  return Settled(queue, std::move(status));
}

}  // namespace

Status Embed(const DeviceRows& table, std::span<const std::uint32_t> ids,
             std::span<const std::uint32_t> offsets, const std::int32_t* cancel, float* embedded) {
  const auto count = static_cast<std::uint32_t>(offsets.size() - 1);
  DeviceEngine& engine = table.engine();
  DeviceEngine::Lease queue;
  Status status = engine.Borrow(queue);
  if (!status.ok()) return status;
  const std::uint32_t most =
      RowsIn(engine.ScratchBytes() / 2, std::uint64_t{table.width()} * 12, 65536);
  status = InBatches(count, most, cancel, [&](std::uint32_t first, std::uint32_t size) {
    const auto own = offsets.subspan(first, size + 1);
    return RunBatch(table, *queue, ids.subspan(own.front(), own.back() - own.front()), own, cancel,
                    embedded + std::size_t{first} * table.width());
  });
  return engine.Noted(std::move(status));
}

}  // namespace dentate::cuda
