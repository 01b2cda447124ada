#include "storage/log_recovery.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/crc32c.h"
#include "log_files.h"
#include "storage/fault_env.h"
#include "storage/log_format.h"

namespace dentate::storage {
namespace {

constexpr LogOptions kInline{Durability::kSync, 100, true, 4096};
constexpr std::size_t kLength = 40;
constexpr std::size_t kFrame = kFrameHeaderBytes + kLength;

// A directory whose log has `groups` groups of kLength bytes in file 1, none of them closed: as a
// killed process leaves it, but without the room it had reserved.
struct OpenedLog {
  explicit OpenedLog(std::uint64_t groups, bool close = false) {
    REQUIRE(env.CreateDirectories(path()).ok());
    REQUIRE(CreateEmptyLogFile(env, path(), kTestStore, 1, 1).ok());
    std::unique_ptr<FileLog> log;
    REQUIRE(OpenLog(env, path(), kInline, log).ok());
    for (std::uint64_t sequence = 1; sequence <= groups; ++sequence) {
      LogPosition position;
      REQUIRE(log->Append(MakeGroup(sequence, kLength), position).ok());
    }
    if (close) {
      log.reset();
      bytes = ReadAll(env, File(1));
    } else {
      bytes = ReadAll(env, File(1));
      bytes.resize(kLogHeaderBytes + groups * kFrame);
      log.reset();
      Write(1, bytes);
    }
  }

  const std::string& path() const { return directory; }
  std::string File(std::uint64_t file) const { return LogFilePath(path(), file); }
  void Write(std::uint64_t file, const std::vector<std::uint8_t>& content) {
    REQUIRE(WriteAll(env, File(file), content));
  }
  // The next writer's: appends one group of another length.
  void AppendOne() {
    std::unique_ptr<FileLog> log;
    REQUIRE(OpenLog(env, path(), kInline, log).ok());
    LogPosition position;
    REQUIRE(log->Append(MakeGroup(log->sequence() + 1, 9), position).ok());
  }

