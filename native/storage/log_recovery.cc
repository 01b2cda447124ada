#include "storage/log_recovery.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "storage/log_file_reader.h"
#include "storage/log_format.h"

namespace dentate::storage {
namespace {

// The number of the last file. Rule 1.
Status FindLastFile(Env& env, const std::string& directory, std::uint64_t first_file,
                    std::uint64_t& last_file) {
  std::vector<std::string> names;
  if (Status status = env.ListDirectory(directory, names); !status.ok()) return status;
  std::uint64_t expected = first_file;
  bool hole = false;
  for (const std::string& name : names) {  // sorted, so by number
    std::uint64_t file = 0;
    if (!ParseLogFileName(name, file) || file < first_file) continue;
    if (file != expected) {
      hole = true;
      break;
    }
    last_file = expected++;
  }
  if (hole || expected == first_file) {
    return Status::Damage(LogFilePath(directory, expected), 0, "is missing");
  }
  return Status::Ok();
}

// What lies from `offset` on, where reading ended; or in a file behind that one.
Status ReadRest(Env& env, const std::string& directory, const LogFileId& id, std::uint64_t offset,
                LogRest& rest) {
  std::unique_ptr<LogFileReader> reader;
  if (Status status = LogFileReader::Open(env, directory, id, reader); !status.ok()) return status;
  return reader->ReadRest(offset, rest);
}

Status HasHeader(Env& env, const std::string& directory, const LogFileId& id, bool& has_header) {
  std::unique_ptr<LogFileReader> reader;
  if (Status status = LogFileReader::Open(env, directory, id, reader); !status.ok()) return status;
  LogHeader header;
  return reader->ReadHeader(header, has_header);
}

// Rule 3, for a file behind the one where reading ended.
Status IsDamage(Env& env, const std::string& directory, const LogFileId& id, bool& damaged) {
  if (Status status = HasHeader(env, directory, id, damaged); !status.ok() || damaged) {
    return status;
  }
  LogRest rest;
  Status status = ReadRest(env, directory, id, 0, rest);
  damaged = rest.has_frame;
  return status;
}

Status Recover(Env& env, const std::string& directory, const LogFileId& store,
               std::uint64_t first_file, LogFollower& follower, const LogVisitor& visit,
               LogTail& tail) {
  std::uint64_t last_file = 0;
  if (Status status = FindLastFile(env, directory, first_file, last_file); !status.ok()) {
    return status;
  }
  LogFileId id = store;
  LogRest rest;
  // What is written while we read looks like damage, until it is read again.
  for (std::uint64_t file = 0, offset = 0;;) {
    bool vanished = false;
    if (Status status = follower.Poll(visit, vanished); !status.ok()) return status;
    id.file = follower.file();
    const std::string path = LogFilePath(directory, id.file);
    if (vanished) return Status::Damage(path, 0, "is missing");
    if (Status status = ReadRest(env, directory, id, follower.offset(), rest); !status.ok()) {
      return status;
    }
    bool damaged = rest.newest > follower.sequence() || id.file + 1 < last_file;
    if (follower.offset() == 0) damaged = damaged || rest.has_frame || id.file < last_file;
    if (!damaged && id.file < last_file) {
      ++id.file;
      if (Status status = IsDamage(env, directory, id, damaged); !status.ok()) return status;
    }
    if (!damaged) break;
    if (file == follower.file() && offset == follower.offset()) {
      return Status::Damage(path, offset,
                            "group " + std::to_string(follower.sequence() + 1) + " is damaged");
    }
    file = follower.file();
    offset = follower.offset();
  }

  tail.sequence = follower.sequence();
  tail.file = follower.file();
  tail.offset = follower.offset();
  tail.torn = !rest.zero;
  last_file = std::max(last_file, tail.file);
  const bool without_groups = tail.offset == 0 || (tail.offset == kLogHeaderBytes && !tail.torn);
  tail.next_file = last_file > tail.file || without_groups ? last_file : last_file + 1;
  return Status::Ok();
}

}  // namespace

Status RecoverLog(Env& env, const std::string& directory, std::string_view store_id,
                  std::uint64_t first_file, std::uint64_t after, const LogVisitor& visit,
                  LogTail& tail) {
  LogFileId id;
  if (Status status = MakeLogFileId(store_id, 0, id); !status.ok()) return status;
  LogFollower follower(env, directory, id, first_file, after);
  return Recover(env, directory, id, first_file, follower, visit, tail);
}

Status RecoverLog(Env& env, const std::string& directory, std::string_view store_id,
                  std::uint64_t first_file, LogFollower& follower, const LogVisitor& visit,
                  LogTail& tail) {
  LogFileId id;
  if (Status status = MakeLogFileId(store_id, 0, id); !status.ok()) return status;
  return Recover(env, directory, id, first_file, follower, visit, tail);
}

Status RecoverLogToWrite(Env& env, const std::string& directory, std::string_view store_id,
                         std::uint64_t first_file, std::uint64_t after, const LogVisitor& visit,
                         LogTail& tail, std::deque<UnvouchedGroup>& unvouched) {
  LogFileId id;
  if (Status status = MakeLogFileId(store_id, 0, id); !status.ok()) return status;
  LogFollower follower(env, directory, id, first_file, after);
  const auto release = [&] {
    while (!unvouched.empty() && unvouched.front().position.sequence <= follower.synced_through()) {
      const UnvouchedGroup& group = unvouched.front();
      if (Status status = visit(group.position, group.bytes); !status.ok()) return status;
      unvouched.pop_front();
    }
    return Status::Ok();
  };
  const auto hold = [&](const LogPosition& position, Bytes group) {
    if (Status status = release(); !status.ok()) return status;
    unvouched.push_back({position, {group.begin(), group.end()}});
    return Status::Ok();
  };
  if (Status status = Recover(env, directory, id, first_file, follower, hold, tail); !status.ok()) {
    return status;
  }
  return release();
}

Status CreateEmptyLogFile(Env& env, const std::string& directory, std::string_view store_id,
                          std::uint64_t file, std::uint64_t first_sequence) {
  LogFileId id;
  if (Status status = MakeLogFileId(store_id, file, id); !status.ok()) return status;
  std::unique_ptr<WritableFile> log;
  if (Status status = env.NewWritableFile(LogFilePath(directory, file), log); !status.ok()) {
    return status;
  }
  if (Status status = log->Append(EncodeLogHeader(id, {first_sequence, first_sequence - 1}));
      !status.ok())
    return status;
  if (Status status = log->Sync(); !status.ok()) return status;
  if (Status status = log->Close(); !status.ok()) return status;
  return env.SyncDirectory(directory);
}

}  // namespace dentate::storage
