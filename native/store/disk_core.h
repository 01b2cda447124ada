// A store in a directory, written by this process.
//
//   disk_core.cc    opening (recovery as docs/format.md has it), the log, closing
//   disk_seal.cc    the log's old files ─► a segment
//   disk_merge.cc   neighbouring segments ─► one
//   disk_purge.cc   segments ─► the same without what is dead
//   disk_adopt.cc   another store's segments ─► one
//
// All of the last four end in Swap: what is new is written and opened, then the manifest names it,
// then memory goes over to it, bank by bank, then what nobody names is removed. A failure before
// the manifest has changed nothing but for garbage. If writing the manifest itself fails, nobody
// knows which of the two a crash would leave; nothing is removed until a later swap succeeds.
//
// All of them write by name. Where the directory was moved away or removed under the store, and
// another store put in its place, they would take that one's files for their own; so each first
// sees whether the lock is still the one that lies there, and again before the manifest and before
// anything is removed.
//
// A seal that fails has left its boundary: the groups up to it stay those being sealed, and the
// next attempt takes the same again, however much has been added since.

#ifndef DENTATE_STORE_DISK_CORE_H_
#define DENTATE_STORE_DISK_CORE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "storage/file_log.h"
#include "storage/log_reader.h"
#include "store/bank_loader.h"
#include "store/core.h"
#include "store/segment_build.h"
#include "store/store_reach.h"
#include "store/worker.h"

namespace dentate::store {

class DiskCore final : public StoreCore {
 public:
  static Status Open(storage::Env& env, const std::string& directory, const StoreOptions& options,
                     std::shared_ptr<StoreCore>& core);
  DiskCore(StoreReach reach, std::string directory, const StoreOptions& options,
           std::unique_ptr<storage::FileLock> lock);
  ~DiskCore() override;

  std::uint64_t sequence() const override { return sequence_.load(std::memory_order_acquire); }
  std::uint64_t durable() const override { return listeners_.durable(); }
  Status Flush() override;
  Status Seal() override;
  Status Merge() override;
  Status Compact(const Cancelled& cancelled) override;
  Status Purge(const Cancelled& cancelled, PurgeReceipt& receipt) override;
  Status Rekey(const storage::SecretKey& key) override;
  Status CheckKey(const std::optional<storage::SecretKey>& key) override {
    return reach_.CheckKey(key, directory_);
  }
  Status CheckInPlace() override { return lock_->CheckInPlace(); }
  Status Refresh() override { return CheckOpen(); }
  Status Backup(const std::string& to, const Cancelled& cancelled) override;
  Status AdoptStore(const std::string& from, const storage::SecretKey* key, std::uint64_t sequence,
                    const Cancelled& cancelled) override;
  Status Verify(const Cancelled& cancelled, std::vector<DamagedPlace>& damage) override;
  StoreStats Stats() override;
  Status Close() override;

 private:
  // A blob of a new segment, and the rows of older ones, or of frozen parts, whose place it takes.
  struct Moved {
    std::string bank;
    std::uint64_t incarnation = 0;
    std::uint32_t begin = 0, end = 0;  // bank-wide numbers
    std::size_t index = 0;             // of the blob in the new segment
    bool has_part = true;              // false: chunks alone, and no blob of this index
  };

  // --- disk_core.cc
  Status Recover();
  Status Create(storage::Manifest& manifest);
  bool Background();
  Status LoadPlanned(const std::string& name, const Plan& plan, Loaded& loaded) override;
  Status AppendToLog(std::span<const std::uint8_t> group, storage::LogPosition& position) override;
  void WrittenTo(bank::Bank&, bool) override {}
  void Written(bool full) override;
  // A maintenance operation that somebody waits for.
  Status InForeground(const std::function<Status()>& work);
  // Replaces the manifest and the view. `sealed`: what was being sealed is in it.
  Status Swap(storage::Manifest manifest, bool sealed);
  // After a swap, and after memory has gone over to it. What cannot be removed now is garbage the
  // next time, too.
  Status RemoveGarbage();
  bool HasOldDataKeys() const { return reach_.crypt != nullptr && reach_.crypt->HasOldDataKeys(); }
  // When much has been rewritten.
  Status ForgetUnusedDataKeys() const {
    return reach_.crypt == nullptr ? Status::Ok() : reach_.crypt->ForgetUnusedDataKeys();
  }
  std::string PathOf(const std::string& name) const { return directory_ + "/" + name; }
  // Puts the new blobs in the place of what loaded banks have. `sealed`: of their frozen parts.
  void MoveLoaded(const std::string& segment, const std::vector<Moved>& moved, bool sealed);

  // --- disk_seal.cc. REQUIRES, all that follow: the maintenance mutex.
  Status SealTail(const Cancelled& cancelled);
  Status SealBank(const std::string& name, const TailBank& groups, SegmentBuild& build,
                  std::vector<Moved>& moved, const Cancelled& cancelled);
  bool FreezeLoaded(const std::string& name, bank::Frozen& frozen);

  // --- disk_merge.cc
  Status MergeDue(const Cancelled& cancelled);
  // Segments [first, last) of the view become one.
  Status MergeRun(std::size_t first, std::size_t last, const Cancelled& cancelled);
  Status MergeBank(const View& view, std::size_t first, std::size_t last, const std::string& name,
                   SegmentBuild& build, std::vector<Moved>& moved, const Cancelled& cancelled);

  // What becomes of the bank's chunks in these segments; `dead`: entries that are gone.
  Status MergeBankChunks(const View& view, std::size_t first, std::size_t last,
                         const std::vector<BlobPlace>& parts,
                         const std::vector<std::uint32_t>& dead, SegmentBuild& build);

  // --- disk_purge.cc
  Status Rewrite(const Cancelled& cancelled, PurgeReceipt& receipt);
  // What the readers that are there say of themselves; files of those that died are removed.
  std::vector<std::string> Readers();

  const StoreReach reach_;
  storage::Env& env_;  // reach_'s
  const std::string directory_;
  std::unique_ptr<storage::FileLock> lock_;
  std::unique_ptr<storage::LogReader> log_reader_;
  std::unique_ptr<BankLoader> loader_;

  std::shared_mutex
      log_mutex_;  // shared: the log is used outside of the writer mutex; alone: it ends
  std::unique_ptr<storage::FileLog> log_;
  std::atomic<std::uint64_t> sequence_{0};
  std::atomic<std::uint64_t> log_bytes_{
      0};                            // of groups that are in no segment and not being sealed
  std::uint64_t old_log_bytes_ = 0;  // of those that an opener found; the writer mutex's

  std::mutex maintenance_;            // of what follows
  std::uint64_t generation_ = 0;      // of the newest manifest that was tried
  bool manifest_unknown_ = false;     // writing it has failed: it may be there, or the one before
  std::uint64_t erased_ = 0;          // rows that seals have left out
  std::uint64_t first_log_file_ = 0;  // once what is being sealed is in a segment

  std::atomic<bool> seal_wanted_{false};
  std::atomic<bool> closing_{false};  // no more work in the foreground
  Worker worker_;
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_DISK_CORE_H_
