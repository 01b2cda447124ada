#include "storage/segment.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "core/crc32c.h"
#include "storage/segment_format.h"
#include "storage/segment_name.h"
#include "storage/sha256.h"

namespace dentate::storage {
namespace {

Status WrongChecksum(const std::string& path, std::uint64_t offset, const std::string& what) {
  return Status::Damage(path, offset, what + " does not match its checksum");
}

template <typename T>
bool AllZero(const T& values) noexcept {
  return std::all_of(values.begin(), values.end(), [](auto value) { return value == 0; });
}

std::string BaseName(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

class MappedSegment final : public Segment {
 public:
  MappedSegment(std::shared_ptr<const MappedFile> file, const std::string& path)
      : file_(std::move(file)), bytes_(file_->bytes()), path_(path), name_(BaseName(path)) {}

  Status Check() {
    if (Status status = CheckHeader(); !status.ok()) return status;
    if (Status status = CheckTrailer(); !status.ok()) return status;
    if (Status status = CheckRows(); !status.ok()) return status;
    verified_ = std::vector<std::atomic<std::uint64_t>>((trailer_.row_count + 63) / 64);
    return Status::Ok();
  }

  const std::string& name() const noexcept override { return name_; }
  std::uint64_t length() const noexcept override { return bytes_.size(); }
  std::uint64_t first_sequence() const noexcept override { return header_.first_sequence; }
  std::uint64_t last_sequence() const noexcept override { return header_.last_sequence; }
  std::size_t blob_count() const noexcept override { return trailer_.row_count; }

  std::string_view Key(std::size_t index) const noexcept override {
    const SegmentRow& row = rows_[index];
    return {keys_ + row.key_offset, row.key_length};
  }

  BlobInfo Info(std::size_t index) const override {
    const SegmentRow& row = rows_[index];
    BlobInfo info;
    info.key = Key(index);
    info.incarnation = row.incarnation;
    info.dropped = (row.flags & kRowDropped) != 0;
    info.chunks = (row.flags & kRowChunks) != 0;
    info.first_entry = row.first_entry;
    info.entry_count = row.entry_count;
    info.token_count = row.token_count;
    info.dead_bytes = row.dead_bytes;
    info.offset = row.offset;
    info.length = row.length;
    info.checksum = row.checksum;
    return info;
  }

  void Find(std::string_view key, std::size_t& first, std::size_t& last) const override {
    first = Bound([&](std::string_view other) { return other < key; });
    last = Bound([&](std::string_view other) { return other <= key; });
  }

  Status Blob(std::size_t index, Bytes& bytes) const override {
    // Two threads may both verify a blob: the bit only saves the work. The bytes never change, so
    // that nothing has to be published with it.
    std::atomic<std::uint64_t>& word = verified_[index / 64];
    const std::uint64_t bit = std::uint64_t{1} << index % 64;
    if ((word.load(std::memory_order_relaxed) & bit) == 0) {
      if (Status status = VerifyBlob(index); !status.ok()) return status;
      word.fetch_or(bit, std::memory_order_relaxed);
    }
    bytes = BlobBytes(index);
    return Status::Ok();
  }

  Status VerifyBlob(std::size_t index) const override {
    const SegmentRow& row = rows_[index];
    if ((row.flags & kRowDropped) != 0 || Crc32c(BlobBytes(index)) == row.checksum) {
      return Status::Ok();
    }
    return WrongChecksum(path_, row.offset, "the blob of \"" + std::string(Key(index)) + "\"");
  }

  Status VerifyName() const override {
    std::uint64_t end = sizeof(SegmentHeader);
    for (std::size_t i = 0; i < blob_count(); ++i) {
      if ((rows_[i].flags & kRowDropped) != 0) continue;
      if (Status status = CheckGap(end, rows_[i].offset); !status.ok()) return status;
      end = rows_[i].offset + rows_[i].length;
    }
    if (Status status = CheckGap(end, trailer_.rows_offset); !status.ok()) return status;
    end = trailer_.rows_offset + blob_count() * sizeof(SegmentRow) + trailer_.keys_length;
    Status status = CheckGap(end, bytes_.size() - sizeof(SegmentTrailer));
    if (!status.ok()) return status;

    Sha256 hash;
    hash.Update(bytes_);
    const std::array<std::uint8_t, 32> digest = hash.Finish();
    if (name_ == SegmentName(digest)) return Status::Ok();
    return Status::Damage(path_, 0, "the bytes are those of \"" + SegmentName(digest) + "\"");
  }

  Status Verify() const override {
    for (std::size_t i = 0; i < blob_count(); ++i) {
      if (Status status = VerifyBlob(i); !status.ok()) return status;
    }
    return VerifyName();
  }

 private:
  Status CheckHeader() {
    if (bytes_.size() < sizeof header_) {
      return Status::Damage(path_, bytes_.size(), "the file ends within its header");
    }
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    if (header_.magic != SegmentHeader::kMagic) return Status::Damage(path_, 0, "not a segment");
    if (Crc32c(bytes_.first(offsetof(SegmentHeader, checksum))) != header_.checksum) {
      return WrongChecksum(path_, 0, "the header");
    }
    if (header_.version > kSegmentVersion) {
      return Status(ErrorCode::kVersion, '"' + path_ + "\": version " +
                                             std::to_string(header_.version) + " is newer than " +
                                             std::to_string(kSegmentVersion));
    }
    if (header_.version == 0 || header_.zero != 0 || !AllZero(header_.reserved) ||
        header_.first_sequence == 0 || header_.first_sequence > header_.last_sequence) {
      return Status::Damage(path_, 0, "the header is invalid");
    }
    return Status::Ok();
  }

  Status CheckTrailer() {
    const std::uint64_t size = bytes_.size();
    if (size < sizeof header_ + sizeof trailer_) {
      return Status::Damage(path_, size, "the file ends within its trailer");
    }
    const std::uint64_t offset = size - sizeof trailer_;
    const Bytes bytes = bytes_.subspan(offset);
    std::memcpy(&trailer_, bytes.data(), sizeof trailer_);
    if (Crc32c(bytes.first(offsetof(SegmentTrailer, checksum))) != trailer_.checksum) {
      return WrongChecksum(path_, offset, "the trailer");
    }
    // No sum below can overflow: each of its terms is known to be at most the file's size first.
    if (trailer_.file_length != size || !AllZero(trailer_.reserved) || size % 64 != 0 ||
        trailer_.rows_offset % kSegmentAlignment != 0 || trailer_.rows_offset < sizeof header_ ||
        trailer_.rows_offset > offset ||
        trailer_.keys_length > std::min<std::uint64_t>(offset, UINT32_MAX) ||
        AlignSegmentOffset(trailer_.rows_offset +
                           std::uint64_t{trailer_.row_count} * sizeof(SegmentRow) +
                           trailer_.keys_length) != offset) {
      return Status::Damage(path_, offset, "the trailer is invalid");
    }
    return Status::Ok();
  }

  Status CheckRows() {
    const std::uint64_t rows_length = std::uint64_t{trailer_.row_count} * sizeof(SegmentRow);
    const Bytes directory =
        bytes_.subspan(trailer_.rows_offset, rows_length + trailer_.keys_length);
    if (Crc32c(directory) != trailer_.directory_checksum) {
      return WrongChecksum(path_, trailer_.rows_offset, "the directory");
    }
    rows_ = reinterpret_cast<const SegmentRow*>(directory.data());
    keys_ = reinterpret_cast<const char*>(directory.data() + rows_length);
    std::uint64_t end = sizeof header_;  // of the blobs so far
    std::uint64_t keys_end = 0;          // of the keys so far
    for (std::size_t i = 0; i < trailer_.row_count; ++i) {
      if (!CheckRow(i, end, keys_end)) {
        return Status::Damage(path_, trailer_.rows_offset + i * sizeof(SegmentRow),
                              "row " + std::to_string(i) + " of the directory is invalid");
      }
    }
    if (AlignSegmentOffset(end) != trailer_.rows_offset || keys_end != trailer_.keys_length) {
      return Status::Damage(path_, trailer_.rows_offset, "the directory does not fit the file");
    }
    return Status::Ok();
  }

  bool CheckRow(std::size_t i, std::uint64_t& end, std::uint64_t& keys_end) const noexcept {
    const SegmentRow& row = rows_[i];
    const SegmentRow* previous = i == 0 ? nullptr : &rows_[i - 1];
    const bool dropped = row.flags == kRowDropped;
    const bool chunks = row.flags == kRowChunks;
    if ((row.flags != 0 && !dropped && !(chunks && header_.version >= 2)) || row.incarnation == 0 ||
        row.key_length == 0) {
      return false;
    }

    // A key is the one before, or new and greater.
    if (previous == nullptr || row.key_offset != previous->key_offset) {
      if (row.key_offset != keys_end || row.key_length > trailer_.keys_length - keys_end) {
        return false;
      }
      keys_end += row.key_length;
      if (previous != nullptr && Key(i) <= Key(i - 1)) return false;
    } else if (row.key_length != previous->key_length || row.incarnation < previous->incarnation ||
               (row.incarnation == previous->incarnation &&
                (dropped || previous->flags != 0 ||
                 (!chunks && row.first_entry <
                                 std::uint64_t{previous->first_entry} + previous->entry_count)))) {
      return false;
    }
    if (chunks && (row.token_count | row.dead_bytes | row.first_entry | row.entry_count) != 0) {
      return false;
    }

    if (dropped) {
      return (row.offset | row.length | row.token_count | row.dead_bytes) == 0 &&
             (row.checksum | row.first_entry | row.entry_count) == 0;
    }
    if (row.offset != AlignSegmentOffset(end) || row.offset > trailer_.rows_offset ||
        row.length > trailer_.rows_offset - row.offset) {
      return false;
    }
    end = row.offset + row.length;
    return true;
  }

  Status CheckGap(std::uint64_t begin, std::uint64_t end) const {
    if (AllZero(bytes_.subspan(begin, end - begin))) return Status::Ok();
    return Status::Damage(path_, begin, "a gap is not zero");
  }

  Bytes BlobBytes(std::size_t index) const noexcept {
    return bytes_.subspan(rows_[index].offset, rows_[index].length);
  }

  // The first blob whose key `below` is false for.
  template <typename Below>
  std::size_t Bound(Below below) const noexcept {
    std::size_t low = 0;
    std::size_t high = blob_count();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (below(Key(middle))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  std::shared_ptr<const MappedFile> file_;
  Bytes bytes_;
  std::string path_, name_;
  SegmentHeader header_;
  SegmentTrailer trailer_;
  const SegmentRow* rows_ = nullptr;
  const char* keys_ = nullptr;
  mutable std::vector<std::atomic<std::uint64_t>> verified_;
};

}  // namespace

Status Segment::Open(std::shared_ptr<const MappedFile> file, const std::string& path,
                     std::shared_ptr<const Segment>& segment) {
  auto result = std::make_shared<MappedSegment>(std::move(file), path);
  if (Status status = result->Check(); !status.ok()) return status;
  segment = std::move(result);
  return Status::Ok();
}

Status Segment::Open(Env& env, const std::string& directory, const std::string& name,
                     std::shared_ptr<const Segment>& segment) {
  const std::string path = directory + "/" + name;
  std::shared_ptr<const MappedFile> file;
  if (Status status = env.MapFile(path, file); !status.ok()) return status;
  return Open(std::move(file), path, segment);
}

}  // namespace dentate::storage
