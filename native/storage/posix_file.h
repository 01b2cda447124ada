// Files over POSIX descriptors: the three kinds of env.h, and the descriptor that closes itself.
//
// Every call that a signal may interrupt is repeated; short reads and writes are gone on with.

#ifndef DENTATE_STORAGE_POSIX_FILE_H_
#define DENTATE_STORAGE_POSIX_FILE_H_

#include <memory>
#include <string>
#include <utility>

#include "core/status.h"
#include "storage/env.h"

namespace dentate::storage {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) noexcept : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor();  // closes

  int get() const noexcept { return value_; }
  bool valid() const noexcept { return value_ >= 0; }
  // Gives the descriptor away.
  int Release() noexcept { return std::exchange(value_, -1); }

 private:
  int value_ = -1;
};

// open(2) with O_CLOEXEC; a file that is made can be read and written by its owner, read by others
// as the umask allows. Whoever made the directory may have put other things than files there: a
// pipe is not waited for, and what is made or emptied is not what a link leads to. kIo.
Status OpenDescriptor(const std::string& path, int flags, Descriptor& descriptor);

Status OpenPosixWritable(const std::string& path, std::unique_ptr<WritableFile>& file);
Status OpenPosixReadable(const std::string& path, std::unique_ptr<ReadableFile>& file);
Status MapPosixFile(const std::string& path, std::shared_ptr<const MappedFile>& file);

// Reads up to `size` bytes at `offset`, less where the file ends.
Status ReadFully(const Descriptor& descriptor, const std::string& path, std::uint64_t offset,
                 std::span<std::uint8_t> out, std::size_t& read);
Status WriteFully(const Descriptor& descriptor, const std::string& path, std::uint64_t offset,
                  Bytes bytes);
Status CutFile(const Descriptor& descriptor, const std::string& path, std::uint64_t size);
// Until the bytes lie on the medium (macOS: F_FULLFSYNC; its fsync stops at the drive's cache).
Status SyncFile(const Descriptor& descriptor, const std::string& path);
Status CloseFile(Descriptor& descriptor, const std::string& path);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_POSIX_FILE_H_
