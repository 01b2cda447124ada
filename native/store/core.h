// What is behind a store, shared by all that have it open.
//
//   StoreCore      banks, loading, writing: what all kinds have
//    ├ MemoryCore  nothing else (memory_core.h)
//    ├ DiskCore    a directory, written by this process: log, seal, merge, purge (disk_core.h)
//    └ ReaderCore  a directory that another process writes (reader_core.h)
//
// Mutexes, in this order where several are held:
//
//   maintenance   seal, merge, purge: one at a time; who holds it alone changes the manifest
//   writer        the order of the log and of changes in memory
//   catalog       what is loaded, view and tail; for moments
//
// No file is written and nothing synced under the writer mutex.

#ifndef DENTATE_STORE_CORE_H_
#define DENTATE_STORE_CORE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bank/bank.h"
#include "store/catalog.h"
#include "store/listeners.h"
#include "store/store.h"

namespace dentate::store {

class StoreCore {
 public:
  StoreCore(const StoreCore&) = delete;
  StoreCore& operator=(const StoreCore&) = delete;
  virtual ~StoreCore() = default;

  const StoreOptions& options() const noexcept { return options_; }
  Catalog& catalog() noexcept { return catalog_; }
  Listeners& listeners() noexcept { return listeners_; }

  // The slot's bank, loaded where it was not; null: there is none.
  Status Load(const std::shared_ptr<Slot>& slot, std::shared_ptr<bank::Bank>& bank);

  // Makes one group of what `change` hands the sink; 0: it handed over nothing. `creates`: where
  // there is no bank, a new one is changed, and kept if there was a group.
  using Change = std::function<Status(bank::Bank& bank, const bank::Sink& sink)>;
  Status Write(const std::shared_ptr<Slot>& slot, bool creates, const Change& change,
               std::uint64_t& sequence);
  // Records chunks, clustered before the writer mutex is taken; 0: they were refused.
  Status AppendChunks(const std::shared_ptr<Slot>& slot, const bank::NewChunks& chunks,
                      std::uint64_t& sequence);
  Status Drop(std::string_view name, bool& existed, std::uint64_t& sequence);

  // As in store.h.
  virtual std::uint64_t sequence() const = 0;
  virtual std::uint64_t durable() const = 0;
  virtual Status Flush() = 0;
  virtual Status Seal() = 0;
  virtual Status Merge() = 0;
  virtual Status Compact(const Cancelled& cancelled) = 0;
  virtual Status Purge(const Cancelled& cancelled, PurgeReceipt& receipt) = 0;
  virtual Status Rekey(const storage::SecretKey& key) = 0;
  // Whether who opens the store with this key, or with none, may join those who have it open: kKey
  // if not.
  virtual Status CheckKey(const std::optional<storage::SecretKey>& key) = 0;
  // kIo: the store that is open lies in its directory no more.
  virtual Status CheckInPlace() { return Status::Ok(); }
  virtual Status Refresh() = 0;
  virtual Status Backup(const std::string& to, const Cancelled& cancelled) = 0;
  virtual Status AdoptStore(const std::string& from, const storage::SecretKey* key,
                            std::uint64_t sequence, const Cancelled& cancelled) = 0;
  virtual Status Verify(const Cancelled& cancelled, std::vector<DamagedPlace>& damage) = 0;
  virtual StoreStats Stats();
  // Called once, when the last opener has closed.
  virtual Status Close() = 0;

 protected:
  // `evicts`: banks can be read back, and may be let go.
  StoreCore(const StoreOptions& options, bool evicts);

  // Reads what the plan says. Any thread, no mutex held but the slot's.
  virtual Status LoadPlanned(const std::string& name, const Plan& plan, Loaded& loaded) = 0;
  // REQUIRES: the writer mutex. What the log took is to be found in memory right after.
  virtual Status AppendToLog(std::span<const std::uint8_t> group,
                             storage::LogPosition& position) = 0;
  // After each write, under the writer mutex. `full`: the bank's live part is near its limit.
  virtual void WrittenTo(bank::Bank& bank, bool full) = 0;
  // The same, without a mutex.
  virtual void Written(bool full) = 0;

  Status CheckOpen() const;
  Status CheckWritable() const;
  void Trim();

  const StoreOptions options_;
  const bank::BankSettings bank_settings_;
  Catalog catalog_;
  Listeners listeners_;
  std::mutex writer_;
  std::atomic<bool> closed_{false};

 private:
  Status AppendGroup(const Group& group, std::uint64_t& sequence);

  std::vector<std::uint8_t> group_;  // working memory of AppendGroup
};

// Deletes what has expired or been superseded in all banks, as the first step of a purge.
Status DeleteUnreachable(StoreCore& core, std::int64_t now, const Cancelled& cancelled,
                         std::uint64_t& entries);

}  // namespace dentate::store

#endif  // DENTATE_STORE_CORE_H_
