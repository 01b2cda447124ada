#include "storage/log_reader.h"

#include "core/crc32c.h"

namespace dentate::storage {

Status LogReader::Create(Env& env, std::string directory, std::string_view store_id,
                         std::unique_ptr<LogReader>& reader) {
  LogFileId id;
  if (Status status = MakeLogFileId(store_id, 0, id); !status.ok()) return status;
  reader.reset(new LogReader(env, std::move(directory), id));
  return Status::Ok();
}

Status LogReader::Read(const LogPosition& position, std::vector<std::uint8_t>& group) const {
  std::shared_ptr<const ReadableFile> file;
  if (Status status = Find(position.file, file); !status.ok()) return status;
  LogFileId id = id_;
  id.file = position.file;
  const std::uint64_t offset = position.offset - kFrameHeaderBytes;
  std::vector<std::uint8_t> frame(kFrameHeaderBytes + position.length);
  std::size_t read = 0;
  if (Status status = file->ReadAt(offset, frame, read); !status.ok()) return status;
  FrameHeader header;
  const Bytes payload = Bytes(frame).subspan(kFrameHeaderBytes);
  if (read != frame.size() || !DecodeFrameHeader(frame, id.FrameSeed(), header) ||
      header.kind != kGroupFrame || header.sequence != position.sequence ||
      header.length != position.length || Crc32c(payload) != header.payload_checksum) {
    return Status::Damage(LogFilePath(directory_, position.file), offset,
                          "group " + std::to_string(position.sequence) + " is damaged");
  }
  frame.erase(frame.begin(), frame.begin() + kFrameHeaderBytes);
  group = std::move(frame);
  return Status::Ok();
}

Status LogReader::Find(std::uint64_t file, std::shared_ptr<const ReadableFile>& found) const {
  const std::lock_guard lock(mutex_);
  const auto known = files_.find(file);
  if (known != files_.end()) {
    found = known->second;
    return Status::Ok();
  }
  std::unique_ptr<ReadableFile> opened;
  if (Status status = env_.NewReadableFile(LogFilePath(directory_, file), opened); !status.ok()) {
    return status;
  }
  found = std::move(opened);
  files_.emplace(file, found);
  return Status::Ok();
}

void LogReader::Forget(std::uint64_t below_file) {
  const std::lock_guard lock(mutex_);
  files_.erase(files_.begin(), files_.lower_bound(below_file));
}

}  // namespace dentate::storage
