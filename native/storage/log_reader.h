// Reads single groups of a log again, by where they lie.
//
// Checks both checksums, and that the frame there is the one of that sequence: anything else is
// kCorruption. Cost: one read. Files stay open between reads until Forget.
//
// Threads: any.

#ifndef DENTATE_STORAGE_LOG_READER_H_
#define DENTATE_STORAGE_LOG_READER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/env.h"
#include "storage/log.h"
#include "storage/log_format.h"

namespace dentate::storage {

class LogReader {
 public:
  static Status Create(Env& env, std::string directory, std::string_view store_id,
                       std::unique_ptr<LogReader>& reader);

  // REQUIRES: the log's durable() has reached position.sequence, or a LogFollower found it.
  Status Read(const LogPosition& position, std::vector<std::uint8_t>& group) const;
  // Closes the files below this number.
  void Forget(std::uint64_t below_file);

 private:
  LogReader(Env& env, std::string directory, const LogFileId& id)
      : env_(env), directory_(std::move(directory)), id_(id) {}

  Status Find(std::uint64_t file, std::shared_ptr<const ReadableFile>& found) const;

  Env& env_;
  std::string directory_;
  LogFileId id_;  // its file number means nothing
  mutable std::mutex mutex_;
  mutable std::map<std::uint64_t, std::shared_ptr<const ReadableFile>> files_;
};

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_LOG_READER_H_
