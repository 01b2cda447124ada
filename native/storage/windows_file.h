// Files over Windows handles: the three kinds of env.h, and the handle that closes itself.
//
// Every handle is opened with all three kinds of sharing, FILE_SHARE_DELETE among them, so that a
// file can be renamed and removed while it is open, as env.h promises. No handle is inherited.
//
// Paths are UTF-8 with / or \ between names, of any length: one of 248 characters or more is passed
// on as \\?\ and its absolute form, which has no limit.
//
// Errors are those of windows_error.h.

#ifndef DENTATE_STORAGE_WINDOWS_FILE_H_
#define DENTATE_STORAGE_WINDOWS_FILE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "core/status.h"
#include "storage/env.h"

namespace dentate::storage {

class Handle {
 public:
  Handle() = default;
  // Of a call that answers INVALID_HANDLE_VALUE or null where it fails.
  explicit Handle(void* value) noexcept : value_(IsValue(value) ? value : nullptr) {}
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Handle();  // closes

  void* get() const noexcept { return value_; }
  bool valid() const noexcept { return value_ != nullptr; }
  // Gives the handle away.
  void* Release() noexcept { return std::exchange(value_, nullptr); }

 private:
  static bool IsValue(void* value) noexcept {
    return value != reinterpret_cast<void*>(std::intptr_t{-1});
  }

  void* value_ = nullptr;
};

// A path as the calls want it.
std::wstring WindowsPath(const std::string& path);

// CreateFile with the access (GENERIC_READ ...), the disposition (OPEN_EXISTING ...) and flags.
Status OpenHandle(const std::string& path, unsigned long access, unsigned long disposition,
                  unsigned long flags, Handle& handle);

Status OpenWindowsWritable(const std::string& path, std::unique_ptr<WritableFile>& file);
Status OpenWindowsReadable(const std::string& path, std::unique_ptr<ReadableFile>& file);
Status MapWindowsFile(const std::string& path, std::shared_ptr<const MappedFile>& file);

// Reads up to `size` bytes at `offset`, less where the file ends.
Status ReadFully(const Handle& handle, const std::string& path, std::uint64_t offset,
                 std::span<std::uint8_t> out, std::size_t& read);
Status WriteFully(const Handle& handle, const std::string& path, std::uint64_t offset, Bytes bytes);
Status CutFile(const Handle& handle, const std::string& path, std::uint64_t size);
// FlushFileBuffers: the file's bytes and what the file system knows of it, through the drive's
// cache.
Status SyncFile(const Handle& handle, const std::string& path);
Status CloseFile(Handle& handle, const std::string& path);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_WINDOWS_FILE_H_
