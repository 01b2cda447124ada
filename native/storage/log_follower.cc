#include "storage/log_follower.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

namespace dentate::storage {

Status LogFollower::Create(Env& env, std::string directory, std::string_view store_id,
                           std::uint64_t first_file, std::uint64_t after,
                           std::unique_ptr<LogFollower>& follower) {
  LogFileId id;
  if (Status status = MakeLogFileId(store_id, first_file, id); !status.ok()) return status;
  follower = std::make_unique<LogFollower>(env, std::move(directory), id, first_file, after);
  return Status::Ok();
}

Status LogFollower::Poll(const LogVisitor& visit, bool& vanished) {
  bool again = false;
  for (;;) {
    const std::uint64_t offset = offset_;
    LogHeader next;
    bool had_next = false;
    if (Status status = ReadNextHeader(next, had_next); !status.ok()) return status;
    const std::uint64_t limit =
        had_next ? next.recovered_through : std::numeric_limits<std::uint64_t>::max();
    if (Status status = ReadFile(limit, visit, vanished); !status.ok() || vanished) return status;
    if (offset_ == 0) return Status::Ok();
    bool has_next = had_next;
    if (!had_next) {
      if (Status status = ReadNextHeader(next, has_next); !status.ok()) return status;
    }
    if (!has_next) return Status::Ok();
    if (next.first_sequence <= sequence_ + 1) {
      ++id_.file;
      offset_ = 0;
      again = false;
      continue;
    }
    // The next file has a header: this one was complete when we saw it, though perhaps not before.
    if (again && offset_ == offset) {
      return Status::Damage(LogFilePath(directory_, id_.file), offset_,
                            "group " + std::to_string(sequence_ + 1) + " is damaged");
    }
    again = true;
  }
}

Status LogFollower::ReadFile(std::uint64_t limit, const LogVisitor& visit, bool& vanished) {
  vanished = false;
  std::unique_ptr<LogFileReader> reader;
  if (Status status = LogFileReader::Open(env_, directory_, id_, reader); !status.ok()) {
    vanished = status.os_error() == ENOENT;
    return vanished ? Status::Ok() : status;
  }
  if (offset_ == 0) {
    LogHeader header;
    bool valid = false;
    if (Status status = reader->ReadHeader(header, valid); !status.ok()) return status;
    if (!valid) return Status::Ok();
    if (header.first_sequence > sequence_ + 1) {
      return Status::Damage(reader->path(), 0,
                            "begins with group " + std::to_string(header.first_sequence) +
                                ", expected " + std::to_string(sequence_ + 1));
    }
    in_file_ = header.first_sequence - 1;
    synced_ = std::max(synced_, in_file_);
    offset_ = kLogHeaderBytes;
  }
  return ReadFrames(*reader, limit, visit);
}

Status LogFollower::ReadFrames(LogFileReader& reader, std::uint64_t limit,
                               const LogVisitor& visit) {
  for (;;) {
    FrameHeader header;
    Bytes group;
    bool valid = false;
    if (Status status = reader.ReadFrame(offset_, in_file_, header, group, valid); !status.ok()) {
      return status;
    }
    if (!valid || header.sequence > limit) return Status::Ok();
    synced_ = std::max(synced_, header.synced_through);
    if (header.kind == kGroupFrame && header.sequence > sequence_) {
      const LogPosition position{header.sequence, id_.file, offset_ + kFrameHeaderBytes,
                                 header.length};
      if (Status status = visit(position, group); !status.ok()) return status;
      sequence_ = header.sequence;
    }
    in_file_ = header.sequence;
    offset_ += kFrameHeaderBytes + header.length;
  }
}

Status LogFollower::ReadNextHeader(LogHeader& header, bool& valid) {
  LogFileId next = id_;
  ++next.file;
  std::unique_ptr<LogFileReader> reader;
  if (Status status = LogFileReader::Open(env_, directory_, next, reader); !status.ok()) {
    valid = false;
    return status.os_error() == ENOENT ? Status::Ok() : status;
  }
  return reader->ReadHeader(header, valid);
}

}  // namespace dentate::storage
