// A search for the best keys of one tile, in rounds (kernels/sink.h, kernels/select.h).

#ifndef DENTATE_CUDA_TOP_K_ROUNDS_H_
#define DENTATE_CUDA_TOP_K_ROUNDS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "core/status.h"
#include "cuda/device_engine.h"
#include "cuda/plan.h"

namespace dentate::cuda {

// Lists of some queries on the device.
class TopKLists {
 public:
  // Launches what offers the keys of rows [round.begin, round.end) to the sink.
  using Scan = std::function<Status(const Round& round, const Sink& sink)>;

  static Status Make(DeviceEngine& engine, std::uint32_t queries, std::uint32_t capacity,
                     TopKLists& lists);

  // Leaves the best `keep` keys of `rows` rows in each list, in order. REQUIRES: keep <= kMostKept.
  Status Run(Queue& queue, std::uint32_t rows, std::uint32_t keep, const std::int32_t* cancel,
             const Scan& scan);
  // Leaves the keys of all rows in each list, in the order of rows. REQUIRES: rows <= capacity.
  Status RunAll(std::uint32_t rows, const Scan& scan);
  // Puts the first `keep` keys of each list in order again.
  Status Sort(Queue& queue, std::uint32_t keep);

  // Each list's first `count` keys, one list after the other.
  Status Download(Queue& queue, std::uint32_t count, std::vector<std::uint64_t>& keys) const;
  // The keys that limited the lists in the end; kNoKey where a list has all rows.
  Status DownloadLimits(Queue& queue, std::vector<std::uint64_t>& limits) const;

  const Sink& sink() const noexcept { return sink_; }
  std::uint32_t queries() const noexcept { return queries_; }

 private:
  Status RunRounds(Queue& queue, const std::vector<Round>& rounds, std::uint32_t keep,
                   const std::int32_t* cancel, const Scan& scan, bool& overflowed);
  Status RunSelect(Queue& queue, std::uint32_t keep, std::uint32_t filled);

  MemoryPool::Block memory_;
  Sink sink_ = {};
  std::uint64_t* limits_ = nullptr;
  std::uint32_t* overflow_ = nullptr;
  std::uint32_t queries_ = 0;
};

// The sink of the lists from `first` on.
inline Sink From(Sink sink, std::uint32_t first) {
  sink.keys += static_cast<std::size_t>(first) * sink.capacity;
  sink.counts += first;
  sink.limits += first;
  return sink;
}

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_TOP_K_ROUNDS_H_
