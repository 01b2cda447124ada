// Libraries that are opened at run time: libcrypto, and the CUDA plugin (posix_library.cc,
// windows_library.cc).
//
// What was opened stays loaded as long as the process. Threads: any.

#ifndef DENTATE_CORE_LIBRARY_H_
#define DENTATE_CORE_LIBRARY_H_

#include <string>

namespace dentate {

class Library {
 public:
  // All that the process has loaded and exports; on Windows, of the program itself.
  static Library OfProcess() noexcept;
  // A path; or a bare name, which is looked for where the system keeps libraries (on Windows also
  // beside the program), never in the current directory. Not valid() where there is none that can
  // be loaded, and `error` says why.
  static Library Open(const std::string& path, std::string& error);

  bool valid() const noexcept { return handle_ != nullptr; }
  // A function, as any other type of function; null where there is none.
  using Function = void (*)();
  Function Find(const char* name) const noexcept;

 private:
  explicit Library(void* handle) noexcept : handle_(handle) {}

  void* handle_;
};

}  // namespace dentate

#endif  // DENTATE_CORE_LIBRARY_H_
