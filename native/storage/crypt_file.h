// Encrypted files: writing chunks, reading in parts, reading as a whole. crypt_format.h has the
// bytes and why no nonce is used twice.

#ifndef DENTATE_STORAGE_CRYPT_FILE_H_
#define DENTATE_STORAGE_CRYPT_FILE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/status.h"
#include "storage/aes_gcm.h"
#include "storage/crypt_format.h"
#include "storage/env.h"

namespace dentate::storage {

// Writes the header. `file` is new and empty; `header.file_id` was used for no other file.
Status BeginCryptFile(std::unique_ptr<WritableFile> file, const std::string& path,
                      const CryptHeader& header, const SecretKey& data_key,
                      std::unique_ptr<WritableFile>& made);

// Where the chunks of a file lie, as far as it has been read; shared by all who have it open, since
// a follower opens a growing log again and again. Holes (crypt_format.h) lie between chunks.
//
// Threads: any; one at a time inside.
class ChunkIndex {
 public:
  ChunkIndex(const FileId& file_id, std::unique_ptr<AesGcm> cipher)
      : file_id_(file_id), cipher_(std::move(cipher)) {}

  const FileId& file_id() const noexcept { return file_id_; }

  // Looks for chunks that were not there before; the length of the text up to the last one.
  Status Refresh(const ReadableFile& file, std::uint64_t& size);
  // As ReadableFile::ReadAt, of the text. Zeros for what is a hole.
  Status Read(const ReadableFile& file, std::uint64_t offset, std::span<std::uint8_t> out,
              std::size_t& read);

 private:
  struct Chunk {
    std::uint64_t offset = 0;  // in the text
    std::uint64_t place = 0;   // in the file
    std::uint64_t number = 0;
    std::uint32_t length = 0;
  };

  Status ReadHeader(const ReadableFile& file, std::uint64_t place, ChunkHeader& header,
                    bool& valid) const;
  void Add(const ChunkHeader& header, std::uint64_t place);
  // The next chunk that holds, behind one that does not.
  Status FindBehindHole(const ReadableFile& file, ChunkHeader& header, std::uint64_t& place,
                        bool& found);
  // False: the chunk does not match its tag (now).
  Status Decrypt(const ReadableFile& file, const Chunk& chunk, bool& valid);
  bool Follows(const ChunkHeader& header) const noexcept {
    return header.number >= next_number_ && header.offset >= size_;
  }

  const FileId file_id_;
  std::mutex mutex_;
  const std::unique_ptr<AesGcm> cipher_;
  std::vector<Chunk> chunks_;              // ascending
  std::uint64_t end_ = kCryptHeaderBytes;  // in the file, of the last chunk
  std::uint64_t size_ = 0;                 // of the text up to there
  std::uint64_t next_number_ = 0;
  bool complete_ = false;                    // the end was read
  std::vector<std::uint8_t> sealed_, text_;  // of one chunk
};

// The text of a whole file. kCorruption unless every chunk and the end are there.
Status DecryptWhole(Bytes file, const std::string& path, const FileId& file_id, AesGcm& cipher,
                    std::span<std::uint8_t> text, std::size_t& size);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_CRYPT_FILE_H_
