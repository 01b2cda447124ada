#include "storage/posix_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "storage/posix_error.h"

namespace dentate::storage {
namespace {

constexpr std::size_t kZerosAtOnce = std::size_t{64} << 10;

class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(Descriptor descriptor, std::string path) noexcept
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}
  ~PosixWritableFile() override {
    if (descriptor_.valid()) static_cast<void>(Close());
  }

  Status Append(Bytes bytes) override {
    if (!broken_.ok()) return broken_;
    std::unique_lock lock(growing_, std::defer_lock);
    // Past the zeros no Reserve may write its own over what is written here.
    if (size_ + bytes.size() > end_.load(std::memory_order_acquire)) lock.lock();
    broken_ = WriteFully(descriptor_.get(), path_, size_, bytes);
    if (!broken_.ok()) return broken_;
    size_ += bytes.size();
    if (size_ > end_.load(std::memory_order_relaxed)) end_.store(size_, std::memory_order_relaxed);
    return broken_;
  }

  Status Reserve(std::uint64_t size) override {
    static constexpr std::array<std::uint8_t, kZerosAtOnce> kZeros{};
    reserves_ = true;
    for (;;) {
      const std::lock_guard lock(growing_);
      const std::uint64_t end = end_.load(std::memory_order_relaxed);
      if (end >= size) return Status::Ok();
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(kZerosAtOnce, size - end));
      Status status = WriteFully(descriptor_.get(), path_, end, Bytes(kZeros).first(count));
      if (!status.ok()) return status;
      end_.store(end + count, std::memory_order_release);
    }
  }

  Status Sync() override {
    if (broken_.ok()) broken_ = SyncDescriptor(descriptor_.get(), path_);
    return broken_;
  }

  Status Close() override {
    Status status;
    // A Reserve that failed may have written more zeros than `end_` says: cut whatever it is.
    if (reserves_ && ftruncate(descriptor_.get(), static_cast<off_t>(size_)) != 0) {
      status = SystemError("ftruncate", path_, errno);
    }
    // After EINTR the descriptor is gone on Linux, and closing it again could hit another's.
    if (close(descriptor_.Release()) != 0 && errno != EINTR && status.ok()) {
      status = SystemError("close", path_, errno);
    }
    if (broken_.ok()) broken_ = SystemError("write", path_, EBADF);
    return status;
  }

  std::uint64_t size() const noexcept override { return size_; }

 private:
  Descriptor descriptor_;
  std::string path_;
  std::uint64_t size_ = 0;
  std::atomic<std::uint64_t> end_{0};  // of what was appended and of the zeros behind it
  std::mutex growing_;                 // held by whoever writes beyond `end_`
  bool reserves_ = false;
  Status broken_;  // the first failure, or that the file is closed
};

class PosixReadableFile final : public ReadableFile {
 public:
  PosixReadableFile(Descriptor descriptor, std::string path) noexcept
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Status ReadAt(std::uint64_t offset, std::span<std::uint8_t> out,
                std::size_t& read) const override {
    return ReadFully(descriptor_.get(), path_, offset, out, read);
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

Status ReadFully(int descriptor, const std::string& path, std::uint64_t offset,
                 std::span<std::uint8_t> out, std::size_t& read) {
  read = 0;
  while (read < out.size()) {
    const ssize_t count =
        pread(descriptor, out.data() + read, out.size() - read, static_cast<off_t>(offset + read));
    if (count == 0) break;
    if (count < 0) {
      if (errno == EINTR) continue;
      return SystemError("read", path, errno);
    }
    read += static_cast<std::size_t>(count);
  }
  return Status::Ok();
}

Status WriteFully(int descriptor, const std::string& path, std::uint64_t offset, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) continue;
      return SystemError("write", path, errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return Status::Ok();
}

Status SyncDescriptor(int descriptor, const std::string& path) {
  int result = -1;
  do {
#if defined(__APPLE__)
    result = fcntl(descriptor, F_FULLFSYNC);
    if (result != 0 && errno == ENOTSUP) result = fsync(descriptor);  // not on this file system
#else
    result = fdatasync(descriptor);
#endif
  } while (result != 0 && errno == EINTR);
  return result == 0 ? Status::Ok() : SystemError("fdatasync", path, errno);
}

Status OpenPosixWritable(const std::string& path, std::unique_ptr<WritableFile>& file) {
  Descriptor descriptor;
  Status status = OpenDescriptor(path, O_WRONLY | O_CREAT | O_TRUNC, descriptor);
  if (status.ok()) file = std::make_unique<PosixWritableFile>(std::move(descriptor), path);
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
