#include "storage/crypt_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

namespace dentate::storage {
namespace {

// Chunks are gathered up to this much text before they are written.
constexpr std::size_t kTextAtOnce = 16 * kMaxChunkText;
constexpr std::size_t kWindowBytes = std::size_t{64} << 10;
static_assert(kWindowBytes % kChunkAlignment == 0);

class CryptWritableFile final : public WritableFile {
 public:
  CryptWritableFile(std::unique_ptr<WritableFile> file, std::string path, const FileId& file_id,
                    std::unique_ptr<AesGcm> cipher)
      : file_(std::move(file)),
        path_(std::move(path)),
        file_id_(file_id),
        cipher_(std::move(cipher)) {}

  Status Append(Bytes bytes) override {
    if (!broken_.ok()) return broken_;
    while (!bytes.empty() && broken_.ok()) {
      const Bytes part = bytes.first(std::min(bytes.size(), kTextAtOnce));
      sealed_.clear();
      for (std::size_t start = 0; start < part.size() && broken_.ok(); start += kMaxChunkText) {
        const std::size_t length = std::min(kMaxChunkText, part.size() - start);
        broken_ = Seal(part.subspan(start, length), size_ + start, false);
      }
      if (broken_.ok()) broken_ = Write();
      if (broken_.ok()) size_ += part.size();
      bytes = bytes.subspan(part.size());
    }
    return broken_;
  }

  Status Reserve(std::uint64_t size) override {
    const std::uint64_t text = size_;
    if (size <= text) return Status::Ok();
    // How many chunks the rest will make is not known: room for chunks of 64 bytes and more.
    static_assert(ChunkBytes(64) <= std::uint64_t{2} * 64);
    return file_->Reserve(file_size_ + 2 * (size - text) + kMaxChunkBytes);
  }

  Status Sync() override {
    if (broken_.ok()) broken_ = file_->Sync();
    return broken_;
  }

  // With the end, which must be durable where the file is to be read as a whole.
  Status Close() override {
    sealed_.clear();
    if (broken_.ok()) broken_ = Seal({}, size_, true);
    if (broken_.ok()) broken_ = Write();
    if (broken_.ok()) broken_ = file_->Sync();
    Status status = file_->Close();
    if (!broken_.ok()) return broken_;
    broken_ = {ErrorCode::kIo, "write \"" + path_ + "\": the file is closed", EBADF};
    return status;
  }

  std::uint64_t size() const noexcept override { return size_; }

 private:
  // Adds a chunk to `sealed_`. Its number is used up, whatever becomes of it.
  Status Seal(Bytes text, std::uint64_t offset, bool end) {
    const ChunkHeader header{static_cast<std::uint32_t>(text.size()), next_number_++, offset, end};
    const ChunkHeaderBytes head = EncodeChunkHeader(file_id_, header);
    const std::size_t start = sealed_.size();
    sealed_.resize(start + ChunkBytes(text.size()));
    const auto chunk = std::span(sealed_).subspan(start);
    std::copy(head.begin(), head.end(), chunk.begin());
    return cipher_->Seal(ChunkNonce(header.number), head, text,
                         chunk.subspan(kChunkHeaderBytes, text.size()),
                         chunk.subspan(kChunkHeaderBytes + text.size()).first<AesGcm::kTagBytes>());
  }

  Status Write() {
    Status status = file_->Append(sealed_);
    if (status.ok()) file_size_ += sealed_.size();
    return status;
  }

