// What a bank knows of its chunks: where they were recorded, and, once somebody has asked, the
// index that searches look at.
//
//   sources    blobs of segments, unread           recorded in periods that were sealed
//   unsealed   rows in memory                      in periods that are being sealed
//   pending    rows in memory                      since the last freeze
//   index      all of them that live, with atoms   null until asked for (chunk_index.h)
//
// So opening a bank touches no vector, and a search that wants no chunks never does.
//
// New chunks. Cutting, embedding and clustering take long, so they happen without the store's
// writer mutex: Plan clusters them in the index and says what is to be recorded, Commit hands that
// to the log. Whoever plans holds `appending` from then until it is committed or given up, so that
// numbers and assignments follow each other. Chunks whose entries are not current, or in a living
// chunk already (another thread was faster), are refused as a whole.
//
// Thresholds. The embedder's, where it has one; else what ThresholdOf finds in the first
// kCalibration chunks. Chunks that came before are then given their atoms, and both are recorded.
//
// Mutexes, in this order: appending, index_mutex_, the bank's, mutex_. (The writer's comes after
// `appending`, and nobody who holds it waits for the index but Apply, which is a reader's.)
//
// Threads. Any, but for what is said to be the writer's.

#ifndef DENTATE_BANK_BANK_CHUNKS_H_
#define DENTATE_BANK_BANK_CHUNKS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

#include "bank/chunk_index.h"
#include "bank/chunk_rows.h"
#include "core/status.h"

namespace dentate::bank {

// Chunks of a period that was sealed.
class ChunkSource {
 public:
  ChunkSource() = default;
  ChunkSource(const ChunkSource&) = delete;
  ChunkSource& operator=(const ChunkSource&) = delete;
  virtual ~ChunkSource() = default;
  virtual Status Read(ChunkRows& rows) const = 0;
};
using ChunkSources = std::vector<std::shared_ptr<const ChunkSource>>;

// What a caller wants to record.
struct NewChunks {
  std::uint64_t incarnation = 0;  // of the bank that they were made from
  PlannedChunks chunks;
  std::uint32_t dimensions = 0;
  std::vector<std::int8_t> values;
  float threshold = ChunkRows::kNoThreshold;  // the embedder's
};

class BankChunks {
 public:
  static constexpr std::size_t kCalibration = 64;

  // Which entries are current: `version` is another one when some have stopped being so.
  struct Current {
    std::function<std::uint64_t()> version;
    std::function<std::uint64_t(EntryMask& mask)> copy;  // returns that of the copy
  };
  explicit BankChunks(Current current) : current_(std::move(current)) {}

  // --- the writer's
  // `sources` are all there is in segments now. `sealed`: with all that Freeze has given.
  void ReplaceSources(ChunkSources sources, bool sealed);
  // What a record of the log says.
  Status Apply(ChunkRows rows);
  // Ends the period: what was recorded in it, null where that is nothing.
  std::shared_ptr<const ChunkRows> Freeze();

  // --- new chunks
  struct Plan {
    bool taken = false;  // false: refused, nothing has changed
    ChunkRows record;
    bool regroups = false;  // the index is out of date once it is recorded
  };
  std::mutex& appending() noexcept { return appending_; }
  // REQUIRES, these three: `appending`.
  Status MakePlan(const NewChunks& chunks, Plan& plan);
  // The writer's, too. An error of `record` is passed on: nothing is recorded.
  Status Commit(const Plan& plan, const std::function<Status(const ChunkRows&)>& record);
  // After a plan that was not committed, or that regroups: the index is made again.
  void DropIndex();

  // --- searches
  // Calls `use` with the index, which stays as it is meanwhile.
  Status Use(const std::function<Status(const ChunkIndex&)>& use) const;

  // Of what was recorded and is in memory; and of the index.
  std::size_t SizeInBytes() const;
  std::size_t IndexBytes() const noexcept { return index_bytes_.load(std::memory_order_relaxed); }
  // What of the index is of chunks that have died.
  std::size_t StaleBytes() const noexcept { return stale_bytes_.load(std::memory_order_relaxed); }

 private:
  Status ReadAll(ChunkRows& rows) const;
  // REQUIRES, these: index_mutex_, alone.
  Status Refresh() const;
  void SetIndex(std::unique_ptr<ChunkIndex> index) const;
  void CountIndex() const;
  bool IsFree(const PlannedChunks& chunks) const;

  const Current current_;
  std::mutex appending_;

  mutable std::shared_mutex index_mutex_;  // of these
  mutable std::unique_ptr<ChunkIndex> index_;
  mutable EntryMask mask_;  // current entries, when the index was last looked through
  mutable std::uint64_t mask_version_ = 0;  // of mask_; 0: none
  mutable std::atomic<std::size_t> index_bytes_{0}, stale_bytes_{0};

  mutable std::mutex mutex_;  // of these
  ChunkSources sources_;
  std::vector<std::shared_ptr<const ChunkRows>> unsealed_;
  ChunkRows pending_;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_BANK_CHUNKS_H_
