// The machine's own Env on POSIX systems: directories, names, clocks, random bytes. Files:
// posix_file.h; the lock: posix_lock.h.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>

#include "storage/env.h"
#include "storage/mix.h"
#include "storage/posix_error.h"
#include "storage/posix_file.h"
#include "storage/posix_lock.h"

namespace dentate::storage {
namespace {

std::string ParentOf(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, std::max<std::size_t>(slash, 1)));
}

class PosixEnv final : public Env {
 public:
  Status NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>& file) override {
    return OpenPosixWritable(path, file);
  }
  Status NewReadableFile(const std::string& path, std::unique_ptr<ReadableFile>& file) override {
    return OpenPosixReadable(path, file);
  }
  Status MapFile(const std::string& path, std::shared_ptr<const MappedFile>& file) override {
    return MapPosixFile(path, file);
  }

  Status ReadFile(const std::string& path, std::vector<std::uint8_t>& bytes) override {
    std::unique_ptr<ReadableFile> file;
    Status status = OpenPosixReadable(path, file);
    std::uint64_t size = 0;
    if (status.ok()) status = file->Size(size);
    if (!status.ok()) return status;
    bytes.resize(static_cast<std::size_t>(size));
    std::size_t read = 0;
    status = file->ReadAt(0, bytes, read);
    bytes.resize(read);
    return status;
  }

  Status ListDirectory(const std::string& path, std::vector<std::string>& names) override {
    names.clear();
    DIR* const directory = opendir(path.c_str());
    if (directory == nullptr) return SystemError("opendir", path, errno);
    errno = 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread has this stream.
    while (const dirent* entry = readdir(directory)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
      errno = 0;
    }
    const int error = errno;
    closedir(directory);
    if (error != 0) return SystemError("readdir", path, error);
    std::sort(names.begin(), names.end());
    return Status::Ok();
  }

  Status CreateDirectories(const std::string& path) override {
    constexpr mode_t kMode = 0700;  // memories are nobody else's, whatever the umask
    if (mkdir(path.c_str(), kMode) == 0) return SyncDirectory(ParentOf(path));
    if (errno == EEXIST) {
      struct stat facts {};
      if (stat(path.c_str(), &facts) != 0) return SystemError("stat", path, errno);
      if (!S_ISDIR(facts.st_mode)) return SystemError("mkdir", path, ENOTDIR);
      // Whoever made it may have died before its name was durable. A parent that may not be read is
      // not one in which it has just been made.
      Status status = SyncDirectory(ParentOf(path));
      return status.os_error() == EACCES ? Status::Ok() : status;
    }
    if (errno != ENOENT) return SystemError("mkdir", path, errno);
    const std::string parent = ParentOf(path);
    if (parent == path || parent == ".") return SystemError("mkdir", path, ENOENT);
    Status status = CreateDirectories(parent);
    return status.ok() ? CreateDirectories(path) : status;
  }

  Status SyncDirectory(const std::string& path) override {
    Descriptor descriptor;
    Status status = OpenDescriptor(path, O_RDONLY | O_DIRECTORY, descriptor);
    if (!status.ok()) return status;
    int result = -1;
    do {
      result = fsync(descriptor.get());
    } while (result != 0 && errno == EINTR);
    // EINVAL: a file system whose directories cannot be synced, and need not be.
    if (result != 0 && errno != EINVAL) return SystemError("fsync", path, errno);
    return Status::Ok();
  }

  Status SyncFile(const std::string& path) override {
    Descriptor descriptor;
    Status status = OpenDescriptor(path, O_RDONLY, descriptor);
    return status.ok() ? storage::SyncFile(descriptor, path) : status;
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return rename(from.c_str(), to.c_str()) == 0 ? Status::Ok()
                                                 : SystemError("rename", from, errno);
  }
  Status Remove(const std::string& path) override {
    return unlink(path.c_str()) == 0 ? Status::Ok() : SystemError("unlink", path, errno);
  }
  bool Exists(const std::string& path) override { return access(path.c_str(), F_OK) == 0; }

  Status CanonicalPath(const std::string& path, std::string& canonical) override {
    const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(path.c_str(), nullptr),
                                                               &std::free);
    if (resolved == nullptr) return SystemError("realpath", path, errno);
    canonical = resolved.get();
    return Status::Ok();
  }

  Status FileStamp(const std::string& path, std::uint64_t& stamp) override {
    struct stat facts {};
    if (stat(path.c_str(), &facts) != 0) return SystemError("stat", path, errno);
#if defined(__APPLE__)
    const timespec modified = facts.st_mtimespec;
#else
    const timespec modified = facts.st_mtim;
#endif
    stamp = Mix(0, static_cast<std::uint64_t>(facts.st_ino));
    stamp = Mix(stamp, static_cast<std::uint64_t>(facts.st_size));
    stamp = Mix(stamp, static_cast<std::uint64_t>(modified.tv_sec));
    stamp = Mix(stamp, static_cast<std::uint64_t>(modified.tv_nsec));
    return Status::Ok();
  }

  Status LockFile(const std::string& path, const std::string& note, bool exclusive,
                  std::unique_ptr<FileLock>& lock) override {
    return LockPosixFile(path, note, exclusive, lock);
  }
  Status LockHolder(const std::string& path, bool& held, std::string& note) override {
    return PosixLockHolder(path, held, note);
  }

  std::int64_t NowMilliseconds() override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  void SleepMilliseconds(std::uint32_t milliseconds) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }

  void RandomBytes(std::span<std::uint8_t> out) override {
    constexpr std::size_t kMostAtOnce = 256;  // getentropy's limit
    while (!out.empty()) {
      const std::size_t count = std::min(kMostAtOnce, out.size());
      if (getentropy(out.data(), count) != 0) {
        // No kernel that runs Node refuses; a key made without it would be worse than the end.
        std::fputs("dentate: getentropy failed\n", stderr);
        std::abort();
      }
      out = out.subspan(count);
    }
  }

  std::string HostName() override {
    std::array<char, 256> name{};  // POSIX: at most 255 bytes
    if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
  }
  std::uint32_t ProcessId() override { return static_cast<std::uint32_t>(getpid()); }
};

}  // namespace

Env& SystemEnv() {
  // Never destroyed: threads that outlive main may still use it.
  static Env& env = *new PosixEnv;
  return env;
}

}  // namespace dentate::storage
