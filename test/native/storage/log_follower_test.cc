#include "storage/log_follower.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "log_files.h"
#include "storage/fault_env.h"
#include "temporary_directory.h"

namespace dentate::storage {
namespace {

constexpr LogOptions kInline{Durability::kSync, 100, true, 4096};
constexpr char kDirectory[] = "/store";

// Reads a log and checks that groups come in order, each as MakeGroup made it.
struct Reading {
  Reading(Env& env, const std::string& directory, std::uint64_t first_file = 1,
          std::uint64_t after = 0)
      : sequence(after) {
    REQUIRE(LogFollower::Create(env, directory, kTestStore, first_file, after, follower).ok());
  }
  Status Poll() {
    return follower->Poll(
        [&](const LogPosition& position, Bytes group) {
          const std::vector<std::uint8_t> expected = MakeGroup(position.sequence, position.length);
          if (position.sequence != sequence + 1 ||
              !std::equal(group.begin(), group.end(), expected.begin(), expected.end())) {
            return Status(ErrorCode::kInternal, "another group than expected");
          }
          sequence = position.sequence;
          return Status::Ok();
        },
        vanished);
  }

  std::unique_ptr<LogFollower> follower;
  std::uint64_t sequence;
  bool vanished = false;
};

std::unique_ptr<FaultEnv> NewStore() {
  auto env = std::make_unique<FaultEnv>();
  REQUIRE(env->CreateDirectories(kDirectory).ok());
  REQUIRE(CreateEmptyLogFile(*env, kDirectory, kTestStore, 1, 1).ok());
  return env;
}

void AppendTo(FileLog& log, std::size_t length) {
  LogPosition position;
  REQUIRE(log.Append(MakeGroup(log.sequence() + 1, length), position).ok());
}

TEST_CASE("a follower sees each group once, across rotations and writers") {
  const auto env = NewStore();
  Reading reading(*env, kDirectory);
  for (int writer = 0; writer < 4; ++writer) {
    std::unique_ptr<FileLog> log;
    REQUIRE(OpenLog(*env, kDirectory, kInline, log).ok());
    for (int i = 0; i < 5; ++i) {
      AppendTo(*log, 60);
      std::uint64_t file = 0;
      if (i == 3) REQUIRE(log->Rotate(file).ok());
      REQUIRE(reading.Poll().ok());
      CHECK(reading.sequence == log->sequence());
      CHECK(!reading.vanished);
    }
    // The next one finds no mark behind the last group, and writes it again.
    if (writer % 2 == 0) env->Crash(Survival::kProcess);
  }
  CHECK(reading.sequence == 20);
}

TEST_CASE("a follower whose file is gone says so, and another one begins behind it") {
  const auto env = NewStore();
  std::unique_ptr<FileLog> log;
  REQUIRE(OpenLog(*env, kDirectory, kInline, log).ok());
  AppendTo(*log, 10);
  Reading reading(*env, kDirectory);
  REQUIRE(reading.Poll().ok());
  AppendTo(*log, 10);
  std::uint64_t file = 0;
  REQUIRE(log->Rotate(file).ok());
  AppendTo(*log, 10);
  REQUIRE(env->Remove(LogFilePath(kDirectory, 1)).ok());
  REQUIRE(reading.Poll().ok());
  CHECK(reading.vanished);
  Reading next(*env, kDirectory, file, 2);
  REQUIRE(next.Poll().ok());
  CHECK(next.sequence == 3);
}

TEST_CASE("a group that its visitor refuses comes again") {
  const auto env = NewStore();
  std::unique_ptr<FileLog> log;
  REQUIRE(OpenLog(*env, kDirectory, kInline, log).ok());
  AppendTo(*log, 10);
  Reading reading(*env, kDirectory);
  bool vanished = false;
  const auto refuse = [](const LogPosition&, Bytes) { return Status(ErrorCode::kAborted, "no"); };
  CHECK(reading.follower->Poll(refuse, vanished).code() == ErrorCode::kAborted);
  REQUIRE(reading.Poll().ok());
  CHECK(reading.sequence == 1);
}

TEST_CASE("a follower keeps up with a writer on other threads") {
  TemporaryDirectory directory;
  Env& env = SystemEnv();
  REQUIRE(CreateEmptyLogFile(env, directory.path(), kTestStore, 1, 1).ok());
  std::unique_ptr<FileLog> log;
  REQUIRE(OpenLog(env, directory.path(), {Durability::kNone}, log).ok());
  constexpr std::uint64_t kGroups = 3000;
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= kGroups; ++i) {
      AppendTo(*log, i % 700);
      std::uint64_t file = 0;
      if (i % 500 == 0) REQUIRE(log->Rotate(file).ok());
    }
  });
  Reading reading(env, directory.path());
  while (reading.sequence < kGroups) {
    const std::uint64_t durable = log->durable();
    REQUIRE(reading.Poll().ok());
    REQUIRE(reading.sequence >= durable);
    // A recovery beside a writer takes what is being written for what it is.
    if (reading.sequence % 10 == 0) REQUIRE(Recover(env, directory.path()).status.ok());
  }
  writer.join();
}

}  // namespace
}  // namespace dentate::storage
