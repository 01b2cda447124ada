#include "storage/fault_env.h"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

namespace dentate::storage {
namespace {

Bytes AsBytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string Content(const FaultEnv& env, const std::string& path) {
  const auto bytes = env.Content(path);
  return {bytes.begin(), bytes.end()};
}

std::unique_ptr<WritableFile> Open(FaultEnv& env, const std::string& path) {
  std::unique_ptr<WritableFile> file;
  REQUIRE(env.NewWritableFile(path, file).ok());
  return file;
}

// A file of this content whose bytes and name are durable.
void WriteDurably(FaultEnv& env, const std::string& path, std::string_view text) {
  const auto file = Open(env, path);
  REQUIRE(file->Append(AsBytes(text)).ok());
  REQUIRE(file->Sync().ok());
  REQUIRE(env.SyncDirectory(ParentPath(path)).ok());
}

// All that a random crash leaves of a file, over many seeds.
std::set<std::string> Outcomes(const FaultEnv& env, const std::string& path, int seeds = 300) {
  std::set<std::string> outcomes;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto after = env.AfterCrash(Survival::kRandom, static_cast<std::uint64_t>(seed));
    outcomes.insert(after->Exists(path) ? Content(*after, path) : "missing");
  }
  return outcomes;
}

// Replaces the content of /d/file. The mistakes that one can make: not to sync the new file before
// its name counts, and to report success before the name is durable.
struct Replacement {
  bool sync_file = true;
  bool sync_directory = true;

  bool Run(FaultEnv& env, std::string_view text) const {
    std::unique_ptr<WritableFile> file;
    if (!env.NewWritableFile("/d/file.new", file).ok()) return false;
    if (!file->Append(AsBytes(text)).ok()) return false;
    if (sync_file && !file->Sync().ok()) return false;
    if (!file->Close().ok() || !env.Rename("/d/file.new", "/d/file").ok()) return false;
    return !sync_directory || env.SyncDirectory("/d").ok();
  }
};

// Cuts the power at each call of a replacement. True: always the old or the new content is there,
// and the new one wherever success was reported.
bool Survives(const Replacement& replacement) {
  const std::string old_text(2000, 'o');
  const std::string new_text(3000, 'n');
  for (std::uint64_t cut = 1; cut < 100; ++cut) {
    FaultEnv env(cut);
    REQUIRE(env.CreateDirectories("/d").ok());
    WriteDurably(env, "/d/file", old_text);
    env.SetFault({.at = cut, .kinds = kChanges, .power_loss = true});
    const bool reported = replacement.Run(env, new_text);
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      for (const auto survival : {Survival::kSynced, Survival::kProcess, Survival::kRandom}) {
        const std::string text = Content(*env.AfterCrash(survival, seed), "/d/file");
        if (text != new_text && (reported || text != old_text)) return false;
      }
    }
    if (!env.fired()) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("files are read as they were written") {
  FaultEnv env;
  REQUIRE(env.CreateDirectories("/d/e").ok());
  auto file = Open(env, "/d//e/a");
  REQUIRE(file->Reserve(20).ok());
  REQUIRE(file->Append(AsBytes("hello")).ok());
  CHECK(Content(env, "/d/e/a") == "hello" + std::string(15, '\0'));
  CHECK(file->size() == 5);
  std::unique_ptr<ReadableFile> readable;
  std::shared_ptr<const MappedFile> mapped;
  REQUIRE(file->Close().ok());
  REQUIRE(env.NewReadableFile("/d/e/a", readable).ok());
  REQUIRE(env.MapFile("/d/e/a", mapped).ok());
  REQUIRE(env.Remove("/d/e/a").ok());
  std::vector<std::uint8_t> bytes(10);
  std::size_t read = 0;
  REQUIRE(readable->ReadAt(1, bytes, read).ok());
  CHECK(read == 4);
  CHECK(bytes[0] == 'e');
  CHECK(std::string(mapped->bytes().begin(), mapped->bytes().end()) == "hello");
  CHECK(!env.Exists("/d/e/a"));
  CHECK(file->Append(AsBytes("x")).os_error() == EBADF);
  std::vector<std::string> names;
  REQUIRE(env.ListDirectory("/d", names).ok());
  CHECK(names == std::vector<std::string>{"e"});
  CHECK(env.ListDirectory("/nowhere", names).os_error() == ENOENT);
  std::unique_ptr<WritableFile> nowhere;
  CHECK(env.NewWritableFile("/nowhere/a", nowhere).os_error() == ENOENT);
}

TEST_CASE("a crash keeps what was synced, and only that for certain") {
  FaultEnv env;
  REQUIRE(env.CreateDirectories("/d").ok());
  auto file = Open(env, "/d/a");
  REQUIRE(file->Append(AsBytes("synced")).ok());
  REQUIRE(file->Sync().ok());
  CHECK(!env.AfterCrash(Survival::kSynced, 1)->Exists("/d/a"));  // its name is not durable
  REQUIRE(env.SyncDirectory("/d").ok());
  REQUIRE(file->Append(AsBytes(" not synced")).ok());
  CHECK(Content(*env.AfterCrash(Survival::kSynced, 1), "/d/a") == "synced");
  CHECK(Content(*env.AfterCrash(Survival::kProcess, 1), "/d/a") == "synced not synced");
  for (const auto& outcome : Outcomes(env, "/d/a")) CHECK(outcome.starts_with("synced"));
}

TEST_CASE("what a killed process left is not durable before it is synced") {
  FaultEnv env;
  REQUIRE(env.CreateDirectories("/d").ok());
  WriteDurably(env, "/d/a", "");
  auto file = Open(env, "/d/a");
  REQUIRE(file->Append(AsBytes("text")).ok());
  env.Crash(Survival::kProcess);
  CHECK(Content(env, "/d/a") == "text");
  CHECK(Content(*env.AfterCrash(Survival::kSynced, 1), "/d/a").empty());
  REQUIRE(env.SyncFile("/d/a").ok());
  CHECK(Content(*env.AfterCrash(Survival::kSynced, 1), "/d/a") == "text");
}

TEST_CASE("unsynced sectors survive each by itself") {
  FaultEnv env;
  REQUIRE(env.CreateDirectories("/d").ok());
  const auto file = Open(env, "/d/a");
  REQUIRE(file->Reserve(3 * 512).ok());
  REQUIRE(file->Sync().ok());
  REQUIRE(env.SyncDirectory("/d").ok());
  REQUIRE(file->Append(std::vector<std::uint8_t>(3 * 512, 'x')).ok());
  std::set<std::string> shapes;
  for (const auto& outcome : Outcomes(env, "/d/a")) {
    REQUIRE(outcome.size() == 3 * 512);
    std::string shape;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string sector = outcome.substr(i * 512, 512);
      CHECK(sector == std::string(512, sector[0]));  // never torn
      shape.push_back(sector[0] == 'x' ? 'x' : '.');
    }
    shapes.insert(shape);
  }
  CHECK(shapes.size() == 8);
}

TEST_CASE("unsynced names survive each by itself, of a rename perhaps one half") {
  FaultEnv env;
  REQUIRE(env.CreateDirectories("/d").ok());
  WriteDurably(env, "/d/a", "A");
  WriteDurably(env, "/d/b", "B");
  REQUIRE(env.Rename("/d/a", "/d/b").ok());
  std::set<std::string> shapes;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto after = env.AfterCrash(Survival::kRandom, seed);
    shapes.insert(Content(*after, "/d/a") + "," + Content(*after, "/d/b"));
  }
  CHECK(shapes == std::set<std::string>{"A,B", "A,A", ",B", ",A"});
  REQUIRE(env.SyncDirectory("/d").ok());
  CHECK(Outcomes(env, "/d/a") == std::set<std::string>{"missing"});
  CHECK(Outcomes(env, "/d/b") == std::set<std::string>{"A"});
}

