// What only a POSIX system has, of the machine's Env: links, modes, /dev/full, processes that are
// killed. The rest: system_env_test.cc.

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

#include "storage/env.h"
#include "storage/file_text.h"
#include "storage/temporary_directory.h"

namespace dentate::storage {
TEST_CASE("a file for which there is no room keeps failing") {
  std::unique_ptr<WritableFile> writable;
  // /dev/full says that there is no room; writing to it harms nothing.
  if (!SystemEnv().Exists("/dev/full")) return;
  REQUIRE(SystemEnv().NewWritableFile("/dev/full", writable).ok());
  CHECK(writable->Reserve(10).os_error() == ENOSPC);
  const Status full = writable->Append(AsBytes("text"));
  CHECK(full.code() == ErrorCode::kIo);
  CHECK(full.os_error() == ENOSPC);
  CHECK(full.message().find("/dev/full") != std::string::npos);
  CHECK(writable->Sync().os_error() == ENOSPC);
  CHECK(writable->size() == 0);
}

TEST_CASE("a directory has one canonical name, whatever link leads there") {
  const TemporaryDirectory directory;
  Env& env = SystemEnv();
  REQUIRE(env.CreateDirectories(directory / "x/y").ok());
  REQUIRE(symlink("x", (directory / "link").c_str()) == 0);
  std::string direct;
  std::string through_link;
  REQUIRE(env.CanonicalPath(directory / "x/y", direct).ok());
  REQUIRE(env.CanonicalPath(directory / "x/../link/./y/", through_link).ok());
  CHECK(direct == through_link);
  CHECK(direct.ends_with("/x/y"));
}

TEST_CASE("a file that may only be read can be locked by readers") {
  const TemporaryDirectory directory;
  Env& env = SystemEnv();
  const std::string path = directory / "LOCK";
  Write(path, "pid 1\n");
  REQUIRE(chmod(path.c_str(), 0444) == 0);
  std::unique_ptr<FileLock> lock;
  CHECK(env.LockFile(path, "pid 2", false, lock).ok());
  if (geteuid() != 0) CHECK(Content(path) == "pid 1\n");
}

TEST_CASE("the lock of a process that was killed is free") {
  const TemporaryDirectory directory;
  Env& env = SystemEnv();
  const std::string path = directory / "LOCK";
  int ready[2] = {};
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::unique_ptr<FileLock> lock;
    const char locked = env.LockFile(path, "the child", true, lock).ok() ? 'y' : 'n';
    if (write(ready[1], &locked, 1) == 1) pause();
    _exit(1);
  }
  char locked = 0;
  REQUIRE(read(ready[0], &locked, 1) == 1);
  REQUIRE(locked == 'y');
  std::unique_ptr<FileLock> lock;
  CHECK(env.LockFile(path, "the parent", true, lock).code() == ErrorCode::kLocked);
  REQUIRE(kill(child, SIGKILL) == 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(env.LockFile(path, "the parent", true, lock).ok());
  close(ready[0]);
  close(ready[1]);
}

}  // namespace dentate::storage
