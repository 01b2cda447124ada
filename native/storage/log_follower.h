// Reads the groups of a log in order, across its files, for as long as it grows: recovery reads to
// the end once, a reader in another process polls.
//
// Hands over whole valid groups only, each once, in the order of their sequences. Where none
// follows, Poll returns; the next one looks again. Files are opened anew each time, so that a file
// that has been replaced (one without groups, by the next writer) is seen.
//
// A file counts up to where the next one's header says. After a crash that may be before what lies
// here whole: the next writer writes again what nothing vouched for (log_recovery.h), the same
// groups, which are passed over when they come again; and what it did not find never counts.
//
// Cost of a Poll without news: two opens and two reads, about 15 us.
//
// Threads: one.

#ifndef DENTATE_STORAGE_LOG_FOLLOWER_H_
#define DENTATE_STORAGE_LOG_FOLLOWER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "storage/env.h"
#include "storage/log.h"
#include "storage/log_file_reader.h"
#include "storage/log_format.h"

namespace dentate::storage {

// A status that is not ok ends the reading and is passed on; the group counts as not read.
using LogVisitor = std::function<Status(const LogPosition& position, Bytes group)>;

class LogFollower {
 public:
  // Of the groups after `after`: `first_file`, or one behind it, has the first of them, or will.
  static Status Create(Env& env, std::string directory, std::string_view store_id,
                       std::uint64_t first_file, std::uint64_t after,
                       std::unique_ptr<LogFollower>& follower);
  LogFollower(Env& env, std::string directory, const LogFileId& store, std::uint64_t first_file,
              std::uint64_t after)
      : env_(env), directory_(std::move(directory)), id_(store), sequence_(after) {
    id_.file = first_file;
  }

  // `vanished`: the file to read next is gone; what it held was sealed, as a newer manifest says.
  Status Poll(const LogVisitor& visit, bool& vanished);

  // The last group handed over, or `after`.
  std::uint64_t sequence() const noexcept { return sequence_; }
  // The newest mark read: groups up to this one were synced. In a visit: that group's frame
  // included.
  std::uint64_t synced_through() const noexcept { return synced_; }
  // Where the next frame is expected; offset 0 where the file has no valid header yet.
  std::uint64_t file() const noexcept { return id_.file; }
  std::uint64_t offset() const noexcept { return offset_; }

 private:
  // Groups up to `limit`.
  Status ReadFile(std::uint64_t limit, const LogVisitor& visit, bool& vanished);
  Status ReadFrames(LogFileReader& reader, std::uint64_t limit, const LogVisitor& visit);
  // Of the file after this one; `valid` false where it has none yet.
  Status ReadNextHeader(LogHeader& header, bool& valid);

  Env& env_;
  std::string directory_;
  LogFileId id_;
  std::uint64_t offset_ = 0;
  std::uint64_t in_file_ = 0;  // the last group in this file so far, or before it
  std::uint64_t sequence_;
  std::uint64_t synced_ = 0;
};

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_LOG_FOLLOWER_H_
