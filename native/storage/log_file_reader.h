// Reads one log file from front to back, through a window, and checks what it reads.
//
// The file may grow meanwhile, written by another process: what does not lie there whole yet is not
// valid yet, and is looked at again when asked again. Nothing is mapped, since a file that is cut
// shorter (Close gives back the room that was reserved) would fault.
//
// Threads: one.

#ifndef DENTATE_STORAGE_LOG_FILE_READER_H_
#define DENTATE_STORAGE_LOG_FILE_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/env.h"
#include "storage/log_format.h"

namespace dentate::storage {

// What lies behind the last valid frame.
struct LogRest {
  bool zero = true;          // nothing but zeros, if anything
  bool has_frame = false;    // a frame header whose checksum matches
  std::uint64_t newest = 0;  // highest synced_through of those
};

class LogFileReader {
 public:
  // kIo with ENOENT where there is no such file.
  static Status Open(Env& env, const std::string& directory, const LogFileId& id,
                     std::unique_ptr<LogFileReader>& reader);

  const std::string& path() const noexcept { return path_; }

  Status ReadHeader(LogHeader& header, bool& valid);
  // `payload` is a view until the next call. REQUIRES: `offset` is where a frame begins, or may.
  // `sequence` is that of the group before it; says whether the frame is valid as log_format.h has
  // it.
  Status ReadFrame(std::uint64_t offset, std::uint64_t sequence, FrameHeader& header,
                   Bytes& payload, bool& valid);
  // Looks at every byte from `offset` on. O(bytes).
  Status ReadRest(std::uint64_t offset, LogRest& rest);

 private:
  LogFileReader(std::string path, const LogFileId& id, std::unique_ptr<ReadableFile> file)
      : path_(std::move(path)), id_(id), seed_(id.FrameSeed()), file_(std::move(file)) {}

  // [offset, offset + count) of the file, or fewer bytes where it ends before.
  Status Fetch(std::uint64_t offset, std::size_t count, Bytes& bytes);

  std::string path_;
  LogFileId id_;
  std::uint32_t seed_;
  std::unique_ptr<ReadableFile> file_;
  std::vector<std::uint8_t> window_;
  std::uint64_t window_offset_ = 0;
  std::size_t window_size_ = 0;
};

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_LOG_FILE_READER_H_
