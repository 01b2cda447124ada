#include "storage/posix_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "storage/growing_file.h"
#include "storage/posix_error.h"

namespace dentate::storage {
namespace {

class PosixReadableFile final : public ReadableFile {
 public:
  PosixReadableFile(Descriptor descriptor, std::string path) noexcept
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Status ReadAt(std::uint64_t offset, std::span<std::uint8_t> out,
                std::size_t& read) const override {
    return ReadFully(descriptor_, path_, offset, out, read);
  }
  Status Size(std::uint64_t& size) const override {
    struct stat facts {};
    if (fstat(descriptor_.get(), &facts) != 0) return SystemError("fstat", path_, errno);
    size = static_cast<std::uint64_t>(facts.st_size);
    return Status::Ok();
  }

 private:
  Descriptor descriptor_;
  std::string path_;
};

class PosixMappedFile final : public MappedFile {
 public:
  PosixMappedFile(void* address, std::size_t size) noexcept : address_(address), size_(size) {}
  PosixMappedFile(const PosixMappedFile&) = delete;
  PosixMappedFile& operator=(const PosixMappedFile&) = delete;
  ~PosixMappedFile() override {
    if (size_ > 0) munmap(address_, size_);
  }
  Bytes bytes() const noexcept override {
    return {static_cast<const std::uint8_t*>(address_), size_};
  }

 private:
  void* address_;
  std::size_t size_;
};

}  // namespace

Descriptor::~Descriptor() {
  if (value_ >= 0) close(value_);
}

Status OpenDescriptor(const std::string& path, int flags, Descriptor& descriptor) {
  constexpr mode_t kMode = 0644;
  flags |= O_CLOEXEC | O_NONBLOCK;
  if ((flags & O_CREAT) != 0) flags |= O_NOFOLLOW;
  int value = -1;
  do {
    value = open(path.c_str(), flags, kMode);
  } while (value < 0 && errno == EINTR);
  if (value < 0) return SystemError("open", path, errno);
  descriptor = Descriptor(value);
  return Status::Ok();
}

Status ReadFully(const Descriptor& descriptor, const std::string& path, std::uint64_t offset,
                 std::span<std::uint8_t> out, std::size_t& read) {
  read = 0;
  while (read < out.size()) {
    const ssize_t count = pread(descriptor.get(), out.data() + read, out.size() - read,
                                static_cast<off_t>(offset + read));
    if (count == 0) break;
    if (count < 0) {
      if (errno == EINTR) continue;
      return SystemError("read", path, errno);
    }
    read += static_cast<std::size_t>(count);
  }
  return Status::Ok();
}

Status WriteFully(const Descriptor& descriptor, const std::string& path, std::uint64_t offset,
                  Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        pwrite(descriptor.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) continue;
      return SystemError("write", path, errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return Status::Ok();
}

Status CutFile(const Descriptor& descriptor, const std::string& path, std::uint64_t size) {
  if (ftruncate(descriptor.get(), static_cast<off_t>(size)) == 0) return Status::Ok();
  return SystemError("ftruncate", path, errno);
}

Status SyncFile(const Descriptor& descriptor, const std::string& path) {
  int result = -1;
  do {
#if defined(__APPLE__)
    result = fcntl(descriptor.get(), F_FULLFSYNC);
    if (result != 0 && errno == ENOTSUP)
      result = fsync(descriptor.get());  // not on this file system
#else
    result = fdatasync(descriptor.get());
#endif
  } while (result != 0 && errno == EINTR);
  return result == 0 ? Status::Ok() : SystemError("fdatasync", path, errno);
}

Status CloseFile(Descriptor& descriptor, const std::string& path) {
  // After EINTR the descriptor is gone on Linux, and closing it again could hit another's.
  if (close(descriptor.Release()) == 0 || errno == EINTR) return Status::Ok();
  return SystemError("close", path, errno);
}

Status OpenPosixWritable(const std::string& path, std::unique_ptr<WritableFile>& file) {
  Descriptor descriptor;
  Status status = OpenDescriptor(path, O_WRONLY | O_CREAT | O_TRUNC, descriptor);
  if (status.ok()) file = std::make_unique<GrowingFile<Descriptor>>(std::move(descriptor), path);
  return status;
}

Status OpenPosixReadable(const std::string& path, std::unique_ptr<ReadableFile>& file) {
  Descriptor descriptor;
  Status status = OpenDescriptor(path, O_RDONLY, descriptor);
  if (status.ok()) file = std::make_unique<PosixReadableFile>(std::move(descriptor), path);
  return status;
}

Status MapPosixFile(const std::string& path, std::shared_ptr<const MappedFile>& file) {
  Descriptor descriptor;
  Status status = OpenDescriptor(path, O_RDONLY, descriptor);
  if (!status.ok()) return status;
  struct stat facts {};
  if (fstat(descriptor.get(), &facts) != 0) return SystemError("fstat", path, errno);
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* address = nullptr;  // of an empty file, which mmap refuses
  if (size > 0) {
    address = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.get(), 0);
    if (address == MAP_FAILED) return SystemError("mmap", path, errno);
  }
  file = std::make_shared<PosixMappedFile>(address, size);
  return status;
}

}  // namespace dentate::storage
