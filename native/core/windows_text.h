// Text between this engine, whose text is UTF-8, and Windows, whose calls take UTF-16.

#ifndef DENTATE_CORE_WINDOWS_TEXT_H_
#define DENTATE_CORE_WINDOWS_TEXT_H_

#include <string>
#include <string_view>

namespace dentate {

// What is no UTF-8, or no UTF-16, becomes U+FFFD.
std::wstring ToWide(std::string_view text);
std::string ToUtf8(std::wstring_view text);

// What Windows says of an error code, without the full stop and the end of line: of GetLastError.
std::string WindowsMessage(unsigned long error);

}  // namespace dentate

#endif  // DENTATE_CORE_WINDOWS_TEXT_H_
