// errno as a Status.

#ifndef DENTATE_STORAGE_POSIX_ERROR_H_
#define DENTATE_STORAGE_POSIX_ERROR_H_

#include <cerrno>
#include <string>
#include <system_error>

#include "core/status.h"

namespace dentate::storage {

// `open "/a/b": no such file or directory`, with the text of `error`, an errno.
inline Status SystemError(const char* call, const std::string& path, int error) {
  return {error == ENOMEM ? ErrorCode::kOutOfMemory : ErrorCode::kIo,
          std::string(call) + " \"" + path + "\": " + std::generic_category().message(error),
          error};
}

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_POSIX_ERROR_H_
