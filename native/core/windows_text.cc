#include "core/windows_text.h"

#include <windows.h>

#include <array>

namespace dentate {

std::wstring ToWide(std::string_view text) {
  const int bytes = static_cast<int>(text.size());
  std::wstring wide(
      static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0)),
      L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, wide.data(), static_cast<int>(wide.size()));
  return wide;
}

std::string ToUtf8(std::wstring_view text) {
  const int units = static_cast<int>(text.size());
  std::string utf8(static_cast<std::size_t>(WideCharToMultiByte(CP_UTF8, 0, text.data(), units,
                                                                nullptr, 0, nullptr, nullptr)),
                   '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), units, utf8.data(), static_cast<int>(utf8.size()),
                      nullptr, nullptr);
  return utf8;
}

std::string WindowsMessage(unsigned long error) {
  std::array<wchar_t, 512> text{};
  const DWORD units = FormatMessageW(
      FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK,
      nullptr, error, 0, text.data(), static_cast<DWORD>(text.size()), nullptr);
  std::wstring_view message(text.data(), units);
  while (!message.empty() && (message.back() == L' ' || message.back() == L'.')) {
    message.remove_suffix(1);
  }
  if (message.empty()) return "windows error " + std::to_string(error);
  return ToUtf8(message);
}

}  // namespace dentate
