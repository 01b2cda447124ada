// What the tests of the machine's own files write into them and read from them: text.

#ifndef DENTATE_TEST_STORAGE_FILE_TEXT_H_
#define DENTATE_TEST_STORAGE_FILE_TEXT_H_

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/env.h"

namespace dentate::storage {

inline Bytes AsBytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string Text(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

inline std::string Content(const std::string& path) {
  std::vector<std::uint8_t> bytes;
  REQUIRE(SystemEnv().ReadFile(path, bytes).ok());
  return Text(bytes);
}

inline void Write(const std::string& path, std::string_view text) {
  std::unique_ptr<WritableFile> file;
  REQUIRE(SystemEnv().NewWritableFile(path, file).ok());
  REQUIRE(file->Append(AsBytes(text)).ok());
  REQUIRE(file->Sync().ok());
  REQUIRE(file->Close().ok());
}

}  // namespace dentate::storage

#endif  // DENTATE_TEST_STORAGE_FILE_TEXT_H_
