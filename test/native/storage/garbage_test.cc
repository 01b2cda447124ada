#include "storage/garbage.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "storage/temporary_directory.h"

namespace dentate::storage {

TEST_CASE("only what the manifest does not name is garbage, and only files of a store") {
  TemporaryDirectory directory;
  Env& env = SystemEnv();
  const std::string named = "segment-0123456789abcdef0123456789abcdef.seg";
  const std::string unnamed = "segment-0123456789abcdef0123456789abcdee.seg";
  std::vector<std::string> kept = {
      "KEY",
      "LOCK",
      "MANIFEST",
      "MANIFEST.tmp.txt",
      "log-0000000000000010.log",  // 16
      "log-ffffffffffffffff.log",
      "log-000000000000000A.log",
      "log-1.log",
      "notes.txt",
      named,
      "segment-0123456789ABCDEF0123456789abcdef.seg",
      "segment-0123456789abcdef.seg",
      "segment-tmp-0123456789abcde.",
  };
  std::vector<std::string> garbage = {"MANIFEST.tmp", "log-0000000000000000.log",
                                      "log-000000000000000f.log", unnamed,
                                      "segment-tmp-0123456789abcdef"};
  for (const auto* names : {&kept, &garbage}) {
    for (const std::string& name : *names) {
      std::unique_ptr<WritableFile> file;
      REQUIRE(env.NewWritableFile(directory / name, file).ok());
    }
  }
  Manifest manifest;
  manifest.first_log_file = 16;
  manifest.segments = {{named, 0, 1, 1}};
  std::vector<std::string> names;
  REQUIRE(ListGarbage(env, directory.path(), manifest, names).ok());
  CHECK(names == garbage);
  REQUIRE(RemoveGarbage(env, directory.path(), manifest).ok());
  REQUIRE(env.ListDirectory(directory.path(), names).ok());
  std::sort(kept.begin(), kept.end());
  CHECK(names == kept);
}

TEST_CASE("segments and log files are data, nothing else is") {
  CHECK(IsDataName("segment-0123456789abcdef0123456789abcdef.seg"));
  CHECK(IsDataName("log-0123456789abcdef.log"));
  for (const char* name : {"MANIFEST", "MANIFEST.tmp", "LOCK", "KEY", "readers", "segment-tmp-0",
                           "log-0123456789abcdef", ""}) {
    CHECK_FALSE(IsDataName(name));
  }
}

}  // namespace dentate::storage
