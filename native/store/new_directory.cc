#include "store/new_directory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "storage/garbage.h"
#include "storage/log_format.h"

namespace dentate::store {
namespace {

// What a crash in the making of a store leaves of its log: a file without groups.
Status HoldsGroups(storage::Env& env, const std::string& path, bool& holds) {
  std::unique_ptr<storage::ReadableFile> file;
  std::uint64_t size = 0;
  Status status = env.NewReadableFile(path, file);
  if (status.ok()) status = file->Size(size);
  if (!status.ok()) return status;
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  std::size_t read = 0;
  status = file->ReadAt(0, bytes, read);
  bytes.resize(read);
  holds = bytes.size() > storage::kLogHeaderBytes &&
          std::any_of(bytes.begin() + storage::kLogHeaderBytes, bytes.end(),
                      [](std::uint8_t byte) { return byte != 0; });
  return status;
}

}  // namespace

Status CheckNewDirectory(storage::Env& env, const std::string& directory) {
  std::vector<std::string> names;
  Status status = env.ListDirectory(directory, names);
  if (!status.ok()) return status;
  for (const std::string& name : names) {
    if (!storage::IsDataName(name)) continue;
    bool data = true;
    std::uint64_t file = 0;
    if (storage::ParseLogFileName(name, file) && file == kFirstLogFile) {
      status = HoldsGroups(env, storage::LogFilePath(directory, file), data);
      if (!status.ok()) return status;
    }
    if (!data) continue;
    std::string message = "\"";
    message.append(directory).append("\" has \"").append(name).append("\" but no manifest");
    return {ErrorCode::kCorruption, message};
  }
  return Status::Ok();
}

}  // namespace dentate::store
