#include "storage/windows_names.h"

#include <windows.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "core/windows_text.h"
#include "storage/windows_error.h"
#include "storage/windows_file.h"

namespace dentate::storage {
namespace {

// MinGW's headers of 2022 hide the names of these two, by a comparison that is never true.
constexpr auto kDispositionEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(21);
constexpr auto kRenameEx = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);

constexpr DWORD kPauseMs = 10;
constexpr int kTries = 50;

// What a file somebody else has open for a moment answers.
bool MayPass(DWORD error) {
  return error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED;
}

// An older system, or a file system without these names' semantics.
bool IsUnknown(DWORD error) {
  return error == ERROR_INVALID_PARAMETER || error == ERROR_INVALID_FUNCTION ||
         error == ERROR_NOT_SUPPORTED || error == ERROR_CALL_NOT_IMPLEMENTED;
}

// Until it answers 0, or has failed for another reason or for long.
template <typename Call>
DWORD Repeat(const Call& call) {
  DWORD error = call();
  for (int i = 1; i < kTries && MayPass(error); ++i) {
    Sleep(kPauseMs);
    error = call();
  }
  return error;
}

DWORD LastErrorUnless(BOOL done) { return done != 0 ? DWORD{0} : GetLastError(); }

Handle Open(const std::wstring& path, DWORD access) {
  return Handle(CreateFileW(path.c_str(), access,
                            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                            OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
}

DWORD RenameLikePosix(const std::wstring& from, const std::wstring& to) {
  const Handle file = Open(from, DELETE | GENERIC_WRITE);
  if (!file.valid()) return GetLastError();
  const std::size_t name_bytes = to.size() * sizeof(wchar_t);
  std::vector<std::byte> bytes(sizeof(FILE_RENAME_INFO) + name_bytes);
  FILE_RENAME_INFO info{};
  info.Flags = FILE_RENAME_FLAG_REPLACE_IF_EXISTS | FILE_RENAME_FLAG_POSIX_SEMANTICS;
  info.FileNameLength = static_cast<DWORD>(name_bytes);
  std::memcpy(bytes.data(), &info, sizeof info);
  // Behind the name a zero, since the structure ends with one unit of it.
  std::memcpy(bytes.data() + offsetof(FILE_RENAME_INFO, FileName), to.data(), name_bytes);
  DWORD error = LastErrorUnless(SetFileInformationByHandle(file.get(), kRenameEx, bytes.data(),
                                                           static_cast<DWORD>(bytes.size())));
  if (error == 0) error = LastErrorUnless(FlushFileBuffers(file.get()));
  return error;
}

DWORD RemoveLikePosix(const std::wstring& path) {
  const Handle file = Open(path, DELETE);
  if (!file.valid()) return GetLastError();
  FILE_DISPOSITION_INFO_EX info{};
  info.Flags = FILE_DISPOSITION_FLAG_DELETE | FILE_DISPOSITION_FLAG_POSIX_SEMANTICS;
  return LastErrorUnless(
      SetFileInformationByHandle(file.get(), kDispositionEx, &info, sizeof info));
}

}  // namespace

Status RenameWindowsFile(const std::string& from, const std::string& to) {
  const std::wstring wide_from = WindowsPath(from);
  const std::wstring wide_to = WindowsPath(to);
  const DWORD error = Repeat([&] {
    const DWORD failed = RenameLikePosix(wide_from, wide_to);
    if (!IsUnknown(failed)) return failed;
    return LastErrorUnless(MoveFileExW(wide_from.c_str(), wide_to.c_str(),
                                       MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH));
  });
  return error == 0 ? Status::Ok() : WindowsError("rename", from, error);
}

Status RemoveWindowsFile(const std::string& path) {
  const std::wstring wide = WindowsPath(path);
  const DWORD error = Repeat([&] {
    const DWORD failed = RemoveLikePosix(wide);
    return IsUnknown(failed) ? LastErrorUnless(DeleteFileW(wide.c_str())) : failed;
  });
  return error == 0 ? Status::Ok() : WindowsError("remove", path, error);
}

Status ListWindowsDirectory(const std::string& path, std::vector<std::string>& names) {
  names.clear();
  WIN32_FIND_DATAW found{};
  const HANDLE search = FindFirstFileExW(WindowsPath(path + "/*").c_str(), FindExInfoBasic, &found,
                                         FindExSearchNameMatch, nullptr, 0);
  // Of a root, which has no "." and "..", if it is empty.
  if (search == INVALID_HANDLE_VALUE && GetLastError() == ERROR_FILE_NOT_FOUND) {
    return Status::Ok();
  }
  if (search == INVALID_HANDLE_VALUE) return WindowsError("FindFirstFile", path, GetLastError());
  do {
    const std::wstring_view name(static_cast<const wchar_t*>(found.cFileName));
    if (name != L"." && name != L"..") names.push_back(ToUtf8(name));
  } while (FindNextFileW(search, &found) != 0);
  const DWORD error = GetLastError();
  FindClose(search);
  if (error != ERROR_NO_MORE_FILES) return WindowsError("FindNextFile", path, error);
  std::sort(names.begin(), names.end());
  return Status::Ok();
}

Status CanonicalWindowsPath(const std::string& path, std::string& canonical) {
  Handle file;
  // The flag opens directories.
  Status status = OpenHandle(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, file);
  if (!status.ok()) return status;
  std::wstring name(GetFinalPathNameByHandleW(file.get(), nullptr, 0, VOLUME_NAME_DOS), L'\0');
  name.resize(GetFinalPathNameByHandleW(file.get(), name.data(), static_cast<DWORD>(name.size()),
                                        VOLUME_NAME_DOS));
  if (name.empty()) return WindowsError("GetFinalPathNameByHandle", path, GetLastError());
  // The form that people write, and Node.js: C:\a, \\server\share\a.
  constexpr std::wstring_view kShare = L"\\\\?\\UNC\\";
  constexpr std::wstring_view kDrive = L"\\\\?\\";
  if (name.starts_with(kShare)) {
    name.replace(0, kShare.size(), L"\\\\");
  } else if (name.starts_with(kDrive)) {
    name.erase(0, kDrive.size());
  }
  canonical = ToUtf8(name);
  return Status::Ok();
}

}  // namespace dentate::storage
