#include <windows.h>

#include "core/library.h"
#include "core/windows_text.h"

namespace dentate {

Library Library::OfProcess() noexcept {
  return Library(static_cast<void*>(GetModuleHandleW(nullptr)));
}

Library Library::Open(const std::string& path, std::string& error) {
  const bool is_name = path.find_first_of("/\\:") == std::string::npos;
  const DWORD where = is_name ? LOAD_LIBRARY_SEARCH_APPLICATION_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32
                              : LOAD_WITH_ALTERED_SEARCH_PATH;
  std::wstring wide = ToWide(path);
  for (wchar_t& unit : wide) {
    if (unit == L'/') unit = L'\\';  // of all calls, this one wants that
  }
  const HMODULE module = LoadLibraryExW(wide.c_str(), nullptr, where);
  if (module == nullptr) error = path + ": " + WindowsMessage(GetLastError());
  return Library(static_cast<void*>(module));
}

Library::Function Library::Find(const char* name) const noexcept {
  return reinterpret_cast<Function>(GetProcAddress(static_cast<HMODULE>(handle_), name));
}

}  // namespace dentate
