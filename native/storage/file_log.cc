#include "storage/file_log.h"

#include <algorithm>
#include <utility>

#include "core/crc32c.h"

namespace dentate::storage {
Status FileLog::Open(Env& env, const std::string& directory, std::string_view store_id,
                     std::uint64_t first_file, std::uint64_t after, const LogOptions& options,
                     const LogVisitor& visit, Listener listener, std::unique_ptr<FileLog>& log) {
  LogTail tail;
  std::deque<UnvouchedGroup> unvouched;
  if (Status status =
          RecoverLogToWrite(env, directory, store_id, first_file, after, visit, tail, unvouched);
      !status.ok()) {
    return status;
  }
  LogFileId id;
  if (Status status = MakeLogFileId(store_id, tail.next_file, id); !status.ok()) return status;
  std::unique_ptr<FileLog> opened(new FileLog(
      env, directory, id, options, tail.sequence - unvouched.size(), std::move(listener)));
  if (Status status = opened->Begin(visit, unvouched); !status.ok()) return status;
  if (!options.inline_commit) opened->thread_ = std::thread([raw = opened.get()] { raw->Run(); });
  log = std::move(opened);
  return Status::Ok();
}

Status FileLog::Begin(const LogVisitor& visit, const std::deque<UnvouchedGroup>& unvouched) {
  if (Status status = MakeFile(id_.file, file_); !status.ok()) return status;
  if (Status status =
          file_->Append(EncodeLogHeader(id_, {sequence_ + 1, sequence_ + unvouched.size()}));
      !status.ok()) {
    return status;
  }
  if (Status status = file_->Sync(); !status.ok()) return status;
  if (unvouched.empty()) return Status::Ok();
  for (const UnvouchedGroup& group : unvouched) {
    LogPosition position;
    Take(Frame(group.bytes), group.bytes, position);
    if (Status status = visit(position, group.bytes); !status.ok()) return status;
  }
  if (Status status = MakeRoom(end_); !status.ok()) return status;
  if (Status status = file_->Append(gathered_); !status.ok()) return status;
  if (Status status = file_->Sync(); !status.ok()) return status;
  Frames().swap(gathered_);
  durable_ = written_ = synced_ = sequence_;
  return Status::Ok();
}

FileLog::FileLog(Env& env, std::string directory, const LogFileId& id, const LogOptions& options,
                 std::uint64_t sequence, Listener listener)
    : env_(env),
      directory_(std::move(directory)),
      options_(options),
      listener_(std::move(listener)),
      sequence_(sequence),
      durable_(sequence),
      id_(id),
      written_(sequence),
      synced_(sequence),
      last_sync_(env.NowMilliseconds()),
      room_(options.room_bytes) {}

FileLog::~FileLog() {
  {
    Lock lock(mutex_);
    stop_ = true;
    flush_through_ = sequence_;
    if (options_.inline_commit && HasWork()) Commit(lock);
  }
  work_.notify_all();
  if (thread_.joinable()) thread_.join();
  Close();
}

void FileLog::Close() {
  if (prepared_ != nullptr) {
    prepared_.reset();
    // Left there it would mean nothing.
    static_cast<void>(env_.Remove(LogFilePath(directory_, id_.file + 1)));
  }
  if (file_ == nullptr) return;
  if (broken_.ok() && end_ > kLogHeaderBytes) {
    FrameHeader mark;
    mark.kind = kMarkFrame;
    mark.sequence = mark.synced_through = sequence_;
    // Not synced: where it is lost, it is missed by nobody.
    static_cast<void>(file_->Append(EncodeFrameHeader(id_.FrameSeed(), mark)));
  }
  static_cast<void>(file_->Close());
}

Status FileLog::MakeFile(std::uint64_t number, std::unique_ptr<WritableFile>& file) {
  // Where a step fails an empty file is left, at most, which means nothing. It may have been
  // the first file, which must not be missing: so it is not removed.
  std::unique_ptr<WritableFile> made;
  if (Status status = env_.NewWritableFile(LogFilePath(directory_, number), made); !status.ok()) {
    return status;
  }
  if (Status status = made->Reserve(options_.room_bytes); !status.ok()) return status;
  if (Status status = made->Sync(); !status.ok()) return status;
  if (Status status = env_.SyncDirectory(directory_); !status.ok()) return status;
  file = std::move(made);
  return Status::Ok();
}

Status FileLog::MakeRoom(std::uint64_t size) {
  const std::lock_guard room(room_mutex_);
  if (size <= room_) return Status::Ok();
  const std::uint64_t wanted =
      (size + options_.room_bytes - 1) / options_.room_bytes * options_.room_bytes;
  if (Status status = file_->Reserve(wanted); !status.ok()) return status;
  room_ = wanted;
  return Status::Ok();
}

Status FileLog::Append(Bytes group, LogPosition& position) {
  if (group.size() > kMaxGroupBytes) {
    return {ErrorCode::kOutOfMemory, "log group of " + std::to_string(group.size()) +
                                         " bytes, more than " + std::to_string(kMaxGroupBytes)};
  }
  {
    const Lock lock(mutex_);
    if (!broken_.ok()) return broken_;
  }
  const std::size_t size = kFrameHeaderBytes + group.size();
  if (Status status = MakeRoom(end_ + size); !status.ok()) return status;
  const FrameHeader header = Frame(group);

  Lock lock(mutex_);
  done_.wait(lock, [&] {
    return gathered_.empty() || gathered_.size() + size <= kBufferBytes || !broken_.ok();
  });
  if (!broken_.ok()) return broken_;
  Take(header, group, position);
  if (options_.inline_commit) {
    Commit(lock);
  } else if (gathered_.size() == size) {
    lock.unlock();
    work_.notify_one();
  }
  return Status::Ok();
}

FrameHeader FileLog::Frame(Bytes group) const {
  FrameHeader header;
  header.payload_checksum = Crc32c(group);
  header.length = static_cast<std::uint32_t>(group.size());
  header.sequence = sequence_ + 1;
  return header;
}

void FileLog::Take(FrameHeader header, Bytes group, LogPosition& position) {
  const std::size_t size = gathered_.size() + kFrameHeaderBytes + group.size();
  // All memory first, so that running out of it leaves no frame in part.
  if (size > gathered_.capacity()) gathered_.reserve(std::max(size, 2 * gathered_.capacity()));
  header.synced_through = synced_;
  const FrameHeaderBytes bytes = EncodeFrameHeader(id_.FrameSeed(), header);
  gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
  gathered_.insert(gathered_.end(), group.begin(), group.end());
  position = LogPosition{header.sequence, id_.file, end_ + kFrameHeaderBytes, header.length};
  sequence_ = header.sequence;
  end_ += kFrameHeaderBytes + group.size();
}

Status FileLog::PrepareRotate() {
  const std::lock_guard one(prepare_mutex_);
  Lock lock(mutex_);
  done_.wait(lock, [&] { return !rotating_ || !broken_.ok(); });
  if (!broken_.ok()) return broken_;
  if (prepared_ != nullptr) return Status::Ok();
  // Only Rotate changes the number, and not before there is a prepared file.
  const std::uint64_t number = id_.file + 1;
  lock.unlock();
  std::unique_ptr<WritableFile> file;
  if (Status status = MakeFile(number, file); !status.ok()) return status;
  lock.lock();
  prepared_ = std::move(file);
  return Status::Ok();
}

Status FileLog::Rotate(std::uint64_t& file) {
  Lock lock(mutex_);
  if (prepared_ == nullptr) {
    lock.unlock();
    if (Status status = PrepareRotate(); !status.ok()) return status;
    lock.lock();
  }
  if (!broken_.ok()) return broken_;
  auto ended = std::make_unique<Ended>();
  {
    const std::lock_guard room(room_mutex_);
    ended->file = std::move(file_);
    file_ = std::move(prepared_);
    room_ = options_.room_bytes;
  }
  ended->frames.swap(gathered_);
  ended->through = sequence_;
  ended_ = std::move(ended);
  rotating_ = true;
  file = ++id_.file;
  end_ = kLogHeaderBytes;
  if (options_.inline_commit) {
    Commit(lock);
  } else {
    lock.unlock();
    work_.notify_one();
  }
  return Status::Ok();
}

Status FileLog::Flush() {
  Lock lock(mutex_);
  const std::uint64_t through = sequence_;
  flush_through_ = std::max(flush_through_, through);
  if (options_.inline_commit) {
    if (HasWork()) Commit(lock);
  } else {
    work_.notify_one();
    done_.wait(lock, [&] { return (synced_ >= through && !rotating_) || !broken_.ok(); });
  }
  return broken_;
}

}  // namespace dentate::storage
