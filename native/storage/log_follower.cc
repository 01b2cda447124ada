#include "storage/log_follower.h"

#include <cerrno>
#include <utility>

namespace dentate::storage {

Status LogDamage(const std::string& path, std::uint64_t offset, const std::string& problem) {
  return Status::Damage(path, offset, problem);
}

Status LogFollower::Create(Env& env, std::string directory, std::string_view store_id,
                           std::uint64_t first_file, std::uint64_t after,
                           std::unique_ptr<LogFollower>& follower) {
  LogFileId id;
  if (Status status = MakeLogFileId(store_id, first_file, id); !status.ok()) return status;
  follower.reset(new LogFollower(env, std::move(directory), id, after));
  return Status::Ok();
}

Status LogFollower::Poll(const LogVisitor& visit, bool& vanished) {
  bool again = false;
  for (;;) {
    const std::uint64_t offset = offset_;
    if (Status status = ReadFile(visit, vanished); !status.ok() || vanished) return status;
    if (offset_ == 0) return Status::Ok();
    std::uint64_t next_first = 0;
    bool has_next = false;
    if (Status status = ReadNextHeader(next_first, has_next); !status.ok()) return status;
    if (!has_next) return Status::Ok();
    if (next_first == sequence_ + 1) {
      ++id_.file;
      offset_ = 0;
      again = false;
      continue;
    }
    const std::string path = LogFilePath(directory_, id_.file);
    if (next_first <= sequence_) {
      return LogDamage(path, offset_,
                       "groups from " + std::to_string(next_first) + " on are in two files");
    }
    // The next file has a header, so that this one was complete when we saw it, but not before.
    if (again && offset_ == offset) {
      return LogDamage(path, offset_, "group " + std::to_string(sequence_ + 1) + " is damaged");
    }
    again = true;
  }
}

Status LogFollower::ReadFile(const LogVisitor& visit, bool& vanished) {
  vanished = false;
  std::unique_ptr<LogFileReader> reader;
  if (Status status = LogFileReader::Open(env_, directory_, id_, reader); !status.ok()) {
    vanished = status.os_error() == ENOENT;
    return vanished ? Status::Ok() : status;
  }
  if (offset_ == 0) {
    std::uint64_t first = 0;
    bool valid = false;
    if (Status status = reader->ReadHeader(first, valid); !status.ok()) return status;
    if (!valid) return Status::Ok();
    const std::uint64_t expected = sequence() + 1;
    // Only in the first file may there be groups that nobody asked for.
    if (sequence_ == 0 ? first > expected : first != expected) {
      return LogDamage(
          reader->path(), 0,
          "begins with group " + std::to_string(first) + ", expected " + std::to_string(expected));
    }
    sequence_ = first - 1;
    offset_ = kLogHeaderBytes;
  }
  return ReadFrames(*reader, visit);
}

Status LogFollower::ReadFrames(LogFileReader& reader, const LogVisitor& visit) {
  for (;;) {
    FrameHeader header;
    Bytes group;
    bool valid = false;
    if (Status status = reader.ReadFrame(offset_, sequence_, header, group, valid); !status.ok()) {
      return status;
    }
    if (!valid) return Status::Ok();
    if (header.kind == kGroupFrame && header.sequence > after_) {
      const LogPosition position{header.sequence, id_.file, offset_ + kFrameHeaderBytes,
                                 header.length};
      if (Status status = visit(position, group); !status.ok()) return status;
    }
    sequence_ = header.sequence;
    offset_ += kFrameHeaderBytes + header.length;
  }
}

Status LogFollower::ReadNextHeader(std::uint64_t& first_sequence, bool& valid) {
  LogFileId next = id_;
  ++next.file;
  std::unique_ptr<LogFileReader> reader;
  if (Status status = LogFileReader::Open(env_, directory_, next, reader); !status.ok()) {
    valid = false;
    return status.os_error() == ENOENT ? Status::Ok() : status;
  }
  return reader->ReadHeader(first_sequence, valid);
}

}  // namespace dentate::storage
