// A small language for damage to log files, and what the tests of the log share.

#ifndef DENTATE_TEST_STORAGE_LOG_FILES_H_
#define DENTATE_TEST_STORAGE_LOG_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/status.h"
#include "storage/env.h"
#include "storage/file_log.h"
#include "storage/log_recovery.h"

namespace dentate::storage {

inline constexpr char kTestStore[] = "00112233445566778899aabbccddeeff";

// Of any length from a few bytes on, different for each sequence.
inline std::vector<std::uint8_t> MakeGroup(std::uint64_t sequence, std::size_t length) {
  std::vector<std::uint8_t> group(length);
  std::uint64_t state = sequence * 0x9e3779b97f4a7c15;
  for (std::uint8_t& byte : group) {
    state = state * 6364136223846793005 + 1442695040888963407;
    byte = static_cast<std::uint8_t>(state >> 56);
  }
  return group;
}

struct Recovered {
  Status status;
  std::vector<std::vector<std::uint8_t>> groups;  // those after `after`, from after + 1 on
  LogTail tail;
};

inline Recovered Recover(Env& env, const std::string& directory, std::uint64_t first_file = 1,
                         std::uint64_t after = 0) {
  Recovered recovered;
  std::uint64_t expected = after;
  recovered.status = RecoverLog(
      env, directory, kTestStore, first_file, after,
      [&](const LogPosition& position, Bytes group) {
        if (position.sequence != ++expected) return Status(ErrorCode::kInternal, "out of order");
        recovered.groups.emplace_back(group.begin(), group.end());
        return Status::Ok();
      },
      recovered.tail);
  return recovered;
}

inline Status OpenLog(Env& env, const std::string& directory, const LogOptions& options,
                      std::unique_ptr<FileLog>& log, Log::Listener listener = {}) {
  return FileLog::Open(
      env, directory, kTestStore, 1, 0, options,
      [](const LogPosition&, Bytes) { return Status::Ok(); }, std::move(listener), log);
}

inline std::vector<std::uint8_t> ReadAll(Env& env, const std::string& path) {
  std::vector<std::uint8_t> bytes;
  if (!env.ReadFile(path, bytes).ok()) bytes.clear();
  return bytes;
}

inline bool WriteAll(Env& env, const std::string& path, Bytes bytes) {
  std::unique_ptr<WritableFile> file;
  return env.NewWritableFile(path, file).ok() && file->Append(bytes).ok() && file->Sync().ok() &&
         file->Close().ok();
}

}  // namespace dentate::storage

#endif  // DENTATE_TEST_STORAGE_LOG_FILES_H_
