// A log in files of a directory (log_format.h), with group commit.
//
//   Append ──► gathered frames ──► log thread: write all ─► sync ─► durable(), listener
//                (next group gathers meanwhile)
//
// Append makes sure of the disk space, copies the group behind those that wait, and returns: two
// checksums and a copy. The log thread takes all that have gathered, writes them with one call and
// syncs once; whoever comes meanwhile is in the next round. So a sync is shared by as many as fit
// into the time of the one before, with no delay added for a lone caller.
//
// Space. Files grow by zeros written ahead of need (Env::Reserve), by the log thread where it
// keeps up, so that Append fails with ENOSPC itself, and changes nothing, and so that a sync has no
// metadata to write.
//
// Memory. No more than kBufferBytes wait (or one group, if it is larger): Append then waits for the
// round that is being written, 8 MiB behind.
//
// Marks. The first frame of each write, a file's header, and a mark frame when the log is closed
// say up to where everything is synced (log_recovery.h says what for).
//
// When a write or sync fails, the log is broken: see log.h. What it had written may be there or
// not; only a new recovery tells.
//
// Inline: no thread; Append itself commits. For tests, which count calls.
//
// Threads: as in log.h. Locks in this order: prepare_mutex_, mutex_, room_mutex_; no file is
// written or synced under mutex_, but in inline logs.

#ifndef DENTATE_STORAGE_FILE_LOG_H_
#define DENTATE_STORAGE_FILE_LOG_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "storage/env.h"
#include "storage/log.h"
#include "storage/log_format.h"
#include "storage/log_recovery.h"

namespace dentate::storage {

struct LogOptions {
  Durability durability = Durability::kSync;
  std::uint32_t interval_milliseconds = 100;  // kInterval: between syncs
  bool inline_commit = false;
  std::uint64_t room_bytes = std::uint64_t{1} << 20;  // reserved at a time
};

class FileLog final : public Log {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{8} << 20;

  // Recovers (log_recovery.h), handing over the groups after `after`, and begins a new file. All of
  // them are durable when it returns.
  // REQUIRES: the writer lock.
  static Status Open(Env& env, const std::string& directory, std::string_view store_id,
                     std::uint64_t first_file, std::uint64_t after, const LogOptions& options,
                     const LogVisitor& visit, Listener listener, std::unique_ptr<FileLog>& log);
  ~FileLog() override;

  Status Append(std::span<const std::uint8_t> group, LogPosition& position) override;
  std::uint64_t sequence() const noexcept override { return sequence_.load(); }
  std::uint64_t durable() const noexcept override { return durable_.load(); }
  Status PrepareRotate() override;
  Status Rotate(std::uint64_t& file) override;
  Status Flush() override;
  std::uint64_t bytes() const noexcept override { return end_.load() - kLogHeaderBytes; }

 private:
  using Lock = std::unique_lock<std::mutex>;

  using Frames = std::vector<std::uint8_t>;  // back to back, as they go to the file

  // A file that Rotate has ended: what is still to be written to it, and the last group in it.
  struct Ended {
    std::unique_ptr<WritableFile> file;
    Frames frames;
    std::uint64_t through = 0;
  };
  // What one commit writes.
  struct Round {
    std::unique_ptr<Ended> ended;
    WritableFile* file = nullptr;
    LogFileId id;
    Frames frames;
    std::uint64_t through = 0;
    bool sync = false;
  };

  FileLog(Env& env, std::string directory, const LogFileId& id, const LogOptions& options,
          std::uint64_t sequence, Listener listener);

  Status Begin(const LogVisitor& visit, const std::deque<UnvouchedGroup>& unvouched);
  // Makes a file with room but without header.
  Status MakeFile(std::uint64_t number, std::unique_ptr<WritableFile>& file);
  // Has the file that groups go to hold `size` bytes.
  Status MakeRoom(std::uint64_t size);

  FrameHeader Frame(Bytes group) const;  // of the next group

  void Run();
  // REQUIRES, up to Commit: mutex_.
  void Take(FrameHeader header, Bytes group, LogPosition& position);
  bool HasWork() const;
  bool SyncIsDue() const;
  std::int64_t MillisecondsToSync() const;  // of kInterval
  // Writes what has gathered, and syncs. Gives the lock back for that time.
  void Commit(Lock& lock);
  // `synced` moves on as far as the disk vouches for it.
  Status Write(Round& round, std::uint64_t& synced);
  Status WriteFrames(WritableFile& file, const LogFileId& id, Frames& frames, std::uint64_t synced);
  void Close();

  Env& env_;
  const std::string directory_;
  const LogOptions options_;
  const Listener listener_;
  std::atomic<std::uint64_t> sequence_, durable_;
  std::atomic<std::uint64_t> end_{kLogHeaderBytes};  // of the file, with what has gathered

  std::mutex prepare_mutex_;  // one PrepareRotate at a time

  mutable std::mutex mutex_;  // what follows
  std::condition_variable work_, done_;
  LogFileId id_;  // of the file that groups go to
  Frames gathered_;
  Frames spare_;  // an empty one with capacity, for the next round
  std::unique_ptr<Ended> ended_;
  bool rotating_ = false;                   // from Rotate until the new file's header is synced
  std::unique_ptr<WritableFile> prepared_;  // the next file; null while rotating_
  std::uint64_t written_, synced_;          // through these groups
  std::uint64_t flush_through_ = 0;         // synced_ is to reach this
  std::int64_t last_sync_ = 0;              // by Env's clock
  bool stop_ = false;
  Status broken_;

  std::mutex room_mutex_;  // the two below, and Reserve; the log thread writes to *file_ without it
  std::unique_ptr<WritableFile> file_;
  std::uint64_t room_ = 0;

  std::thread thread_;
};

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_FILE_LOG_H_
