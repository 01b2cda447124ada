// Any bytes as a segment: as they are; with the checksums of header, directory and trailer put
// right, so that what they protect is reached; and as edits of a segment that has every kind of
// row, three bytes each (place, value). Refused, or opened and read to the last blob.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../native/storage/memory_file.h"
#include "../native/storage/temporary_directory.h"
#include "core/crc32c.h"
#include "storage/segment.h"
#include "storage/segment_format.h"

namespace {

using dentate::ErrorCode;
using dentate::storage::Bytes;
using dentate::storage::MemoryFile;
using dentate::storage::Segment;
using dentate::storage::SegmentHeader;
using dentate::storage::SegmentRow;
using dentate::storage::SegmentTrailer;

void Read(const std::vector<std::uint8_t>& bytes) {
  std::shared_ptr<const Segment> segment;
  const auto status =
      Segment::Open(std::make_shared<MemoryFile>(bytes), "store/segment-x.seg", segment);
  if (!status.ok()) {
    if (status.code() != ErrorCode::kCorruption && status.code() != ErrorCode::kVersion) {
      std::abort();
    }
    return;
  }
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < segment->blob_count(); ++i) {
    Bytes blob;
    if (segment->Blob(i, blob).ok()) {
      for (const std::uint8_t byte : blob) sum += byte;
    }
    std::size_t first = 0;
    std::size_t last = 0;
    segment->Find(segment->Key(i), first, last);
    if (i < first || i >= last) std::abort();
    if (segment->Info(i).key != segment->Key(i)) std::abort();
  }
  static_cast<void>(segment->Verify());
  if (sum == UINT32_MAX) std::abort();  // no input is as long: so that the bytes are really read
}

void FixChecksums(std::vector<std::uint8_t>& bytes) {
  if (bytes.size() < sizeof(SegmentHeader) + sizeof(SegmentTrailer)) return;
  const std::span<std::uint8_t> all(bytes);
  SegmentHeader header;
  std::memcpy(&header, all.data(), sizeof header);
  header.magic = SegmentHeader::kMagic;
  header.version = std::min(header.version, dentate::storage::kSegmentVersion);
  header.zero = 0;
  header.reserved = {};
  std::memcpy(all.data(), &header, sizeof header);
  header.checksum = dentate::Crc32c(all.first(offsetof(SegmentHeader, checksum)));
  std::memcpy(all.data(), &header, sizeof header);

  const auto end = all.last(sizeof(SegmentTrailer));
  SegmentTrailer trailer;
  std::memcpy(&trailer, end.data(), sizeof trailer);
  trailer.file_length = bytes.size();
  trailer.reserved = {};
  const std::uint64_t rows = std::uint64_t{trailer.row_count} * sizeof(SegmentRow);
  if (trailer.rows_offset <= bytes.size() && rows <= bytes.size() - trailer.rows_offset &&
      trailer.keys_length <= bytes.size() - trailer.rows_offset - rows) {
    trailer.directory_checksum =
        dentate::Crc32c(all.subspan(trailer.rows_offset, rows + trailer.keys_length));
  }
  std::memcpy(end.data(), &trailer, sizeof trailer);
  trailer.checksum = dentate::Crc32c(end.first(offsetof(SegmentTrailer, checksum)));
  std::memcpy(end.data(), &trailer, sizeof trailer);
}

std::vector<std::uint8_t> MakeSegment() {
  const dentate::storage::TemporaryDirectory directory;
  dentate::storage::Env& env = dentate::storage::SystemEnv();
  std::unique_ptr<dentate::storage::SegmentWriter> writer;
  auto status = dentate::storage::SegmentWriter::Create(env, directory.path(), 1, 9, writer);
  const auto add = [&](const char* key, std::uint64_t incarnation, bool dropped,
                       std::uint32_t first, std::size_t size) {
    dentate::storage::BlobInfo info;
    info.key = key;
    info.incarnation = incarnation;
    info.dropped = dropped;
    info.first_entry = first;
    info.entry_count = 5;
    if (status.ok()) status = writer->Add(info, std::vector<std::uint8_t>(size, 1));
  };
  add("a", 1, false, 0, 100);
  add("a", 1, false, 5, 0);
  add("bb", 2, true, 0, 0);
  add("bb", 3, false, 0, 64);
  add("bbb", 4, false, 0, 1);
  std::string name;
  std::uint64_t length = 0;
  std::vector<std::uint8_t> bytes;
  if (status.ok()) status = writer->Finish(name, length);
  if (status.ok()) status = env.ReadFile(directory / name, bytes);
  if (!status.ok()) std::abort();
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  Read(bytes);
  bytes.resize(size / 64 * 64);
  FixChecksums(bytes);
  Read(bytes);

  static const std::vector<std::uint8_t> kSegment = MakeSegment();
  std::vector<std::uint8_t> edited = kSegment;
  for (std::size_t i = 0; i + 3 <= size; i += 3) {
    edited[(data[i] + std::size_t{256} * data[i + 1]) % edited.size()] = data[i + 2];
  }
  Read(edited);
  FixChecksums(edited);
  Read(edited);
  return 0;
}
