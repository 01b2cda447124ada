#include <array>
#include <cstring>
#include <utility>

#include "core/crc32c.h"
#include "storage/segment.h"
#include "storage/segment_format.h"
#include "storage/segment_name.h"
#include "storage/sha256.h"

namespace dentate::storage {
namespace {

// Small blobs are gathered, so that ten thousand of them are not as many calls of the system.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

template <typename T>
Bytes AsBytes(const T& value) noexcept {
  return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}

class Writer final : public SegmentWriter {
 public:
  Writer(Env& env, std::string directory, std::string temporary, std::unique_ptr<WritableFile> file)
      : env_(env),
        directory_(std::move(directory)),
        temporary_(std::move(temporary)),
        file_(std::move(file)) {
    buffer_.reserve(kBufferBytes);
  }

  ~Writer() override {
    file_.reset();
    // What cannot be removed now is garbage for the next opening.
    if (!finished_) static_cast<void>(env_.Remove(directory_ + "/" + temporary_));
  }

  Status Begin(std::uint64_t first_sequence, std::uint64_t last_sequence) {
    SegmentHeader header;
    header.first_sequence = first_sequence;
    header.last_sequence = last_sequence;
    header.checksum = Crc32c(AsBytes(header).first(offsetof(SegmentHeader, checksum)));
    return Put(AsBytes(header));
  }

  Status Add(BlobInfo info, Bytes blob) override {
    if (keys_.size() + info.key.size() > UINT32_MAX || rows_.size() == UINT32_MAX) {
      return Status(ErrorCode::kOutOfMemory, "segment: too many banks");
    }
    if (!InOrder(info)) {
      return Status(ErrorCode::kInternal, "segment: \"" + info.key + "\" is out of order");
    }
    SegmentRow row;
    row.incarnation = info.incarnation;
    row.flags = info.dropped ? kRowDropped : info.chunks ? kRowChunks : 0;
    if (!info.dropped) {
      if (Status status = Pad(); !status.ok()) return status;
      row.offset = size_;
      row.length = blob.size();
      row.token_count = info.token_count;
      row.dead_bytes = info.dead_bytes;
      row.checksum = Crc32c(blob);
      row.first_entry = info.first_entry;
      row.entry_count = info.entry_count;
      if (Status status = Put(blob); !status.ok()) return status;
    }
    if (rows_.empty() || info.key != last_key_) {
      row.key_offset = static_cast<std::uint32_t>(keys_.size());
      keys_.insert(keys_.end(), info.key.begin(), info.key.end());
    } else {
      row.key_offset = rows_.back().key_offset;
    }
    row.key_length = static_cast<std::uint32_t>(info.key.size());
    last_key_ = std::move(info.key);
    rows_.push_back(row);
    return Status::Ok();
  }

  Status Finish(std::string& name, std::uint64_t& length) override {
    if (Status status = PutDirectory(); !status.ok()) return status;
    if (Status status = Flush(); !status.ok()) return status;
    if (Status status = file_->Sync(); !status.ok()) return status;
    if (Status status = file_->Close(); !status.ok()) return status;
    std::string final_name = SegmentName(hash_.Finish());
    Status status = env_.Rename(directory_ + "/" + temporary_, directory_ + "/" + final_name);
    if (!status.ok()) return status;
    finished_ = true;
    name = std::move(final_name);
    length = size_;
    return Status::Ok();
  }

 private:
  bool InOrder(const BlobInfo& info) const noexcept {
    if (info.key.empty() || info.incarnation == 0) return false;
    if (rows_.empty()) return true;
    const SegmentRow& last = rows_.back();
    // Bytes compare unsigned: char_traits<char> does.
    if (info.key != last_key_) return info.key > last_key_;
    if (info.incarnation != last.incarnation) return info.incarnation > last.incarnation;
    return !info.dropped && last.flags == 0 &&
           (info.chunks || info.first_entry >= std::uint64_t{last.first_entry} + last.entry_count);
  }

  Status PutDirectory() {
    if (Status status = Pad(); !status.ok()) return status;
    SegmentTrailer trailer;
    trailer.rows_offset = size_;
    trailer.keys_length = keys_.size();
    trailer.row_count = static_cast<std::uint32_t>(rows_.size());
    const Bytes rows(reinterpret_cast<const std::uint8_t*>(rows_.data()),
                     rows_.size() * sizeof(SegmentRow));
    trailer.directory_checksum = ExtendCrc32c(Crc32c(rows), keys_);
    if (Status status = Put(rows); !status.ok()) return status;
    if (Status status = Put(keys_); !status.ok()) return status;
    if (Status status = Pad(); !status.ok()) return status;
    trailer.file_length = size_ + sizeof trailer;
    trailer.checksum = Crc32c(AsBytes(trailer).first(offsetof(SegmentTrailer, checksum)));
    return Put(AsBytes(trailer));
  }

  Status Pad() {
    static constexpr std::array<std::uint8_t, kSegmentAlignment> kZeros{};
    return Put(Bytes(kZeros).first(AlignSegmentOffset(size_) - size_));
  }

  Status Put(Bytes bytes) {
    hash_.Update(bytes);
    size_ += bytes.size();
    if (buffer_.size() + bytes.size() > kBufferBytes) {
      if (Status status = Flush(); !status.ok()) return status;
    }
    if (bytes.size() > kBufferBytes) return file_->Append(bytes);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return Status::Ok();
  }

  Status Flush() {
    if (buffer_.empty()) return Status::Ok();
    Status status = file_->Append(buffer_);
    buffer_.clear();
    return status;
  }

  Env& env_;
  std::string directory_, temporary_;
  std::unique_ptr<WritableFile> file_;
  bool finished_ = false;
  Sha256 hash_;
  std::uint64_t size_ = 0;  // what was put, in the buffer or in the file
  std::vector<std::uint8_t> buffer_;
  std::vector<SegmentRow> rows_;
  std::vector<std::uint8_t> keys_;
  std::string last_key_;
};

}  // namespace

Status SegmentWriter::Create(Env& env, const std::string& directory, std::uint64_t first_sequence,
                             std::uint64_t last_sequence, std::unique_ptr<SegmentWriter>& writer) {
  std::string temporary = SegmentTemporaryName(env);
  std::unique_ptr<WritableFile> file;
  Status made = env.NewWritableFile(directory + "/" + temporary, file);
  if (!made.ok()) return made;
  auto result = std::make_unique<Writer>(env, directory, std::move(temporary), std::move(file));
  if (Status status = result->Begin(first_sequence, last_sequence); !status.ok()) {
    return status;
  }
  writer = std::move(result);
  return Status::Ok();
}

}  // namespace dentate::storage
