#include "storage/windows_lock.h"

#include <windows.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "storage/windows_error.h"
#include "storage/windows_file.h"

namespace dentate::storage {
namespace {

constexpr std::size_t kMaxNoteBytes = 256;

class WindowsFileLock final : public FileLock {
 public:
  explicit WindowsFileLock(Handle handle) noexcept : handle_(std::move(handle)) {}

  // No directory is renamed there, nor removed, while a file in it is open.
  Status CheckInPlace() const override { return Status::Ok(); }

 private:
  Handle handle_;  // closing it releases the lock
};

// 0, or what GetLastError says; ERROR_LOCK_VIOLATION where somebody else holds it.
DWORD TryLock(const Handle& handle, bool exclusive) {
  OVERLAPPED place{};
  place.OffsetHigh = DWORD{1} << 30;
  const DWORD flags = LOCKFILE_FAIL_IMMEDIATELY | (exclusive ? LOCKFILE_EXCLUSIVE_LOCK : DWORD{0});
  if (LockFileEx(handle.get(), flags, 0, 1, 0, &place) != 0) return 0;
  const DWORD error = GetLastError();
  return error == ERROR_IO_PENDING ? DWORD{ERROR_LOCK_VIOLATION} : error;
}

// The first line. What an earlier, longer note left behind it does not count.
Status ReadNote(const Handle& handle, const std::string& path, std::string& note) {
  std::array<std::uint8_t, kMaxNoteBytes> bytes{};
  std::size_t read = 0;
  Status status = ReadFully(handle, path, 0, bytes, read);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), read);
  note = text.substr(0, text.find('\n'));
  return status;
}

// One write over the old note and only then the cut, so that who reads meanwhile sees one of them.
Status WriteNote(const Handle& handle, const std::string& path, const std::string& note) {
  const std::string line = note.substr(0, kMaxNoteBytes - 1) + "\n";
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
  Status status = WriteFully(handle, path, 0, bytes);
  return status.ok() ? CutFile(handle, path, bytes.size()) : status;
}

bool MayOnlyRead(int error) { return error == EACCES || error == EROFS; }

}  // namespace

Status LockWindowsFile(const std::string& path, const std::string& note, bool exclusive,
                       std::unique_ptr<FileLock>& lock) {
  Handle handle;
  bool writable = true;
  Status status =
      OpenHandle(path, GENERIC_READ | GENERIC_WRITE, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, handle);
  if (!status.ok() && !exclusive && MayOnlyRead(status.os_error())) {
    writable = false;
    status = OpenHandle(path, GENERIC_READ, OPEN_EXISTING, 0, handle);
  }
  if (!status.ok()) return status;
  const DWORD error = TryLock(handle, exclusive);
  if (error == ERROR_LOCK_VIOLATION) {
    std::string holder;
    status = ReadNote(handle, path, holder);
    if (!status.ok()) return status;
    return {ErrorCode::kLocked, "\"" + path + "\" is locked by " + holder, EAGAIN};
  }
  if (error != 0) return WindowsError("LockFileEx", path, error);
  if (writable) status = WriteNote(handle, path, note);
  if (status.ok()) lock = std::make_unique<WindowsFileLock>(std::move(handle));
  return status;
}

Status WindowsLockHolder(const std::string& path, bool& held, std::string& note) {
  held = false;
  note.clear();
  Handle handle;
  Status status = OpenHandle(path, GENERIC_READ, OPEN_EXISTING, 0, handle);
  if (!status.ok()) return status;
  const DWORD error = TryLock(handle, true);  // released with the handle
  held = error == ERROR_LOCK_VIOLATION;
  if (error != 0 && !held) return WindowsError("LockFileEx", path, error);
  return ReadNote(handle, path, note);
}

}  // namespace dentate::storage
