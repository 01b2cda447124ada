// A directory for one test, with all that is in it removed at the end.

#ifndef DENTATE_TEST_STORAGE_TEMPORARY_DIRECTORY_H_
#define DENTATE_TEST_STORAGE_TEMPORARY_DIRECTORY_H_

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>

namespace dentate::storage {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::random_device random;
    const auto name = "dentate-" + std::to_string(random()) + std::to_string(random());
    const auto path = std::filesystem::temp_directory_path() / name;
    if (!std::filesystem::create_directory(path)) std::abort();
    path_ = path.string();
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const noexcept { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace dentate::storage

#endif  // DENTATE_TEST_STORAGE_TEMPORARY_DIRECTORY_H_
