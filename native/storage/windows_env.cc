// The machine's own Env on Windows: directories, clocks, random bytes. Files: windows_file.h; their
// names: windows_names.h; the lock: windows_lock.h.

#include <windows.h>
// After windows.h, whose types they use.
#include <bcrypt.h>
#include <sddl.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "core/windows_text.h"
#include "storage/env.h"
#include "storage/mix.h"
#include "storage/posix_error.h"
#include "storage/windows_error.h"
#include "storage/windows_file.h"
#include "storage/windows_lock.h"
#include "storage/windows_names.h"

namespace dentate::storage {
namespace {

// All for the owner, the system and administrators, nothing for others, and so for what is made
// inside: memories are nobody else's, whatever the folder above says.
constexpr wchar_t kOwnerOnly[] = L"D:P(A;OICI;FA;;;OW)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)";

std::string ParentOf(std::string_view path) {
  constexpr std::string_view kSlashes = "/\\";
  while (path.size() > 1 && kSlashes.find(path.back()) != std::string_view::npos) {
    path.remove_suffix(1);
  }
  const std::size_t slash = path.find_last_of(kSlashes);
  if (slash == std::string_view::npos) return ".";
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

bool IsDirectory(const std::string& path) {
  const DWORD attributes = GetFileAttributesW(WindowsPath(path).c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

DWORD MakeDirectory(const std::string& path) {
  SECURITY_ATTRIBUTES security{sizeof(SECURITY_ATTRIBUTES), nullptr, FALSE};
  if (ConvertStringSecurityDescriptorToSecurityDescriptorW(
          kOwnerOnly, SDDL_REVISION_1, &security.lpSecurityDescriptor, nullptr) == 0) {
    return GetLastError();
  }
  const DWORD error =
      CreateDirectoryW(WindowsPath(path).c_str(), &security) != 0 ? DWORD{0} : GetLastError();
  LocalFree(security.lpSecurityDescriptor);
  return error;
}

class WindowsEnv final : public Env {
 public:
  Status NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>& file) override {
    return OpenWindowsWritable(path, file);
  }
  Status NewReadableFile(const std::string& path, std::unique_ptr<ReadableFile>& file) override {
    return OpenWindowsReadable(path, file);
  }
  Status MapFile(const std::string& path, std::shared_ptr<const MappedFile>& file) override {
    return MapWindowsFile(path, file);
  }

  Status ReadFile(const std::string& path, std::vector<std::uint8_t>& bytes) override {
    std::unique_ptr<ReadableFile> file;
    Status status = OpenWindowsReadable(path, file);
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
    return ListWindowsDirectory(path, names);
  }

  Status CreateDirectories(const std::string& path) override {
    DWORD error = MakeDirectory(path);
    if (error == ERROR_PATH_NOT_FOUND) {
      const std::string parent = ParentOf(path);
      if (parent == path || parent == ".") return WindowsError("CreateDirectory", path, error);
      if (Status status = CreateDirectories(parent); !status.ok()) return status;
      error = MakeDirectory(path);
    }
    if (error == 0) return SyncDirectory(ParentOf(path));
    // ERROR_ACCESS_DENIED: of the root of a drive.
    if (IsDirectory(path)) return Status::Ok();
    if (error == ERROR_ALREADY_EXISTS) return SystemError("CreateDirectory", path, ENOTDIR);
    return WindowsError("CreateDirectory", path, error);
  }

  // NTFS keeps a journal of names, and writes it before the call that changed them ends where the
  // file is flushed too, as all of ours are. What can be done beyond is to flush the directory,
  // which not every file system lets one do.
  Status SyncDirectory(const std::string& path) override {
    Handle directory;
    Status status = OpenHandle(path, GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS, directory);
    if (status.ok()) {
      FlushFileBuffers(directory.get());
      return status;
    }
    return IsDirectory(path) ? Status::Ok() : status;
  }

  Status SyncFile(const std::string& path) override {
    Handle file;
    Status status = OpenHandle(path, GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING, 0, file);
    return status.ok() ? storage::SyncFile(file, path) : status;
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return RenameWindowsFile(from, to);
  }
  Status Remove(const std::string& path) override { return RemoveWindowsFile(path); }
  bool Exists(const std::string& path) override {
    return GetFileAttributesW(WindowsPath(path).c_str()) != INVALID_FILE_ATTRIBUTES;
  }
  Status CanonicalPath(const std::string& path, std::string& canonical) override {
    return CanonicalWindowsPath(path, canonical);
  }

  Status FileStamp(const std::string& path, std::uint64_t& stamp) override {
    Handle file;
    Status status = OpenHandle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, 0, file);
    if (!status.ok()) return status;
    BY_HANDLE_FILE_INFORMATION facts{};
    if (GetFileInformationByHandle(file.get(), &facts) == 0) {
      return WindowsError("GetFileInformationByHandle", path, GetLastError());
    }
    stamp = Mix(0, Join(facts.nFileIndexHigh, facts.nFileIndexLow));
    stamp = Mix(stamp, Join(facts.nFileSizeHigh, facts.nFileSizeLow));
    stamp =
        Mix(stamp, Join(facts.ftLastWriteTime.dwHighDateTime, facts.ftLastWriteTime.dwLowDateTime));
    return status;
  }

  Status LockFile(const std::string& path, const std::string& note, bool exclusive,
                  std::unique_ptr<FileLock>& lock) override {
    return LockWindowsFile(path, note, exclusive, lock);
  }
  Status LockHolder(const std::string& path, bool& held, std::string& note) override {
    return WindowsLockHolder(path, held, note);
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
    if (BCryptGenRandom(nullptr, out.data(), static_cast<ULONG>(out.size()),
                        BCRYPT_USE_SYSTEM_PREFERRED_RNG) < 0) {
      // A key made without it would be worse than the end.
      std::fputs("dentate: BCryptGenRandom failed\n", stderr);
      std::abort();
    }
  }

  std::string HostName() override {
    std::array<wchar_t, 256> name{};
    auto size = static_cast<DWORD>(name.size());
    if (GetComputerNameExW(ComputerNameDnsHostname, name.data(), &size) == 0) return "unknown";
    return ToUtf8({name.data(), size});
  }
  std::uint32_t ProcessId() override { return GetCurrentProcessId(); }

 private:
  static std::uint64_t Join(DWORD high, DWORD low) { return std::uint64_t{high} << 32 | low; }
};

}  // namespace

Env& SystemEnv() {
  // Never destroyed: threads that outlive main may still use it.
  static Env& env = *new WindowsEnv;
  return env;
}

}  // namespace dentate::storage
