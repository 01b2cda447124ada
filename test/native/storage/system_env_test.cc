#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <set>
#include <string_view>
#include <thread>

#include "storage/env.h"
#include "storage/file_text.h"
#include "storage/temporary_directory.h"

namespace dentate::storage {
TEST_CASE("what is appended is read back, in full and in part") {
  const TemporaryDirectory directory;
  std::unique_ptr<WritableFile> writable;
  REQUIRE(SystemEnv().NewWritableFile(directory / "a", writable).ok());
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = std::to_string(i);
    REQUIRE(writable->Append(AsBytes(text)).ok());
    all += text;
  }
  CHECK(writable->size() == all.size());
  REQUIRE(writable->Close().ok());
  CHECK(Content(directory / "a") == all);

  std::unique_ptr<ReadableFile> readable;
  REQUIRE(SystemEnv().NewReadableFile(directory / "a", readable).ok());
  std::uint64_t size = 0;
  REQUIRE(readable->Size(size).ok());
  CHECK(size == all.size());
  std::vector<std::uint8_t> part(100);
  std::size_t read = 0;
  REQUIRE(readable->ReadAt(7, part, read).ok());
  CHECK(read == 100);
  CHECK(Text(part) == all.substr(7, 100));
  REQUIRE(readable->ReadAt(all.size() - 3, part, read).ok());
  CHECK(read == 3);
  CHECK(Text(Bytes(part).first(3)) == all.substr(all.size() - 3));
  REQUIRE(readable->ReadAt(all.size() + 5, part, read).ok());
  CHECK(read == 0);
}

TEST_CASE("a file that is written anew starts empty") {
  const TemporaryDirectory directory;
  Write(directory / "a", "the longer text");
  Write(directory / "a", "short");
  CHECK(Content(directory / "a") == "short");
}