TEST_CASE("a failed sync loses bytes that a later one does not bring back") {
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    FaultEnv env(seed);
    REQUIRE(env.CreateDirectories("/d").ok());
    WriteDurably(env, "/d/a", "");
    auto file = Open(env, "/d/a");
    REQUIRE(file->Append(AsBytes("text")).ok());
    env.SetFault({.at = 1, .kinds = kSync});
    const Status failed = file->Sync();
    CHECK(failed.os_error() == EIO);
    CHECK(env.fired());
    CHECK(file->Sync().os_error() == EIO);  // the file stays broken
    CHECK(Content(env, "/d/a") == "text");  // the page cache has it still
    CHECK(env.SyncFile("/d/a").ok());       // and all seems well
    outcomes.insert(Content(*env.AfterCrash(Survival::kSynced, seed), "/d/a"));
  }
  CHECK(outcomes == std::set<std::string>{"text", std::string(4, '\0')});
}

TEST_CASE("the nth call of a kind fails, once or from then on") {
  FaultEnv env;
  REQUIRE(env.CreateDirectories("/d").ok());
  env.SetFault({.at = 2, .kinds = kCreate | kRename, .error = ENOSPC});
  static_cast<void>(Open(env, "/d/a"));
  CHECK(env.Rename("/d/a", "/d/b").os_error() == ENOSPC);
  CHECK(env.Exists("/d/a"));
  CHECK(env.Rename("/d/a", "/d/b").ok());

  env.SetFault({.at = 1, .kinds = kRemove, .lasting = true});
  CHECK(!env.fired());
  CHECK(env.Remove("/d/b").os_error() == EIO);
  CHECK(env.Remove("/d/b").os_error() == EIO);
  CHECK(env.fired());
  CHECK(env.Rename("/d/b", "/d/c").ok());
  env.SetFault({});
  CHECK(env.Remove("/d/c").ok());
  CHECK(env.calls(kRename) == 3);
  CHECK(env.calls(kRemove) == 3);
  CHECK(env.calls(kCreate | kCreateDirectories) == 2);
  CHECK(env.calls() == 8);
}

