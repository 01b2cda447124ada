// All that the store asks of the machine: files, directories, a lock, clocks, random bytes.
//
// Nothing else in native/ touches a file. The real one is SystemEnv() (posix_env.cc,
// windows_env.cc); the tests have one that forgets what was not synced, tears writes and fails the
// nth call (test/native/storage/fault_env.h); crypt_env.h wraps any of them; a memory in memory
// needs none.
//
// What is durable when (the model that the fault-injecting Env enforces):
//   - bytes of a file                after Sync on it;
//   - that a file exists, its name   after SyncDirectory on its directory, and so with Rename and
//                                    Remove: until then a crash may leave either state, for each
//                                    name by itself;
//   - directories                    when CreateDirectories returns.
// A write that was not synced survives a crash in any part: whole, torn at a multiple of 512 bytes,
// or not at all, and later writes may survive where earlier ones did not.
//
// Errors are kIo with errno in os_error(), the call and the path in the message; kOutOfMemory for
// ENOMEM. A WritableFile whose Append or Sync has failed fails from then on: after a failed fsync
// the kernel may call the lost pages clean, and a second one would succeed over the loss (Rebello
// et al., "Can Applications Recover from fsync Failures?", USENIX ATC 2020).
//
// Threads. An Env: any thread. One file object: one thread at a time, unless said otherwise.

#ifndef DENTATE_STORAGE_ENV_H_
#define DENTATE_STORAGE_ENV_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"

namespace dentate::storage {

using Bytes = std::span<const std::uint8_t>;

// A file being written from its start on; what had its name before is emptied.
class WritableFile {
 public:
  virtual ~WritableFile() = default;  // closes; what was not synced may be lost
  virtual Status Append(Bytes bytes) = 0;
  // Makes room, so that appending up to `size` bytes in all does not fail for want of space. The
  // bytes not yet appended read as zeros, if they are there at all. A failure changes nothing else.
  //
  // For logs: the zeros are really written (about 0.5 ms a MiB), so that a later append changes
  // neither the file's length nor its extents, and Sync has no journal to commit: 91 us instead of
  // 144 for 4 KiB on ext4 over a virtual disk (fallocate alone: 140, its extents are still to be
  // marked as written). Reserve in steps of a MiB or so, ahead of need.
  //
  // May run on one thread while another is in Append or Sync of the same file; nothing else may.
  // Does not change size().
  virtual Status Reserve(std::uint64_t size) = 0;
  // fdatasync: what was appended survives a power cut.
  virtual Status Sync() = 0;
  // Gives back the room that was reserved and not used. Does not sync.
  virtual Status Close() = 0;
  // Bytes appended so far.
  virtual std::uint64_t size() const noexcept = 0;
};

class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  // Fills `out` from `offset` on; `read` is less where the file ends. Any thread.
  virtual Status ReadAt(std::uint64_t offset, std::span<std::uint8_t> out,
                        std::size_t& read) const = 0;
  virtual Status Size(std::uint64_t& size) const = 0;
};

// A whole file as memory, at an address that is a multiple of 4096; stays readable after the file
// has been removed. Encrypted files are decrypted copies.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  virtual Bytes bytes() const noexcept = 0;
};

// Held until it is destroyed, or the process dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
  // kIo: its path names another file by now, or none. Then the lock keeps nobody from what has come
  // there.
  virtual Status CheckInPlace() const = 0;
};

class Env {
 public:
  virtual ~Env() = default;

  virtual Status NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>& file) = 0;
  virtual Status NewReadableFile(const std::string& path, std::unique_ptr<ReadableFile>& file) = 0;
  virtual Status MapFile(const std::string& path, std::shared_ptr<const MappedFile>& file) = 0;
  // The whole of a small file.
  virtual Status ReadFile(const std::string& path, std::vector<std::uint8_t>& bytes) = 0;

  // Names, without "." and "..", sorted by their bytes.
  virtual Status ListDirectory(const std::string& path, std::vector<std::string>& names) = 0;
  // With its parents; ok where it is one already.
  virtual Status CreateDirectories(const std::string& path) = 0;
  virtual Status SyncDirectory(const std::string& path) = 0;
  // Makes the bytes of a file durable that somebody else, dead by now, wrote.
  virtual Status SyncFile(const std::string& path) = 0;
  // Replaces what has the name `to`.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  virtual Status Remove(const std::string& path) = 0;
  virtual bool Exists(const std::string& path) = 0;
  // The one absolute name of what `path` leads to, without links and dots; it must exist.
  virtual Status CanonicalPath(const std::string& path, std::string& canonical) = 0;
  // Changes whenever the file at `path` is another one or another length: inode, size, mtime.
  virtual Status FileStamp(const std::string& path, std::uint64_t& stamp) = 0;

  // Takes the lock of the file, made where missing, or fails with kLocked at once, the holder's
  // `note` in the message. `note` ("pid 42 on host", one line) is left in the file, also after the
  // lock is gone. Two locks of one process conflict like those of two. A shared lock works on a
  // file that may only be read, without leaving a note.
  virtual Status LockFile(const std::string& path, const std::string& note, bool exclusive,
                          std::unique_ptr<FileLock>& lock) = 0;
  // Whether somebody (this process too) holds the lock, shared or not, and the note in the file.
  // Does not disturb those who are about to take it.
  virtual Status LockHolder(const std::string& path, bool& held, std::string& note) = 0;

  virtual std::int64_t NowMilliseconds() = 0;  // since the Unix epoch
  virtual void SleepMilliseconds(std::uint32_t milliseconds) = 0;
  // From the operating system's generator, fit for keys.
  virtual void RandomBytes(std::span<std::uint8_t> out) = 0;
  virtual std::string HostName() = 0;
  virtual std::uint32_t ProcessId() = 0;
};

// The machine's own. Lives as long as the process.
Env& SystemEnv();

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_ENV_H_
