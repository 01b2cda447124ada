#include "storage/log_file_reader.h"

#include <algorithm>
#include <cstring>

#include "core/crc32c.h"

namespace dentate::storage {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{256} << 10;

// How many zeros come first.
std::size_t LeadingZeros(Bytes bytes) {
  std::size_t zeros = 0;
  for (std::uint64_t word = 0; zeros + sizeof word <= bytes.size(); zeros += sizeof word) {
    std::memcpy(&word, bytes.data() + zeros, sizeof word);
    if (word != 0) break;
  }
  while (zeros < bytes.size() && bytes[zeros] == 0) ++zeros;
  return zeros;
}

}  // namespace

Status LogFileReader::Open(Env& env, const std::string& directory, const LogFileId& id,
                           std::unique_ptr<LogFileReader>& reader) {
  std::string path = LogFilePath(directory, id.file);
  std::unique_ptr<ReadableFile> file;
  if (Status status = env.NewReadableFile(path, file); !status.ok()) return status;
  reader.reset(new LogFileReader(std::move(path), id, std::move(file)));
  return Status::Ok();
}

Status LogFileReader::Fetch(std::uint64_t offset, std::size_t count, Bytes& bytes) {
  if (offset < window_offset_ || offset + count > window_offset_ + window_size_) {
    std::uint64_t file_size = 0;
    if (Status status = file_->Size(file_size); !status.ok()) return status;
    // Before anything of that size is allocated: a length that was read is no reason to believe in
    // it.
    const std::uint64_t left = file_size - std::min(offset, file_size);
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(std::max(count, kWindowBytes), left));
    if (window_.size() < wanted) window_.resize(wanted);
    window_offset_ = offset;
    window_size_ = 0;
    if (Status status = file_->ReadAt(offset, std::span(window_).first(wanted), window_size_);
        !status.ok()) {
      window_size_ = 0;
      return status;
    }
  }
  const auto start = static_cast<std::size_t>(offset - window_offset_);
  bytes = Bytes(window_).subspan(start, std::min(count, window_size_ - start));
  return Status::Ok();
}

Status LogFileReader::ReadHeader(LogHeader& header, bool& valid) {
  window_size_ = 0;  // what was not valid may have become so
  Bytes bytes;
  if (Status status = Fetch(0, kLogHeaderBytes, bytes); !status.ok()) return status;
  return DecodeLogHeader(bytes, id_, path_, header, valid);
}

Status LogFileReader::ReadFrame(std::uint64_t offset, std::uint64_t sequence, FrameHeader& header,
                                Bytes& payload, bool& valid) {
  valid = false;
  Bytes bytes;
  if (Status status = Fetch(offset, kFrameHeaderBytes, bytes); !status.ok()) return status;
  if (bytes.size() < kFrameHeaderBytes || !DecodeFrameHeader(bytes, seed_, header)) {
    return Status::Ok();
  }
  if (header.sequence != sequence + (header.kind == kGroupFrame ? 1 : 0)) return Status::Ok();
  if (Status status = Fetch(offset + kFrameHeaderBytes, header.length, payload); !status.ok()) {
    return status;
  }
  valid = payload.size() == header.length &&
          (header.kind == kMarkFrame || Crc32c(payload) == header.payload_checksum);
  return Status::Ok();
}

Status LogFileReader::ReadRest(std::uint64_t offset, LogRest& rest) {
  rest = LogRest{};
  window_size_ = 0;
  for (;;) {
    Bytes bytes;
    if (Status status = Fetch(offset, kWindowBytes, bytes); !status.ok()) return status;
    if (bytes.empty()) return Status::Ok();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      // A frame header has no 32 zeros, so that what was reserved is passed over in strides.
      if (bytes[i] == 0) {
        const std::size_t zeros = LeadingZeros(bytes.subspan(i));
        if (i + zeros == bytes.size()) break;
        if (zeros >= kFrameHeaderBytes) i += zeros - (kFrameHeaderBytes - 1);
      }
      rest.zero = false;
      FrameHeader header;
      if (i + kFrameHeaderBytes <= bytes.size() &&
          DecodeFrameHeader(bytes.subspan(i, kFrameHeaderBytes), seed_, header)) {
        rest.has_frame = true;
        rest.newest = std::max(rest.newest, header.synced_through);
      }
    }
    if (bytes.size() < kWindowBytes) return Status::Ok();
    // Again from where no whole header fitted any more.
    offset += bytes.size() - (kFrameHeaderBytes - 1);
  }
}

}  // namespace dentate::storage
