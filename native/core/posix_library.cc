#include <dlfcn.h>

#include "core/library.h"

namespace dentate {

Library Library::OfProcess() noexcept {
  // Not RTLD_DEFAULT, which is null on Linux and would not be valid().
  return Library(dlopen(nullptr, RTLD_NOW | RTLD_LOCAL));
}

Library Library::Open(const std::string& path, std::string& error) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    // Of the thread's last failure, in glibc and musl, so that nobody else's is read.
    const char* const text = dlerror();  // NOLINT(concurrency-mt-unsafe)
    error = text == nullptr ? "no reason given" : text;
  }
  return Library(handle);
}

Library::Function Library::Find(const char* name) const noexcept {
  // POSIX lets a pointer to an object be one to a function.
  return reinterpret_cast<Function>(dlsym(handle_, name));
}

}  // namespace dentate
