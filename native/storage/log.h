// The write-ahead log as the store sees it: an ordered sequence of groups, each whole or absent.
//
// A group is what one append, or one delete, ... did to one bank: opaque bytes here. Nothing above
// assumes that a log is a local file; file_log.h is the one that is, and a replicated stream could
// be another.
//
// Sequences start at 1 and grow by 1, over the whole life of a store.
//
// Durability. Append orders a group and makes sure that there is room for it: if it returns ok the
// group is written unless the machine fails. A group is durable when `durable()` has reached its
// sequence; a listener is called each time it moves on. When a write or a sync fails after Append
// returned ok, the log is broken for good: the listener gets the status, and so does every later
// Append. (After a failed fsync nobody knows what the disk holds: only reading it again tells.)
//
// A log is cut into stretches (files) so that what is sealed can be let go of: Rotate ends one and
// begins the next. It does nothing that waits; PrepareRotate has done that before, elsewhere.
//
// Threads. Append, Rotate: one at a time (the store's writer mutex). The rest: any thread. The
// listener is called on the log's own thread and calls nothing here that waits.

#ifndef DENTATE_STORAGE_LOG_H_
#define DENTATE_STORAGE_LOG_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "core/status.h"

namespace dentate::storage {

enum class Durability : std::uint8_t {
  kSync,      // synced before it counts as durable; groups that wait share one sync
  kInterval,  // written at once, synced every interval: a power cut loses the last interval
  kNone,      // written at once, synced when the operating system likes: a crash of the process
              // loses nothing, one of the machine what was not written back
};

// Where a group lies, for whoever reads it again.
struct LogPosition {
  std::uint64_t sequence = 0;
  std::uint64_t file = 0;    // number of the log file
  std::uint64_t offset = 0;  // of the group's payload in it
  std::uint32_t length = 0;
};

class Log {
 public:
  // Called on the log's own thread. `status` is not ok once, when the log breaks.
  using Listener = std::function<void(std::uint64_t durable, const Status& status)>;

  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  virtual ~Log() = default;  // writes and syncs what was appended

  // Takes the group, or fails and takes nothing of it. The bytes are copied. No full disk shows
  // later than here. The group can be read back from `position` once durable() has reached it.
  virtual Status Append(std::span<const std::uint8_t> group, LogPosition& position) = 0;

  // The sequence of the newest group taken; 0 where there is none.
  virtual std::uint64_t sequence() const noexcept = 0;
  // All groups up to this one are as durable as the log makes them.
  virtual std::uint64_t durable() const noexcept = 0;

  // Makes the next file ready: made, given room, synced, named. May fail, and has changed nothing
  // then. Waits for the disk, and for a rotation that is not finished.
  virtual Status PrepareRotate() = 0;
  // Ends the file that groups go to, and begins another one: all groups so far lie in files
  // numbered below `file`, or will when they are durable. Those files are not touched after Flush
  // any more. Prepares first where nobody has.
  virtual Status Rotate(std::uint64_t& file) = 0;
  // Waits until all groups appended so far are synced, whatever the durability.
  virtual Status Flush() = 0;
  // Of the groups since the last Rotate, with their frames.
  virtual std::uint64_t bytes() const noexcept = 0;
};

// Numbers the groups and keeps nothing: for a store that lives in memory only.
class MemoryLog final : public Log {
 public:
  explicit MemoryLog(Listener listener = {}) : listener_(std::move(listener)) {}
  Status Append(std::span<const std::uint8_t>, LogPosition& position) override {
    position = LogPosition{++sequence_, 0, 0, 0};
    return Status::Ok();
  }
  std::uint64_t sequence() const noexcept override { return sequence_; }
  std::uint64_t durable() const noexcept override { return sequence_; }
  Status PrepareRotate() override { return Status::Ok(); }
  Status Rotate(std::uint64_t& file) override {
    file = 0;
    return Status::Ok();
  }
  Status Flush() override { return Status::Ok(); }
  std::uint64_t bytes() const noexcept override { return 0; }

 private:
  Listener listener_;
  std::uint64_t sequence_ = 0;
};

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_LOG_H_
