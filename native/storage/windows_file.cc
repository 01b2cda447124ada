#include "storage/windows_file.h"

#include <windows.h>

#include <algorithm>

#include "core/windows_text.h"
#include "storage/growing_file.h"
#include "storage/windows_error.h"

namespace dentate::storage {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // a DWORD holds it
constexpr std::size_t kLongPath = 248;                     // the limit of CreateDirectory

OVERLAPPED At(std::uint64_t offset) noexcept {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

Status SizeOf(const Handle& handle, const std::string& path, std::uint64_t& size) {
  LARGE_INTEGER length{};
  if (GetFileSizeEx(handle.get(), &length) == 0) {
    return WindowsError("GetFileSizeEx", path, GetLastError());
  }
  size = static_cast<std::uint64_t>(length.QuadPart);
  return Status::Ok();
}

class WindowsReadableFile final : public ReadableFile {
 public:
  WindowsReadableFile(Handle handle, std::string path) noexcept
      : handle_(std::move(handle)), path_(std::move(path)) {}

  Status ReadAt(std::uint64_t offset, std::span<std::uint8_t> out,
                std::size_t& read) const override {
    return ReadFully(handle_, path_, offset, out, read);
  }
  Status Size(std::uint64_t& size) const override { return SizeOf(handle_, path_, size); }

 private:
  Handle handle_;
  std::string path_;
};

class WindowsMappedFile final : public MappedFile {
 public:
  WindowsMappedFile(void* address, std::size_t size) noexcept : address_(address), size_(size) {}
  WindowsMappedFile(const WindowsMappedFile&) = delete;
  WindowsMappedFile& operator=(const WindowsMappedFile&) = delete;
  ~WindowsMappedFile() override {
    if (address_ != nullptr) UnmapViewOfFile(address_);
  }
  Bytes bytes() const noexcept override {
    return {static_cast<const std::uint8_t*>(address_), size_};
  }

 private:
  void* address_;
  std::size_t size_;
};

}  // namespace

Handle::~Handle() {
  if (value_ != nullptr) CloseHandle(value_);
}

std::wstring WindowsPath(const std::string& path) {
  std::wstring wide = ToWide(path);
  if (wide.size() < kLongPath || wide.starts_with(L"\\\\?\\")) return wide;
  std::wstring whole(GetFullPathNameW(wide.c_str(), 0, nullptr, nullptr), L'\0');
  whole.resize(
      GetFullPathNameW(wide.c_str(), static_cast<DWORD>(whole.size()), whole.data(), nullptr));
  if (whole.empty()) return wide;
  return whole.starts_with(L"\\\\") ? L"\\\\?\\UNC" + whole.substr(1) : L"\\\\?\\" + whole;
}

Status OpenHandle(const std::string& path, unsigned long access, unsigned long disposition,
                  unsigned long flags, Handle& handle) {
  handle = Handle(CreateFileW(WindowsPath(path).c_str(), access,
                              FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                              disposition, flags, nullptr));
  return handle.valid() ? Status::Ok() : WindowsError("CreateFile", path, GetLastError());
}

Status ReadFully(const Handle& handle, const std::string& path, std::uint64_t offset,
                 std::span<std::uint8_t> out, std::size_t& read) {
  read = 0;
  while (read < out.size()) {
    OVERLAPPED place = At(offset + read);
    const auto wanted = static_cast<DWORD>(std::min(out.size() - read, kMostAtOnce));
    DWORD count = 0;
    if (ReadFile(handle.get(), out.data() + read, wanted, &count, &place) == 0) {
      const DWORD error = GetLastError();
      if (error == ERROR_HANDLE_EOF) break;
      return WindowsError("ReadFile", path, error);
    }
    if (count == 0) break;
    read += count;
  }
  return Status::Ok();
}

Status WriteFully(const Handle& handle, const std::string& path, std::uint64_t offset,
                  Bytes bytes) {
  while (!bytes.empty()) {
    OVERLAPPED place = At(offset);
    const auto wanted = static_cast<DWORD>(std::min(bytes.size(), kMostAtOnce));
    DWORD count = 0;
    if (WriteFile(handle.get(), bytes.data(), wanted, &count, &place) == 0) {
      return WindowsError("WriteFile", path, GetLastError());
    }
    bytes = bytes.subspan(count);
    offset += count;
  }
  return Status::Ok();
}

Status CutFile(const Handle& handle, const std::string& path, std::uint64_t size) {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  if (SetFileInformationByHandle(handle.get(), FileEndOfFileInfo, &end, sizeof end) == 0) {
    return WindowsError("SetFileInformationByHandle", path, GetLastError());
  }
  return Status::Ok();
}

Status SyncFile(const Handle& handle, const std::string& path) {
  if (FlushFileBuffers(handle.get()) != 0) return Status::Ok();
  return WindowsError("FlushFileBuffers", path, GetLastError());
}

Status CloseFile(Handle& handle, const std::string& path) {
  if (CloseHandle(handle.Release()) != 0) return Status::Ok();
  return WindowsError("CloseHandle", path, GetLastError());
}

Status OpenWindowsWritable(const std::string& path, std::unique_ptr<WritableFile>& file) {
  Handle handle;
  Status status = OpenHandle(path, GENERIC_WRITE, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, handle);
  if (status.ok()) file = std::make_unique<GrowingFile<Handle>>(std::move(handle), path);
  return status;
}

Status OpenWindowsReadable(const std::string& path, std::unique_ptr<ReadableFile>& file) {
  Handle handle;
  Status status = OpenHandle(path, GENERIC_READ, OPEN_EXISTING, 0, handle);
  if (status.ok()) file = std::make_unique<WindowsReadableFile>(std::move(handle), path);
  return status;
}

Status MapWindowsFile(const std::string& path, std::shared_ptr<const MappedFile>& file) {
  Handle handle;
  std::uint64_t size = 0;
  Status status = OpenHandle(path, GENERIC_READ, OPEN_EXISTING, 0, handle);
  if (status.ok()) status = SizeOf(handle, path, size);
  if (!status.ok()) return status;
  void* address = nullptr;  // of an empty file, which cannot be mapped
  if (size > 0) {
    const Handle mapping(CreateFileMappingW(handle.get(), nullptr, PAGE_READONLY, 0, 0, nullptr));
    if (!mapping.valid()) return WindowsError("CreateFileMapping", path, GetLastError());
    // The view keeps both the mapping and the file.
    address = MapViewOfFile(mapping.get(), FILE_MAP_READ, 0, 0, 0);
    if (address == nullptr) return WindowsError("MapViewOfFile", path, GetLastError());
  }
  file = std::make_shared<WindowsMappedFile>(address, static_cast<std::size_t>(size));
  return status;
}

}  // namespace dentate::storage
