// A file that is appended to, whatever the system: what is true of all of them, once.
//
//   0          size          end
//   | appended | zeros       |      Reserve writes the zeros, on another thread, ahead of Append
//
// `OpenFile` is what the system gives (Descriptor, Handle), with these beside it:
//
//   Status WriteFully(const OpenFile&, path, offset, bytes);   Status CutFile(const OpenFile&,
//   path, size); Status SyncFile(const OpenFile&, path);                    Status
//   CloseFile(OpenFile&, path);
//
// Threads. As WritableFile: one that appends, syncs and closes, one that reserves.

#ifndef DENTATE_STORAGE_GROWING_FILE_H_
#define DENTATE_STORAGE_GROWING_FILE_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "storage/env.h"
#include "storage/posix_error.h"

namespace dentate::storage {

template <typename OpenFile>
class GrowingFile final : public WritableFile {
 public:
  GrowingFile(OpenFile file, std::string path) noexcept
      : file_(std::move(file)), path_(std::move(path)) {}
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  ~GrowingFile() override {
    if (file_.valid()) static_cast<void>(Close());
  }

  Status Append(Bytes bytes) override {
    if (!broken_.ok()) return broken_;
    std::unique_lock lock(growing_, std::defer_lock);
    // Past the zeros no Reserve may write its own over what is written here.
    if (size_ + bytes.size() > end_.load(std::memory_order_acquire)) lock.lock();
    broken_ = WriteFully(file_, path_, size_, bytes);
    if (!broken_.ok()) return broken_;
    size_ += bytes.size();
    if (size_ > end_.load(std::memory_order_relaxed)) end_.store(size_, std::memory_order_relaxed);
    return broken_;
  }

  Status Reserve(std::uint64_t size) override {
    static constexpr std::array<std::uint8_t, kZerosAtOnce> kZeros{};
    if (!file_.valid()) return SystemError("write", path_, EBADF);
    reserves_ = true;
    for (;;) {
      const std::lock_guard lock(growing_);
      const std::uint64_t end = end_.load(std::memory_order_relaxed);
      if (end >= size) return Status::Ok();
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(kZerosAtOnce, size - end));
      Status status = WriteFully(file_, path_, end, Bytes(kZeros).first(count));
      if (!status.ok()) return status;
      end_.store(end + count, std::memory_order_release);
    }
  }

  Status Sync() override {
    if (broken_.ok()) broken_ = SyncFile(file_, path_);
    return broken_;
  }

  Status Close() override {
    if (!file_.valid()) return SystemError("close", path_, EBADF);
    // A Reserve that failed may have written more zeros than `end_` says: cut whatever it is.
    Status status = reserves_ ? CutFile(file_, path_, size_) : Status::Ok();
    Status closed = CloseFile(file_, path_);
    if (broken_.ok()) broken_ = SystemError("write", path_, EBADF);
    return status.ok() ? closed : status;
  }

  std::uint64_t size() const noexcept override { return size_; }

 private:
  static constexpr std::size_t kZerosAtOnce = std::size_t{64} << 10;

  OpenFile file_;
  std::string path_;
  std::uint64_t size_ = 0;
  std::atomic<std::uint64_t> end_{0};  // of what was appended and of the zeros behind it
  std::mutex growing_;                 // held by whoever writes beyond `end_`
  bool reserves_ = false;
  Status broken_;  // the first failure, or that the file is closed
};

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_GROWING_FILE_H_