TEST_CASE("reserved bytes read as zeros and are given back by Close") {
  const TemporaryDirectory directory;
  std::unique_ptr<WritableFile> writable;
  REQUIRE(SystemEnv().NewWritableFile(directory / "a", writable).ok());
  REQUIRE(writable->Reserve(100'000).ok());
  CHECK(writable->size() == 0);
  REQUIRE(writable->Append(AsBytes("first")).ok());
  REQUIRE(writable->Reserve(10).ok());  // is there already
  std::string content = Content(directory / "a");
  CHECK(content.size() == 100'000);
  CHECK(content.substr(0, 5) == "first");
  CHECK(std::count(content.begin(), content.end(), '\0') == 100'000 - 5);

  const std::string more(99'999, 'x');  // goes on past the reserved room
  REQUIRE(writable->Append(AsBytes(more)).ok());
  REQUIRE(writable->Reserve(300'000).ok());
  REQUIRE(writable->Sync().ok());
  CHECK(writable->size() == 5 + more.size());
  REQUIRE(writable->Close().ok());
  CHECK(Content(directory / "a") == "first" + more);
}

TEST_CASE("room is reserved on one thread while another appends past it") {
  const TemporaryDirectory directory;
  std::unique_ptr<WritableFile> writable;
  REQUIRE(SystemEnv().NewWritableFile(directory / "a", writable).ok());
  std::string all;
  std::atomic<bool> done{false};
  std::thread reserver([&] {
    constexpr std::uint64_t kMost = 4 << 20;
    for (std::uint64_t size = 0; !done && size < kMost; size += 5000) {
      CHECK(writable->Reserve(size).ok());
    }
  });
  for (int i = 0; i < 300; ++i) {
    const std::string text(static_cast<std::size_t>(i) * 17, static_cast<char>('a' + i % 26));
    REQUIRE(writable->Append(AsBytes(text)).ok());
    if (i % 50 == 0) REQUIRE(writable->Sync().ok());
    all += text;
  }
  done = true;
  reserver.join();
  REQUIRE(writable->Close().ok());
  CHECK(Content(directory / "a") == all);
}

TEST_CASE("a file that is closed without Close gives its room back too") {
  const TemporaryDirectory directory;
  {
    std::unique_ptr<WritableFile> writable;
    REQUIRE(SystemEnv().NewWritableFile(directory / "a", writable).ok());
    REQUIRE(writable->Reserve(4096).ok());
    REQUIRE(writable->Append(AsBytes("text")).ok());
  }
  CHECK(Content(directory / "a") == "text");
}

TEST_CASE("a closed file keeps failing") {
  const TemporaryDirectory directory;
  std::unique_ptr<WritableFile> writable;
  REQUIRE(SystemEnv().NewWritableFile(directory / "a", writable).ok());
  REQUIRE(writable->Close().ok());
  CHECK(writable->Append(AsBytes("text")).os_error() == EBADF);
  CHECK(writable->Sync().os_error() == EBADF);
  CHECK(writable->Reserve(10).os_error() == EBADF);
}

TEST_CASE("a mapped file outlives its name, and an empty one maps to nothing") {
  const TemporaryDirectory directory;
  const std::string text(10'000, 'm');
  Write(directory / "a", text);
  Write(directory / "empty", "");
  std::shared_ptr<const MappedFile> mapped;
  std::shared_ptr<const MappedFile> empty;
  REQUIRE(SystemEnv().MapFile(directory / "a", mapped).ok());
  REQUIRE(SystemEnv().MapFile(directory / "empty", empty).ok());
  REQUIRE(SystemEnv().Remove(directory / "a").ok());
  CHECK(Text(mapped->bytes()) == text);
  CHECK(reinterpret_cast<std::uintptr_t>(mapped->bytes().data()) % 4096 == 0);
  CHECK(empty->bytes().empty());
}

TEST_CASE("what is not there is kIo with errno, path and call") {
  const TemporaryDirectory directory;
  Env& env = SystemEnv();
  const std::string path = directory / "missing";
  std::unique_ptr<ReadableFile> readable;
  std::shared_ptr<const MappedFile> mapped;
  std::unique_ptr<WritableFile> writable;
  std::vector<std::uint8_t> bytes;
  std::vector<std::string> names;
  std::uint64_t stamp = 0;
  bool held = true;
  std::string note;
  for (const Status& status :
       {env.NewReadableFile(path, readable), env.MapFile(path, mapped), env.ReadFile(path, bytes),
        env.ListDirectory(path, names), env.SyncDirectory(path), env.SyncFile(path),
        env.CanonicalPath(path, note), env.Rename(path, path + "2"), env.Remove(path),
        env.FileStamp(path, stamp), env.LockHolder(path, held, note),
        env.NewWritableFile(path + "/a", writable)}) {
    CHECK(status.code() == ErrorCode::kIo);
    CHECK(status.os_error() == ENOENT);
    CHECK(status.message().find(path) != std::string::npos);
  }
  CHECK(!held);
  CHECK(!env.Exists(path));
}

TEST_CASE("directories are made with their parents and list their names in order") {
  const TemporaryDirectory directory;
  Env& env = SystemEnv();
  const std::string path = directory / "x/y//z/";
  REQUIRE(env.CreateDirectories(path).ok());
  REQUIRE(env.CreateDirectories(path).ok());
  Write(path + "b", "1");
  Write(path + "a", "2");
  Write(path + "C", "3");
  REQUIRE(env.SyncDirectory(path).ok());
  std::vector<std::string> names{"left over"};
  REQUIRE(env.ListDirectory(path, names).ok());
  CHECK(names == std::vector<std::string>{"C", "a", "b"});
  CHECK(env.CreateDirectories(path + "a").os_error() == ENOTDIR);
  CHECK(env.CreateDirectories(path + "a/b").os_error() == ENOTDIR);

  REQUIRE(env.Rename(path + "a", path + "b").ok());
  REQUIRE(env.Remove(path + "C").ok());
  REQUIRE(env.ListDirectory(path, names).ok());
  CHECK(names == std::vector<std::string>{"b"});
  CHECK(Content(path + "b") == "2");
}

TEST_CASE("a directory has one canonical name") {
  const TemporaryDirectory directory;
  Env& env = SystemEnv();
  REQUIRE(env.CreateDirectories(directory / "x/y").ok());
  std::string direct;
  std::string roundabout;
  REQUIRE(env.CanonicalPath(directory / "x/y", direct).ok());
  REQUIRE(env.CanonicalPath(directory / "x/../x/./y/", roundabout).ok());
  CHECK(direct == roundabout);
  CHECK((direct.ends_with("/x/y") || direct.ends_with("\\x\\y")));
}

TEST_CASE("names may be long, and of any script") {
  const TemporaryDirectory directory;
  Env& env = SystemEnv();
  std::string path = directory / "Gedächtnis 記憶";
  for (int i = 0; i < 6; ++i) path += "/" + std::string(60, static_cast<char>('a' + i));
  REQUIRE(env.CreateDirectories(path).ok());
  Write(path + "/é", "text");
  CHECK(Content(path + "/é") == "text");
  std::vector<std::string> names;
  REQUIRE(env.ListDirectory(path, names).ok());
  CHECK(names == std::vector<std::string>{"é"});
  REQUIRE(env.Rename(path + "/é", path + "/f").ok());
  REQUIRE(env.Remove(path + "/f").ok());
  CHECK(!env.Exists(path + "/f"));
}

TEST_CASE("a file that is open is replaced, and its old bytes stay readable") {
  const TemporaryDirectory directory;
  Env& env = SystemEnv();
  Write(directory / "a", "old");
  Write(directory / "b", "new");
  std::unique_ptr<ReadableFile> open;
  REQUIRE(env.NewReadableFile(directory / "a", open).ok());
  const Status replaced = env.Rename(directory / "b", directory / "a");
  if (replaced.os_error() == EACCES) {
    MESSAGE("not on this system (windows_names.h): " << replaced.message());
    return;
  }
  REQUIRE(replaced.ok());
  CHECK(Content(directory / "a") == "new");
  std::vector<std::uint8_t> bytes(3);
  std::size_t read = 0;
  REQUIRE(open->ReadAt(0, bytes, read).ok());
  CHECK(Text(bytes) == "old");
}

TEST_CASE("what somebody else wrote can be synced") {
  const TemporaryDirectory directory;
  Write(directory / "a", "text");
  CHECK(SystemEnv().SyncFile(directory / "a").ok());
}

TEST_CASE("the stamp of a file changes with its content and with its inode") {
  const TemporaryDirectory directory;
  Env& env = SystemEnv();
  std::set<std::uint64_t> stamps;
  std::uint64_t stamp = 0;
  std::unique_ptr<WritableFile> writable;
  REQUIRE(env.NewWritableFile(directory / "a", writable).ok());
  for (int i = 0; i < 10; ++i) {
    REQUIRE(env.FileStamp(directory / "a", stamp).ok());
    stamps.insert(stamp);
    REQUIRE(env.FileStamp(directory / "a", stamp).ok());
    stamps.insert(stamp);
    REQUIRE(writable->Append(AsBytes("x")).ok());
  }
  CHECK(stamps.size() == 10);
  REQUIRE(writable->Close().ok());
  Write(directory / "b", "xxxxxxxxxx");
  REQUIRE(env.Rename(directory / "b", directory / "a").ok());
  REQUIRE(env.FileStamp(directory / "a", stamp).ok());
  CHECK(!stamps.contains(stamp));
}

TEST_CASE("a lock excludes others of the same process, and names its holder") {
  const TemporaryDirectory directory;
  Env& env = SystemEnv();
  const std::string path = directory / "LOCK";
  std::unique_ptr<FileLock> first;
  std::unique_ptr<FileLock> second;
  bool held = true;
  std::string note;
  REQUIRE(env.LockFile(path, "pid 1 on somewhere.example", true, first).ok());
  const Status status = env.LockFile(path, "pid 2", true, second);
  CHECK(status.code() == ErrorCode::kLocked);
  CHECK(status.message().find("pid 1 on somewhere.example") != std::string::npos);
  CHECK(second == nullptr);
  CHECK(env.LockFile(path, "pid 2", false, second).code() == ErrorCode::kLocked);
  REQUIRE(env.LockHolder(path, held, note).ok());
  CHECK(held);
  CHECK(note == "pid 1 on somewhere.example");

  first.reset();
  REQUIRE(env.LockHolder(path, held, note).ok());
  CHECK(!held);
  CHECK(note == "pid 1 on somewhere.example");
  REQUIRE(env.LockFile(path, "pid 2", true, second).ok());
  REQUIRE(env.LockHolder(path, held, note).ok());
  CHECK(held);
  CHECK(note == "pid 2");
}

TEST_CASE("shared locks admit each other and keep an exclusive one out") {
  const TemporaryDirectory directory;
  Env& env = SystemEnv();
  const std::string path = directory / "reader";
  std::unique_ptr<FileLock> first;
  std::unique_ptr<FileLock> second;
  std::unique_ptr<FileLock> writer;
  bool held = false;
  std::string note;
  REQUIRE(env.LockFile(path, "pid 1", false, first).ok());
  REQUIRE(env.LockFile(path, "pid 2", false, second).ok());
  CHECK(env.LockFile(path, "pid 3", true, writer).code() == ErrorCode::kLocked);
  first.reset();
  REQUIRE(env.LockHolder(path, held, note).ok());
  CHECK(held);
  second.reset();
  CHECK(env.LockFile(path, "pid 3", true, writer).ok());
}

TEST_CASE("clocks run, names are there, random bytes differ") {
  Env& env = SystemEnv();
  CHECK(env.NowMilliseconds() > INT64_C(1'500'000'000'000));
  // That one may be set; this one is not.
  const auto before = std::chrono::steady_clock::now();
  env.SleepMilliseconds(5);
  CHECK(std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(5));
  CHECK(!env.HostName().empty());
  CHECK(env.ProcessId() != 0);
  std::vector<std::uint8_t> random(1000);
  env.RandomBytes(random);
  const std::set<std::uint8_t> values(random.begin(), random.end());
  CHECK(values.size() > 200);  // of 256; about 251 are expected
}

}  // namespace dentate::storage
