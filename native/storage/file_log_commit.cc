// The log thread's side: what is written and synced, in which order.
#include <algorithm>
#include <chrono>
#include <utility>

#include "storage/file_log.h"

namespace dentate::storage {
namespace {

// What is kept of a buffer between rounds.
constexpr std::size_t kSpareBytes = std::size_t{1} << 20;

}  // namespace

void FileLog::Run() {
  Lock lock(mutex_);
  for (;;) {
    while (!HasWork() && !stop_) {
      if (options_.durability == Durability::kInterval && written_ > synced_ && broken_.ok()) {
        work_.wait_for(lock, std::chrono::milliseconds(MillisecondsToSync()));
      } else {
        work_.wait(lock);
      }
    }
    if (!HasWork()) return;
    Commit(lock);
    lock.unlock();
    // Where this fails, Append will see for itself.
    static_cast<void>(MakeRoom(end_ + options_.room_bytes / 4));
    lock.lock();
  }
}

bool FileLog::HasWork() const {
  if (!broken_.ok()) return false;
  return !gathered_.empty() || ended_ != nullptr || (written_ > synced_ && SyncIsDue());
}

bool FileLog::SyncIsDue() const {
  return options_.durability == Durability::kSync || flush_through_ > synced_ ||
         (options_.durability == Durability::kInterval && MillisecondsToSync() == 0);
}

std::int64_t FileLog::MillisecondsToSync() const {
  const std::int64_t interval = options_.interval_milliseconds;
  const std::int64_t since = env_.NowMilliseconds() - last_sync_;
  return since < 0 || since >= interval ? 0 : interval - since;  // below 0: the clock was set back
}

void FileLog::Commit(Lock& lock) {
  Round round;
  round.ended = std::move(ended_);
  round.file = file_.get();
  round.id = id_;
  round.frames = std::exchange(gathered_, std::move(spare_));
  round.through = sequence_;
  round.sync = SyncIsDue();
  std::uint64_t synced = synced_;
  lock.unlock();
  done_.notify_all();  // an Append may wait for the buffer
  Status status = Write(round, synced);
  lock.lock();
  if (synced > synced_) last_sync_ = env_.NowMilliseconds();
  synced_ = synced;
  if (status.ok()) {
    written_ = round.through;
    if (round.ended != nullptr) rotating_ = false;
    round.frames.clear();
    if (round.frames.capacity() <= kSpareBytes) spare_ = std::move(round.frames);
  } else {
    broken_ = status;
    Frames().swap(gathered_);
  }
  const std::uint64_t durable =
      options_.durability == Durability::kSync || !status.ok() ? synced_ : written_;
  durable_ = std::max(durable_.load(), durable);
  lock.unlock();
  done_.notify_all();
  if (listener_) listener_(durable_, status);
  lock.lock();
}

Status FileLog::Write(Round& round, std::uint64_t& synced) {
  if (round.ended != nullptr) {
    Ended& ended = *round.ended;
    LogFileId id = round.id;
    --id.file;
    if (Status status = WriteFrames(*ended.file, id, ended.frames, synced); !status.ok()) {
      return status;
    }
    if (Status status = ended.file->Sync(); !status.ok()) return status;
    synced = ended.through;
    if (Status status = ended.file->Close(); !status.ok()) return status;
    // Vouches for all before it, so not earlier; before any frame, so that a file without a valid
    // header has none.
    if (Status status = round.file->Append(EncodeLogHeader(round.id, {synced + 1, synced}));
        !status.ok()) {
      return status;
    }
    if (Status status = round.file->Sync(); !status.ok()) return status;
  }
  if (Status status = WriteFrames(*round.file, round.id, round.frames, synced); !status.ok()) {
    return status;
  }
  if (round.sync && round.through > synced) {
    if (Status status = round.file->Sync(); !status.ok()) return status;
    synced = round.through;
  }
  return Status::Ok();
}

Status FileLog::WriteFrames(WritableFile& file, const LogFileId& id, Frames& frames,
                            std::uint64_t synced) {
  if (frames.empty()) return Status::Ok();
  // The first frame was made before the round before it was synced: it says so now.
  const std::uint32_t seed = id.FrameSeed();
  const std::span first = std::span(frames).first(kFrameHeaderBytes);
  FrameHeader header;
  if (!DecodeFrameHeader(first, seed, header)) {
    return {ErrorCode::kInternal, "a frame changed in memory before it was written"};
  }
  header.synced_through = synced;
  const FrameHeaderBytes bytes = EncodeFrameHeader(seed, header);
  std::copy(bytes.begin(), bytes.end(), first.begin());
  return file.Append(frames);
}

}  // namespace dentate::storage
