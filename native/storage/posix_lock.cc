#include "storage/posix_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "storage/posix_error.h"
#include "storage/posix_file.h"

namespace dentate::storage {
namespace {

constexpr std::size_t kMaxNoteBytes = 256;

class PosixFileLock final : public FileLock {
 public:
  PosixFileLock(Descriptor descriptor, std::string path) noexcept
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Status CheckInPlace() const override {
    struct stat ours {
    }, there{};
    if (fstat(descriptor_.get(), &ours) != 0) return SystemError("fstat", path_, errno);
    if (stat(path_.c_str(), &there) != 0) return SystemError("stat", path_, errno);
    if (ours.st_dev == there.st_dev && ours.st_ino == there.st_ino) return Status::Ok();
    return {ErrorCode::kIo, "\"" + path_ + "\" was replaced since it was locked", ESTALE};
  }

 private:
  Descriptor descriptor_;  // closing it releases the lock
  std::string path_;
};

#if defined(F_OFD_SETLK)

int Call(int descriptor, int command, struct flock& range) {
  int result = -1;
  do {
    result = fcntl(descriptor, command, &range);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

struct flock WholeFile(bool exclusive) {
  struct flock range {};  // start 0, length 0: the whole file; l_pid must be 0
  range.l_type = exclusive ? F_WRLCK : F_RDLCK;
  range.l_whence = SEEK_SET;
  return range;
}

// 0, EAGAIN where somebody else holds it, or another errno.
int TryLock(int descriptor, bool exclusive) {
  struct flock range = WholeFile(exclusive);
  const int error = Call(descriptor, F_OFD_SETLK, range);
  return error == EACCES ? EAGAIN : error;  // POSIX allows either
}

int IsLocked(int descriptor, bool& locked) {
  struct flock range = WholeFile(true);  // conflicts with shared ones too
  const int error = Call(descriptor, F_OFD_GETLK, range);
  locked = error == 0 && range.l_type != F_UNLCK;
  return error;
}

#else

int TryLock(int descriptor, bool exclusive) {
  int result = -1;
  do {
    result = flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

int IsLocked(int descriptor, bool& locked) {
  const int error = TryLock(descriptor, true);  // released when the descriptor is closed
  locked = error == EAGAIN;
  return locked ? 0 : error;
}

#endif

// The first line. What an earlier, longer note left behind it does not count.
Status ReadNote(const Descriptor& descriptor, const std::string& path, std::string& note) {
  std::array<std::uint8_t, kMaxNoteBytes> bytes{};
  std::size_t read = 0;
  Status status = ReadFully(descriptor, path, 0, bytes, read);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), read);
  note = text.substr(0, text.find('\n'));
  return status;
}

// One write over the old note and only then the cut, so that who reads meanwhile sees one of them.
Status WriteNote(const Descriptor& descriptor, const std::string& path, const std::string& note) {
  const std::string line = note.substr(0, kMaxNoteBytes - 1) + "\n";
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
  Status status = WriteFully(descriptor, path, 0, bytes);
  if (status.ok()) status = CutFile(descriptor, path, bytes.size());
  return status;
}

bool MayOnlyRead(int error) { return error == EACCES || error == EROFS || error == EPERM; }

}  // namespace

Status LockPosixFile(const std::string& path, const std::string& note, bool exclusive,
                     std::unique_ptr<FileLock>& lock) {
  Descriptor descriptor;
  bool writable = true;
  Status status = OpenDescriptor(path, O_RDWR | O_CREAT, descriptor);
  if (!status.ok() && !exclusive && MayOnlyRead(status.os_error())) {
    writable = false;
    status = OpenDescriptor(path, O_RDONLY, descriptor);
  }
  if (!status.ok()) return status;
  const int error = TryLock(descriptor.get(), exclusive);
  if (error == EAGAIN) {
    std::string holder;
    status = ReadNote(descriptor, path, holder);
    if (!status.ok()) return status;
    return {ErrorCode::kLocked, "\"" + path + "\" is locked by " + holder, EAGAIN};
  }
  if (error != 0) return SystemError("lock", path, error);
  if (writable) status = WriteNote(descriptor, path, note);
  if (status.ok()) lock = std::make_unique<PosixFileLock>(std::move(descriptor), path);
  return status;
}

Status PosixLockHolder(const std::string& path, bool& held, std::string& note) {
  held = false;
  note.clear();
  Descriptor descriptor;
  Status status = OpenDescriptor(path, O_RDONLY, descriptor);
  if (!status.ok()) return status;
  if (const int error = IsLocked(descriptor.get(), held); error != 0) {
    return SystemError("lock", path, error);
  }
  return ReadNote(descriptor, path, note);
}

}  // namespace dentate::storage
