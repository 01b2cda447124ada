// Reads the groups of a log in order, across its files, for as long as it grows: recovery reads to
// the end once, a reader in another process polls.
//
// Hands over whole valid groups only, each once, in the order of their sequences. Where none
// follows, Poll returns; the next one looks again. Files are opened anew each time, so that a file
// that has been replaced (an empty one, by the next writer) is seen. A file ends where the next
// one's header says so: "first sequence is the one expected" means that nothing more comes in the
// file before, whatever lies there: the next writer after a crash leaves a torn tail where it is.
//
// Cost of a Poll without news: two opens and two reads, about 15 us.
//
// Threads: one.

#ifndef DENTATE_STORAGE_LOG_FOLLOWER_H_
#define DENTATE_STORAGE_LOG_FOLLOWER_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

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

  // `vanished`: the file to read next is gone; what it held was sealed, as a newer manifest says.
  Status Poll(const LogVisitor& visit, bool& vanished);

  // The last group handed over, or `after`.
  std::uint64_t sequence() const noexcept { return std::max(sequence_, after_); }
  // Where the next frame is expected; offset 0 where the file has no valid header yet.
  std::uint64_t file() const noexcept { return id_.file; }
  std::uint64_t offset() const noexcept { return offset_; }

 private:
  LogFollower(Env& env, std::string directory, const LogFileId& id, std::uint64_t after)
      : env_(env), directory_(std::move(directory)), id_(id), after_(after) {}

  Status ReadFile(const LogVisitor& visit, bool& vanished);
  Status ReadFrames(LogFileReader& reader, const LogVisitor& visit);
  // Of the file after this one: where it begins, `valid` false where it does not exist yet.
  Status ReadNextHeader(std::uint64_t& first_sequence, bool& valid);

  Env& env_;
  std::string directory_;
  LogFileId id_;
  std::uint64_t after_;
  std::uint64_t offset_ = 0;
  std::uint64_t sequence_ = 0;  // of the last group read; 0 before the first header
};

// "file" at offset n: problem.
Status LogDamage(const std::string& path, std::uint64_t offset, const std::string& problem);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_LOG_FOLLOWER_H_
