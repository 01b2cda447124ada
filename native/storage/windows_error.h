// GetLastError as a Status: kIo with the errno that a POSIX system would give, since errno is what
// callers look at (env.h), and Windows' own words.

#ifndef DENTATE_STORAGE_WINDOWS_ERROR_H_
#define DENTATE_STORAGE_WINDOWS_ERROR_H_

#include <string>

#include "core/status.h"

namespace dentate::storage {

// EIO for what has no counterpart.
int ErrnoOf(unsigned long error) noexcept;

// `CreateFile "C:/a": The system cannot find the file specified`, with an error of GetLastError.
Status WindowsError(const char* call, const std::string& path, unsigned long error);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_WINDOWS_ERROR_H_
