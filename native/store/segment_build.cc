#include "store/segment_build.h"

#include <cstdint>
#include <vector>

namespace dentate::store {

Status SegmentBuild::AddPart(std::string_view bank, std::uint64_t incarnation,
                             const bank::BuiltPart& part) {
  storage::BlobInfo info;
  info.key = bank;
  info.incarnation = incarnation;
  info.first_entry = part.first_entry;
  info.entry_count = part.entry_count;
  info.token_count = part.token_count;
  return Add(info, part.image);
}

Status SegmentBuild::AddChunks(std::string_view bank, std::uint64_t incarnation,
                               const bank::ChunkRows& chunks) {
  storage::BlobInfo info;
  info.key = bank;
  info.incarnation = incarnation;
  info.chunks = true;
  std::vector<std::uint8_t> bytes;
  bank::EncodeChunkBlob(chunks, bytes);
  return Add(info, bytes);
}

Status SegmentBuild::AddDrop(std::string_view bank, std::uint64_t incarnation) {
  storage::BlobInfo info;
  info.key = bank;
  info.incarnation = incarnation;
  info.dropped = true;
  return Add(info, {});
}

Status SegmentBuild::Copy(const storage::Segment& segment, std::size_t index,
                          std::uint64_t incarnation) {
  storage::Bytes blob;
  Status status = segment.Blob(index, blob);
  if (!status.ok()) return status;
  storage::BlobInfo info = segment.Info(index);
  if (incarnation != 0) info.incarnation = incarnation;
  return Add(info, blob);
}

Status SegmentBuild::Add(const storage::BlobInfo& info, storage::Bytes blob) {
  if (writer_ == nullptr) {
    Status status =
        storage::SegmentWriter::Create(env_, directory_, first_sequence_, last_sequence_, writer_);
    if (!status.ok()) return status;
  }
  Status status = writer_->Add(info, blob);
  if (status.ok()) ++size_;
  return status;
}

Status SegmentBuild::Finish(std::optional<storage::SegmentEntry>& entry) {
  entry.reset();
  if (writer_ == nullptr) return Status::Ok();
  storage::SegmentEntry finished;
  Status status = writer_->Finish(finished.name, finished.length);
  if (!status.ok()) return status;
  finished.first_sequence = first_sequence_;
  finished.last_sequence = last_sequence_;
  entry = std::move(finished);
  return status;
}

}  // namespace dentate::store