  const std::unique_ptr<WritableFile> file_;
  const std::string path_;
  const FileId file_id_;
  const std::unique_ptr<AesGcm> cipher_;
  std::atomic<std::uint64_t> size_{0};  // atomic: Reserve may run on another thread
  std::atomic<std::uint64_t> file_size_{kCryptHeaderBytes};
  std::uint64_t next_number_ = 0;
  std::vector<std::uint8_t> sealed_;
  Status broken_;  // the first failure, or that the file is closed
};

bool IsZero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

Status BeginCryptFile(std::unique_ptr<WritableFile> file, const std::string& path,
                      const CryptHeader& header, const SecretKey& data_key,
                      std::unique_ptr<WritableFile>& made) {
  std::unique_ptr<AesGcm> cipher;
  Status status = AesGcm::Create(FileKey(data_key, header.file_id), cipher);
  if (status.ok()) status = file->Append(EncodeCryptHeader(header));
  if (!status.ok()) return status;
  made =
      std::make_unique<CryptWritableFile>(std::move(file), path, header.file_id, std::move(cipher));
  return status;
}

Status ChunkIndex::ReadHeader(const ReadableFile& file, std::uint64_t place, ChunkHeader& header,
                              bool& valid) const {
  ChunkHeaderBytes bytes{};
  std::size_t read = 0;
  Status status = file.ReadAt(place, bytes, read);
  valid = status.ok() && read == bytes.size() && DecodeChunkHeader(bytes, file_id_, header) &&
          Follows(header);
  return status;
}

void ChunkIndex::Add(const ChunkHeader& header, std::uint64_t place) {
  if (header.length > 0) chunks_.push_back({header.offset, place, header.number, header.length});
  end_ = place + ChunkBytes(header.length);
  size_ = header.offset + header.length;
  next_number_ = header.number + 1;
  complete_ = header.end;
}

Status ChunkIndex::Refresh(const ReadableFile& file, std::uint64_t& size) {
  const std::lock_guard lock(mutex_);
  while (!complete_) {
    ChunkHeader header;
    bool valid = false;
    if (Status status = ReadHeader(file, end_, header, valid); !status.ok()) return status;
    valid = valid && header.number == next_number_ && header.offset == size_;
    // A chunk of text is decrypted when it is read. The end is believed only with its tag: it would
    // hide all behind it.
    if (valid && header.end) {
      const Chunk chunk{header.offset, end_, header.number, 0};
      if (Status status = Decrypt(file, chunk, valid); !status.ok()) return status;
    }
    if (valid) {
      Add(header, end_);
      continue;
    }
    std::uint64_t place = 0;
    if (Status status = FindBehindHole(file, header, place, valid); !status.ok()) return status;
    if (!valid) break;
    // A writer may have written both chunks after we looked at the first: it is no hole then.
    ChunkHeader first;
    if (Status status = ReadHeader(file, end_, first, valid); !status.ok()) return status;
    if (!valid || first.number != next_number_ || first.offset != size_) Add(header, place);
  }
  size = size_;
  return Status::Ok();
}

Status ChunkIndex::FindBehindHole(const ReadableFile& file, ChunkHeader& header,
                                  std::uint64_t& place, bool& found) {
  found = false;
  // The windows overlap by a header less one step.
  std::vector<std::uint8_t> window(kWindowBytes + kChunkHeaderBytes - kChunkAlignment);
  for (std::uint64_t start = end_;; start += kWindowBytes) {
    std::size_t read = 0;
    if (Status status = file.ReadAt(start, window, read); !status.ok()) return status;
    for (std::size_t i = 0; i < kWindowBytes && i + kChunkHeaderBytes <= read;
         i += kChunkAlignment) {
      const Bytes bytes = Bytes(window).subspan(i, kChunkHeaderBytes);
      // A header's first half has a checksum that is not zero, or nearly never is.
      if (IsZero(bytes.first(kChunkAlignment)) || !DecodeChunkHeader(bytes, file_id_, header) ||
          !Follows(header)) {
        continue;
      }
      place = start + i;
      // What only looks like a chunk has no tag.
      Status status = Decrypt(file, {header.offset, place, header.number, header.length}, found);
      if (!status.ok() || found) return status;
    }
    if (read < window.size()) return Status::Ok();
  }
}

Status ChunkIndex::Decrypt(const ReadableFile& file, const Chunk& chunk, bool& valid) {
  sealed_.resize(kChunkHeaderBytes + chunk.length + AesGcm::kTagBytes);
  text_.resize(chunk.length);
  std::size_t read = 0;
  if (Status status = file.ReadAt(chunk.place, sealed_, read); !status.ok()) return status;
  const Bytes sealed = sealed_;
  ChunkHeader header;
  valid = read == sealed.size() && DecodeChunkHeader(sealed, file_id_, header) &&
          header.number == chunk.number && header.offset == chunk.offset &&
          header.length == chunk.length &&
          cipher_->Open(ChunkNonce(chunk.number), sealed.first(kChunkHeaderBytes),
                        sealed.subspan(kChunkHeaderBytes, chunk.length),
                        sealed.last<AesGcm::kTagBytes>(), text_);
  return Status::Ok();
}

Status ChunkIndex::Read(const ReadableFile& file, std::uint64_t offset, std::span<std::uint8_t> out,
                        std::size_t& read) {
  std::uint64_t known = 0;
  {
    const std::lock_guard lock(mutex_);
    known = size_;
  }
  if (offset + out.size() > known) {
    if (Status status = Refresh(file, known); !status.ok()) return status;
  }
  const std::lock_guard lock(mutex_);
  read = 0;
  if (offset >= size_) return Status::Ok();
  out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset)));
  std::fill(out.begin(), out.end(), std::uint8_t{0});
  const std::uint64_t stop = offset + out.size();
  auto chunk = std::upper_bound(
      chunks_.begin(), chunks_.end(), offset,
      [](std::uint64_t value, const Chunk& other) { return value < other.offset + other.length; });
  for (; chunk != chunks_.end() && chunk->offset < stop; ++chunk) {
    bool valid = false;
    if (Status status = Decrypt(file, *chunk, valid); !status.ok()) return status;
    if (!valid) continue;
    const std::uint64_t from = std::max(offset, chunk->offset);
    const std::uint64_t to = std::min(stop, chunk->offset + chunk->length);
    std::copy(text_.begin() + static_cast<std::ptrdiff_t>(from - chunk->offset),
              text_.begin() + static_cast<std::ptrdiff_t>(to - chunk->offset),
              out.begin() + static_cast<std::ptrdiff_t>(from - offset));
  }
  read = out.size();
  return Status::Ok();
}

