// A store in a directory that another process writes, or may write: never writes there itself, but
// for its own file in `readers/`.
//
// Following. A thread looks every poll_milliseconds: at the manifest, and behind the last group
// read of the log. Whole groups are applied to the banks that are loaded. A newer manifest may
// stand for groups that were never read here, as their log file is gone. So with it are let go, to
// be loaded when they are used next,
//
//   1. banks that the segments which came or went have something of; what a search holds of them
//      stays mapped, though its file may be gone;
//   2. names whose newest bank is not the one that is loaded: one that was dropped and had never
//      been sealed left no trace; and "there is no bank of this name" is as loaded as a bank is.
//
// A store that is rebuilt with other settings (store.h, Adopt) ends its readers: what they ask is
// kMismatch from then on.
//
// The manifest is read each time, a few hundred bytes: by its facts (inode, size, time of change)
// it cannot be told from one that came two swaps later within a tick of the kernel's clock.
//
// Opening reads the log as recovery does, which tells damage from a torn end (log_recovery.h), so
// that a reader is not content with less than was acknowledged. Following cannot tell, as a writer
// is at work behind the end.
//
// So what the writer had acknowledged is seen after at most poll_milliseconds and the time to apply
// it, and nothing is ever seen in part. Refresh does the same at once.

#ifndef DENTATE_STORE_READER_CORE_H_
#define DENTATE_STORE_READER_CORE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "storage/log_follower.h"
#include "storage/log_reader.h"
#include "store/bank_loader.h"
#include "store/core.h"
#include "store/store_reach.h"

namespace dentate::store {

inline constexpr char kReadersName[] = "readers";

class ReaderCore final : public StoreCore {
 public:
  static Status Open(storage::Env& env, const std::string& directory, const StoreOptions& options,
                     std::shared_ptr<StoreCore>& core);
  ReaderCore(StoreReach reach, std::string directory, const StoreOptions& options);
  ~ReaderCore() override;

  std::uint64_t sequence() const override { return sequence_.load(std::memory_order_acquire); }
  std::uint64_t durable() const override { return sequence(); }
  Status Flush() override { return CheckOpen(); }
  Status Seal() override { return CheckWritable(); }
  Status Merge() override { return CheckWritable(); }
  Status Compact(const Cancelled&) override { return CheckWritable(); }
  Status Purge(const Cancelled&, PurgeReceipt&) override { return CheckWritable(); }
  Status Rekey(const storage::SecretKey&) override { return CheckWritable(); }
  Status CheckKey(const std::optional<storage::SecretKey>& key) override {
    return reach_.CheckKey(key, directory_);
  }
  Status Refresh() override;
  Status Backup(const std::string& to, const Cancelled& cancelled) override;
  Status AdoptStore(const std::string&, const storage::SecretKey*, std::uint64_t,
                    const Cancelled&) override {
    return CheckWritable();
  }
  Status Verify(const Cancelled& cancelled, std::vector<DamagedPlace>& damage) override;
  StoreStats Stats() override;
  Status Close() override;

 private:
  Status LoadPlanned(const std::string& name, const Plan& plan, Loaded& loaded) override;
  Status AppendToLog(std::span<const std::uint8_t>, storage::LogPosition&) override {
    return CheckWritable();
  }
  void WrittenTo(bank::Bank&, bool) override {}
  void Written(bool) override {}

  void Register();
  void Unregister();
  void Run();
  void StopThread();

  // REQUIRES, all that follow: following_.
  // Reads the manifest, goes over to it where it is a newer one, and follows the log.
  Status ReadStore();
  Status Adopt(const storage::Manifest& manifest);
  // The store was rebuilt with other settings: no bank can be read any more.
  Status End(const Status& why);
  // The log for the first time, to its end: kCorruption where that is damage.
  Status Recover();
  Status Follow();
  Status Take(const storage::LogPosition& position, storage::Bytes payload);
  void Apply(const Group& group, const storage::LogPosition& position);

  const StoreReach reach_;
  storage::Env& env_;  // reach_'s
  const std::string directory_;
  std::unique_ptr<storage::FileLock> registration_;
  std::string registration_path_;

  std::mutex following_;  // of what follows
  std::unique_ptr<storage::LogFollower> follower_;
  bool recovered_ = false;
  std::unique_ptr<storage::LogReader> log_reader_;  // set once
  std::unique_ptr<BankLoader> loader_;              // set once
  std::atomic<std::uint64_t> sequence_{0};
  Status ended_;  // set before has_ended_, and never again
  std::atomic<bool> has_ended_{false};

  std::mutex stop_mutex_;
  std::condition_variable stop_changed_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_READER_CORE_H_