TEST_CASE("a write that finds no room is written in part") {
  std::set<std::size_t> sizes;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    FaultEnv env(seed);
    REQUIRE(env.CreateDirectories("/d").ok());
    const auto file = Open(env, "/d/a");
    env.SetFault({.at = 1, .kinds = kGrowing, .error = ENOSPC});
    CHECK(file->Append(AsBytes("0123456789")).os_error() == ENOSPC);
    CHECK(file->size() == 0);
    CHECK(std::string("0123456789").starts_with(Content(env, "/d/a")));
    sizes.insert(Content(env, "/d/a").size());
  }
  CHECK(sizes.size() == 11);
}

TEST_CASE("handles and locks from before a crash are gone after it") {
  FaultEnv env;
  REQUIRE(env.CreateDirectories("/d").ok());
  auto file = Open(env, "/d/a");
  REQUIRE(file->Append(AsBytes("text")).ok());
  std::unique_ptr<ReadableFile> readable;
  REQUIRE(env.NewReadableFile("/d/a", readable).ok());
  std::unique_ptr<FileLock> lock;
  std::unique_ptr<FileLock> second;
  REQUIRE(env.LockFile("/d/LOCK", "pid 1 on fault.example", true, lock).ok());
  const Status refused = env.LockFile("/d/LOCK", "pid 2", true, second);
  CHECK(refused.code() == ErrorCode::kLocked);
  CHECK(refused.message().find("pid 1 on fault.example") != std::string::npos);

  env.SetFault({.at = 1, .kinds = kChanges, .power_loss = true});
  CHECK(file->Append(AsBytes("more")).os_error() == EIO);
  CHECK(env.Remove("/d/a").os_error() == EIO);
  std::uint64_t size = 0;
  CHECK(readable->Size(size).os_error() == EIO);

  env.Crash(Survival::kProcess);
  CHECK(file->Append(AsBytes("more")).code() == ErrorCode::kIo);
  CHECK(readable->Size(size).os_error() == EBADF);
  REQUIRE(env.LockFile("/d/LOCK", "pid 2", true, second).ok());
  lock.reset();  // is not the holder any more
  bool held = false;
  std::string note;
  REQUIRE(env.LockHolder("/d/LOCK", held, note).ok());
  CHECK(held);
  CHECK(note == "pid 2");
  file.reset();
  CHECK(Content(env, "/d/a").starts_with("text"));
}

TEST_CASE("shared locks admit each other") {
  FaultEnv env;
  REQUIRE(env.CreateDirectories("/d").ok());
  std::unique_ptr<FileLock> first;
  std::unique_ptr<FileLock> second;
  std::unique_ptr<FileLock> writer;
  REQUIRE(env.LockFile("/d/reader", "pid 1", false, first).ok());
  REQUIRE(env.LockFile("/d/reader", "pid 2", false, second).ok());
  first.reset();
  CHECK(env.LockFile("/d/reader", "pid 3", true, writer).code() == ErrorCode::kLocked);
  second.reset();
  CHECK(env.LockFile("/d/reader", "pid 3", true, writer).ok());
}

TEST_CASE("the same seed gives the same crash") {
  FaultEnv env;
  REQUIRE(env.CreateDirectories("/d").ok());
  for (const char* name : {"/d/a", "/d/b", "/d/c"}) {
    REQUIRE(Open(env, name)->Append(std::vector<std::uint8_t>(2000, 'x')).ok());
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto first = env.AfterCrash(Survival::kRandom, seed);
    const auto second = env.AfterCrash(Survival::kRandom, seed);
    for (const char* name : {"/d/a", "/d/b", "/d/c"}) {
      CHECK(first->Exists(name) == second->Exists(name));
      CHECK(first->Content(name) == second->Content(name));
    }
  }
}

TEST_CASE("power cuts at each call tell a right replacement from wrong ones") {
  CHECK(Survives({}));
  CHECK(!Survives({.sync_file = false}));
  CHECK(!Survives({.sync_directory = false}));
}

TEST_CASE("time passes in sleeps only, and damage can be done to a file at rest") {
  FaultEnv env;
  const std::int64_t before = env.NowMilliseconds();
  CHECK(env.NowMilliseconds() == before);
  env.SleepMilliseconds(50);
  env.AdvanceClock(1000);
  CHECK(env.NowMilliseconds() == before + 1050);
  REQUIRE(env.CreateDirectories("/d").ok());
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  env.SetContent("/d/a", AsBytes("one"));
  REQUIRE(env.FileStamp("/d/a", first).ok());
  env.SetContent("/d/a", AsBytes("two"));
  REQUIRE(env.FileStamp("/d/a", second).ok());
  CHECK(first != second);
  CHECK(Content(*env.AfterCrash(Survival::kSynced, 1), "/d/a") == "two");
}

}  // namespace dentate::storage
