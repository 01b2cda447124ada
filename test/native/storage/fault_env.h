// An Env that forgets what was not synced, tears writes and fails the nth call: in memory, for
// tests.
//
// Two uses. Power cuts, at each call of a workload:
//
//   for (std::uint64_t cut = 1;; ++cut) {
//     FaultEnv env(seed);
//     env.SetFault({.at = cut, .kinds = kChanges, .power_loss = true});
//     RunWorkload(env);                       // every call fails from the cut on
//     if (!env.fired()) break;                // the workload is shorter than `cut`
//     for (Survival survival : {Survival::kSynced, Survival::kProcess, Survival::kRandom}) {
//       const auto after = env.AfterCrash(survival, seed + cut);
//       CheckReopened(*after);
//     }
//   }
//
// And errors that the program survives, with `.error = ENOSPC` and, for a disk that stays full,
// `.lasting = true`. What a call that fails has done:
//   Append, Reserve   written a random part of the bytes, from the start on
//   Sync, SyncFile    lost some of the changes for good while programs still see them, and a later
//                     Sync succeeds over the loss (fault_disk.h); with power loss: nothing
//   the others        nothing
//
// The same seed and the same calls in the same order give the same results. Times pass only in
// SleepMilliseconds and AdvanceClock.
//
// Threads: any. The env must outlive its files and locks.

#ifndef DENTATE_TEST_STORAGE_FAULT_ENV_H_
#define DENTATE_TEST_STORAGE_FAULT_ENV_H_

#include <array>
#include <cerrno>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "storage/env.h"
#include "storage/fault_disk.h"

namespace dentate::storage {

// The kinds of calls; sets of them are sums.
enum Call : std::uint32_t {
  kCreate = 1 << 0,  // NewWritableFile
  kAppend = 1 << 1,
  kReserve = 1 << 2,
  kSync = 1 << 3,
  kClose = 1 << 4,  // not that of the destructor
  kSyncFile = 1 << 5,
  kSyncDirectory = 1 << 6,
  kRename = 1 << 7,
  kRemove = 1 << 8,
  kCreateDirectories = 1 << 9,
  kLock = 1 << 10,
  kOpen = 1 << 11,  // NewReadableFile, MapFile, ReadFile
  kRead = 1 << 12,  // ReadAt, Size
  kList = 1 << 13,
  kStat = 1 << 14,  // FileStamp, LockHolder, CanonicalPath
};
inline constexpr std::size_t kCallKinds = 15;
inline constexpr std::uint32_t kAllCalls = (1U << kCallKinds) - 1;
// What may change the disk: to cut the power at other calls tells nothing new.
inline constexpr std::uint32_t kChanges = (1U << 11) - 1;
// What may find no room.
inline constexpr std::uint32_t kGrowing =
    kCreate | kAppend | kReserve | kRename | kCreateDirectories | kLock;

struct Fault {
  std::uint64_t at =
      0;  // the call that fails, counted among those of `kinds` from SetFault on: from 1
  std::uint32_t kinds = kAllCalls;
  int error = EIO;
  bool lasting = false;     // those of `kinds` that follow fail too
  bool power_loss = false;  // all that follow fail, of all kinds
};

class FaultEnv final : public Env {
 public:
  explicit FaultEnv(std::uint64_t seed = 1);

  // Replaces the fault that is set; {} sets none. The power stays off.
  void SetFault(const Fault& fault);
  // Whether the fault that was set last has come.
  bool fired() const;
  // Calls of these kinds so far, those that failed too.
  std::uint64_t calls(std::uint32_t kinds = kAllCalls) const;

  // A machine that starts anew with what a crash of this one, now, would leave; this one is not
  // disturbed. Locks are free, no fault is set.
  std::unique_ptr<FaultEnv> AfterCrash(Survival survival, std::uint64_t seed) const;
  // The same in place: the power is on again, and files and locks from before fail from then on.
  void Crash(Survival survival);

  // For damage at rest: the bytes of a file as seen, and replacing them, durably.
  std::vector<std::uint8_t> Content(const std::string& path) const;
  void SetContent(const std::string& path, Bytes bytes);
  void AdvanceClock(std::int64_t milliseconds);

  Status NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>& file) override;
  Status NewReadableFile(const std::string& path, std::unique_ptr<ReadableFile>& file) override;
  Status MapFile(const std::string& path, std::shared_ptr<const MappedFile>& file) override;
  Status ReadFile(const std::string& path, std::vector<std::uint8_t>& bytes) override;
  Status ListDirectory(const std::string& path, std::vector<std::string>& names) override;
  Status CreateDirectories(const std::string& path) override;
  Status SyncDirectory(const std::string& path) override;
  Status SyncFile(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Remove(const std::string& path) override;
  bool Exists(const std::string& path) override;  // not a call that counts
  Status CanonicalPath(const std::string& path, std::string& canonical) override;
  Status FileStamp(const std::string& path, std::uint64_t& stamp) override;
  Status LockFile(const std::string& path, const std::string& note, bool exclusive,
                  std::unique_ptr<FileLock>& lock) override;
  Status LockHolder(const std::string& path, bool& held, std::string& note) override;
  std::int64_t NowMilliseconds() override;
  void SleepMilliseconds(std::uint32_t milliseconds) override;  // really at most 1 ms
  void RandomBytes(std::span<std::uint8_t> out) override;
  std::string HostName() override { return "fault.example"; }
  std::uint32_t ProcessId() override { return process_; }

 private:
  friend class FaultWritableFile;
  friend class FaultReadableFile;
  friend class FaultLock;

  struct Lock {
    bool exclusive = false;
    std::uint32_t holders = 0;
  };

  // Counts the call. Not ok: it is to fail.
  Status Enter(Call kind, const char* name, const std::string& path);
  Status FindFile(Call kind, const char* name, const std::string& path, FaultDisk::File& file);
  // How many of `size` bytes a failed write has written.
  std::size_t TornSize(std::size_t size);
  Status SyncOrLose(Call kind, const std::string& path, FaultFile& file);
  void ReleaseLock(const std::string& path, std::uint64_t epoch);

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  FaultDisk disk_;
  std::map<std::string, Lock> locks_;
  std::array<std::uint64_t, kCallKinds> calls_{};
  Fault fault_;
  std::uint64_t calls_to_fault_ = 0;  // of fault_.kinds, since it was set
  bool power_ = true;
  std::uint64_t epoch_ = 0;  // crashes so far
  std::uint32_t process_ = 1;
  std::int64_t now_ = INT64_C(1'800'000'000'000);
};

}  // namespace dentate::storage

#endif  // DENTATE_TEST_STORAGE_FAULT_ENV_H_