Status DecryptWhole(Bytes file, const std::string& path, const FileId& file_id, AesGcm& cipher,
                    std::span<std::uint8_t> text, std::size_t& size) {
  size = 0;
  std::size_t place = kCryptHeaderBytes;
  for (std::uint64_t number = 0;; ++number) {
    ChunkHeader header;
    if (place >= file.size()) return Status::Damage(path, file.size(), "the file has no end");
    const Bytes rest = file.subspan(place);
    if (!DecodeChunkHeader(rest, file_id, header) || header.number != number ||
        header.offset != size || rest.size() < ChunkBytes(header.length) ||
        text.size() - size < header.length) {
      return Status::Damage(path, place, "chunk " + std::to_string(number) + " is damaged");
    }
    const Bytes body = rest.subspan(kChunkHeaderBytes);
    const std::size_t end = kChunkHeaderBytes + header.length + AesGcm::kTagBytes;
    if (!IsZero(rest.first(ChunkBytes(header.length)).subspan(end)) ||
        !cipher.Open(ChunkNonce(number), rest.first(kChunkHeaderBytes), body.first(header.length),
                     body.subspan(header.length).first<AesGcm::kTagBytes>(),
                     text.subspan(size, header.length))) {
      return Status::Damage(path, place,
                            "chunk " + std::to_string(number) + " does not match its tag");
    }
    size += header.length;
    place += ChunkBytes(header.length);
    if (header.end) break;
  }
  if (place == file.size()) return Status::Ok();
  return Status::Damage(path, place, "there are bytes behind the end");
}

}  // namespace dentate::storage
