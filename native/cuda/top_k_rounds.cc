#include "cuda/top_k_rounds.h"

#include <algorithm>
#include <bit>

namespace dentate::cuda {
namespace {

constexpr std::uint32_t kSelectThreads = 512;

}  // namespace

Status TopKLists::Make(DeviceEngine& engine, std::uint32_t queries, std::uint32_t capacity,
                       TopKLists& lists) {
  // | keys | limits | counts | overflow |
  const std::uint64_t keys = std::uint64_t{queries} * capacity * sizeof(std::uint64_t);
  const std::uint64_t limits = std::uint64_t{queries} * sizeof(std::uint64_t);
  const std::uint64_t counts = std::uint64_t{queries} * sizeof(std::uint32_t);
  Status status =
      engine.memory().Allocate(keys + limits + counts + sizeof(std::uint32_t), lists.memory_);
  if (!status.ok()) return status;
  lists.queries_ = queries;
  lists.limits_ = lists.memory_.As<std::uint64_t>(keys);
  lists.sink_.keys = lists.memory_.As<std::uint64_t>();
  lists.sink_.limits = lists.limits_;
  lists.sink_.counts = lists.memory_.As<std::uint32_t>(keys + limits);
  lists.overflow_ = lists.memory_.As<std::uint32_t>(keys + limits + counts);
  lists.sink_.capacity = capacity;
  return status;
}

Status TopKLists::Run(Queue& queue, std::uint32_t rows, std::uint32_t keep,
                      const std::int32_t* cancel, const Scan& scan) {
  bool overflowed = false;
  Status status =
      RunRounds(queue, PlanRounds(rows, keep, sink_.capacity), keep, cancel, scan, overflowed);
  if (status.ok() && overflowed) {
    status = RunRounds(queue, PlanDenseRounds(rows, keep, sink_.capacity), keep, cancel, scan,
                       overflowed);
  }
  return status;
}

Status TopKLists::RunRounds(Queue& queue, const std::vector<Round>& rounds, std::uint32_t keep,
                            const std::int32_t* cancel, const Scan& scan, bool& overflowed) {
  Status status = queue.Fill(limits_, 0xFF, queries_ * sizeof(std::uint64_t));
  if (status.ok()) {
    status = queue.Fill(sink_.counts, 0, (std::size_t{queries_} + 1) * sizeof(std::uint32_t));
  }
  for (const Round& round : rounds) {
    if (!status.ok()) return status;
    if (IsCancelled(cancel)) return Cancelled();
    Sink sink = sink_;
    sink.dense = round.is_dense ? 1 : 0;
    sink.dense_at = round.dense_at;
    status = scan(round, sink);
    if (!status.ok()) return status;
    const std::uint32_t filled = round.dense_at + (round.end - round.begin);
    status = RunSelect(queue, keep, round.is_dense ? filled : kCounted);
  }
  std::uint32_t flag = 0;
  if (status.ok()) status = queue.Download(&flag, overflow_, sizeof flag);
  overflowed = flag != 0;
  return status;
}

Status TopKLists::RunAll(std::uint32_t rows, const Scan& scan) {
  Sink sink = sink_;
  sink.dense = 1;
  return scan({0, rows, true, 0}, sink);
}

Status TopKLists::Sort(Queue& queue, std::uint32_t keep) {
  return RunSelect(queue, keep, kCounted);
}

Status TopKLists::RunSelect(Queue& queue, std::uint32_t keep, std::uint32_t filled) {
  Select select = {};
  select.keys = sink_.keys;
  select.counts = sink_.counts;
  select.limits = limits_;
  select.overflow = overflow_;
  select.capacity = sink_.capacity;
  select.keep = keep;
  select.filled = filled;
  select.lists = queries_;
  const auto shared =
      static_cast<std::uint32_t>(std::bit_ceil(sink_.capacity) * sizeof(std::uint64_t));
  return queue.Run(select, {queries_, kSelectThreads, shared});
}

Status TopKLists::Download(Queue& queue, std::uint32_t count,
                           std::vector<std::uint64_t>& keys) const {
  keys.resize(std::size_t{queries_} * count);
  return queue.Download(keys.data(), sink_.keys, count * sizeof(std::uint64_t), queries_,
                        sink_.capacity * sizeof(std::uint64_t));
}

Status TopKLists::DownloadLimits(Queue& queue, std::vector<std::uint64_t>& limits) const {
  limits.resize(queries_);
  return queue.Download(limits.data(), limits_, queries_ * sizeof(std::uint64_t));
}

}  // namespace dentate::cuda