  FaultEnv env;  // in memory
  const std::string directory = "/store";
  std::vector<std::uint8_t> bytes;
};

TEST_CASE("a log cut at any byte keeps the whole groups before it, and goes on") {
  OpenedLog made(3);
  for (std::size_t cut = 0; cut <= made.bytes.size(); ++cut) {
    for (const std::size_t zeros : {0, 4096}) {
      CAPTURE(cut);
      std::vector<std::uint8_t> bytes(made.bytes.begin(),
                                      made.bytes.begin() + static_cast<std::ptrdiff_t>(cut));
      bytes.resize(cut + zeros);
      made.Write(1, bytes);
      const std::size_t whole = cut < kLogHeaderBytes ? 0 : (cut - kLogHeaderBytes) / kFrame;
      const Recovered recovered = Recover(made.env, made.path());
      REQUIRE(recovered.status.ok());
      REQUIRE(recovered.groups.size() == whole);
      REQUIRE(recovered.tail.sequence == whole);
      made.AppendOne();
      const Recovered longer = Recover(made.env, made.path());
      REQUIRE(longer.status.ok());
      REQUIRE(longer.groups.size() == whole + 1);
      REQUIRE(longer.groups.back() == MakeGroup(whole + 1, 9));
      if (made.env.Exists(made.File(2))) REQUIRE(made.env.Remove(made.File(2)).ok());
    }
  }
}

TEST_CASE("any damage below the newest mark is told from a torn tail") {
  for (const bool closed : {false, true}) {
    OpenedLog made(4, closed);
    REQUIRE(made.bytes.size() == kLogHeaderBytes + 4 * kFrame + (closed ? kFrameHeaderBytes : 0));
    for (std::size_t at = 0; at < made.bytes.size(); ++at) {
      CAPTURE(at);
      std::vector<std::uint8_t> bytes = made.bytes;
      bytes[at] ^= 0x10;
      made.Write(1, bytes);
      const Recovered recovered = Recover(made.env, made.path());
      // Each write vouches for those before it; the last one is vouched for by the mark of closing.
      const std::size_t vouched = kLogHeaderBytes + (closed ? 4 : 3) * kFrame;
      if (at < vouched) {
        REQUIRE(recovered.status.code() == ErrorCode::kCorruption);
      } else {
        REQUIRE(recovered.status.ok());
        REQUIRE(recovered.groups.size() == (closed ? 4 : 3));
        REQUIRE(recovered.tail.torn);
      }
    }
  }
}

TEST_CASE("a later file vouches for the one before it") {
  OpenedLog made(2);
  made.AppendOne();
  const std::vector<std::uint8_t> second = ReadAll(made.env, made.File(2));
  std::vector<std::uint8_t> bytes = made.bytes;
  bytes[kLogHeaderBytes + kFrame - 1] ^= 1;
  made.Write(1, bytes);
  CHECK(Recover(made.env, made.path()).status.code() == ErrorCode::kCorruption);
  // Of the last group nothing in the first file says that it was synced: it is in the second, too.
  bytes = made.bytes;
  bytes.back() ^= 1;
  made.Write(1, bytes);
  CHECK(Recover(made.env, made.path()).groups.size() == 3);
  made.Write(1, made.bytes);
  REQUIRE(Recover(made.env, made.path()).groups.size() == 3);

  // Without its header, but with the group.
  std::vector<std::uint8_t> headless = second;
  headless[40] ^= 1;
  made.Write(2, headless);
  CHECK(Recover(made.env, made.path()).status.code() == ErrorCode::kCorruption);
  // Whereas a file without either was never begun.
  made.Write(2, std::vector<std::uint8_t>(5000));
  CHECK(Recover(made.env, made.path()).groups.size() == 2);
  CHECK(Recover(made.env, made.path()).tail.next_file == 2);
  // A hole is damage, whatever is in the files behind it.
  made.Write(4, std::vector<std::uint8_t>(5000));
  CHECK(Recover(made.env, made.path()).status.code() == ErrorCode::kCorruption);
  made.Write(3, std::vector<std::uint8_t>(5000));
  CHECK(Recover(made.env, made.path()).status.code() == ErrorCode::kCorruption);
}

TEST_CASE("frames behind a torn one do not count, then or later") {
  OpenedLog made(1);
  // Three groups in one write: all say that group 1 was synced, none that 2 was.
  LogFileId id;
  REQUIRE(MakeLogFileId(kTestStore, 1, id).ok());
  std::vector<std::uint8_t> bytes = made.bytes;
  for (std::uint64_t sequence = 2; sequence <= 4; ++sequence) {
    const std::vector<std::uint8_t> group = MakeGroup(sequence, kLength);
    const FrameHeaderBytes header = EncodeFrameHeader(
        id.FrameSeed(), {Crc32c(group), std::uint32_t{kLength}, kGroupFrame, sequence, 1});
    bytes.insert(bytes.end(), header.begin(), header.end());
    bytes.insert(bytes.end(), group.begin(), group.end());
  }
  made.Write(1, bytes);
  REQUIRE(Recover(made.env, made.path()).groups.size() == 4);
  bytes[kLogHeaderBytes + 2 * kFrame + kFrameHeaderBytes] ^= 1;
  made.Write(1, bytes);
  REQUIRE(Recover(made.env, made.path()).groups.size() == 2);
  made.AppendOne();
  const Recovered recovered = Recover(made.env, made.path());
  REQUIRE(recovered.status.ok());
  REQUIRE(recovered.groups.size() == 3);
  CHECK(recovered.groups.back() == MakeGroup(3, 9));
  // The same bytes in another file, or another store, are no frames.
  made.Write(2, ReadAll(made.env, made.File(1)));
  CHECK(Recover(made.env, made.path()).status.code() == ErrorCode::kCorruption);
}

TEST_CASE("a file of a newer format, of another store or number is refused") {
  OpenedLog made(1);
  std::vector<std::uint8_t> bytes = made.bytes;
  const auto fix = [&] {
    const std::uint32_t checksum = Crc32c(Bytes(bytes).first(60));
    for (std::size_t i = 0; i < 4; ++i)
      bytes[60 + i] = static_cast<std::uint8_t>(checksum >> 8 * i);
    made.Write(1, bytes);
  };
  bytes[8] = 2;
  fix();
  CHECK(Recover(made.env, made.path()).status.code() == ErrorCode::kVersion);
  for (const std::size_t at : {8, 12, 16, 31, 32, 40, 59}) {
    bytes = made.bytes;
    bytes[at] ^= at == 8 ? 1 : 0xff;
    fix();
    CHECK(Recover(made.env, made.path()).status.code() == ErrorCode::kCorruption);
  }
}

TEST_CASE("names of log files are parsed as they are made, and no others") {
  std::uint64_t file = 0;
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    REQUIRE(ParseLogFileName(LogFileName(number), file));
    CHECK(file == number);
  }
  CHECK(LogFileName(0x1a2b) == "log-0000000000001a2b.log");
  for (const char* name : {"", "log-.log", "log-1.log", "log-0000000000001A2b.log",
                           "log-0000000000001a2b.log.tmp", "xlog-0000000000001a2b.log"}) {
    CHECK(!ParseLogFileName(name, file));
  }
}

}  // namespace
}  // namespace dentate::storage
