#include "storage/file_log.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "log_files.h"
#include "storage/log_reader.h"
#include "temporary_directory.h"

namespace dentate::storage {
namespace {

struct NewLog {
  NewLog() { REQUIRE(CreateEmptyLogFile(env, directory.path(), kTestStore, 1, 1).ok()); }
  Env& env = SystemEnv();
  TemporaryDirectory directory;
};

void AppendTo(FileLog& log, std::size_t length, LogPosition& position) {
  const std::uint64_t sequence = log.sequence() + 1;
  REQUIRE(log.Append(MakeGroup(sequence, length), position).ok());
  REQUIRE(position.sequence == sequence);
}

void AppendTo(FileLog& log, std::size_t length) {
  LogPosition position;
  AppendTo(log, length, position);
}

constexpr LogOptions kInline{Durability::kSync, 100, true};

TEST_CASE("what was appended is read back, by recovery and by position") {
  for (const bool inline_commit : {true, false}) {
    for (const Durability durability :
         {Durability::kSync, Durability::kInterval, Durability::kNone}) {
      NewLog made;
      std::unique_ptr<FileLog> log;
      REQUIRE(OpenLog(made.env, made.directory.path(), {durability, 5, inline_commit}, log).ok());
      std::vector<LogPosition> positions;
      for (const std::size_t length : {0, 1, 31, 700, 300000, 5}) {
        AppendTo(*log, length, positions.emplace_back());
      }
      REQUIRE(log->Flush().ok());
      CHECK(log->durable() == 6);
      std::unique_ptr<LogReader> reader;
      REQUIRE(LogReader::Create(made.env, made.directory.path(), kTestStore, reader).ok());
      for (LogPosition position : positions) {
        std::vector<std::uint8_t> group;
        REQUIRE(reader->Read(position, group).ok());
        CHECK(group == MakeGroup(position.sequence, position.length));
        position.offset += 1;
        CHECK(reader->Read(position, group).code() == ErrorCode::kCorruption);
      }
      log.reset();
      const Recovered recovered = Recover(made.env, made.directory.path());
      REQUIRE(recovered.status.ok());
      CHECK(recovered.groups.size() == 6);
      CHECK(recovered.groups[4] == MakeGroup(5, 300000));
      CHECK(!recovered.tail.torn);
      CHECK(recovered.tail.next_file == 2);
    }
  }
}

TEST_CASE("rotation cuts the log into files that only recovery from their number on sees") {
  for (const bool inline_commit : {true, false}) {
    NewLog made;
    std::unique_ptr<FileLog> log;
    REQUIRE(OpenLog(made.env, made.directory.path(), {Durability::kSync, 100, inline_commit}, log)
                .ok());
    for (int file = 0; file < 3; ++file) {
      for (int i = 0; i < 10; ++i) AppendTo(*log, 100);
      CHECK(log->bytes() == 10 * 132);
      if (file == 1) REQUIRE(log->PrepareRotate().ok());
      std::uint64_t number = 0;
      REQUIRE(log->Rotate(number).ok());
      CHECK(number == static_cast<std::uint64_t>(file) + 2);
      CHECK(log->bytes() == 0);
    }
    AppendTo(*log, 8);
    log.reset();
    CHECK(Recover(made.env, made.directory.path()).groups.size() == 31);
    CHECK(Recover(made.env, made.directory.path(), 3, 20).groups.size() == 11);
    CHECK(Recover(made.env, made.directory.path(), 4, 30).groups.front() == MakeGroup(31, 8));
    // The first file must be there, and begin where the segments end.
    CHECK(Recover(made.env, made.directory.path(), 5, 31).status.code() == ErrorCode::kCorruption);
    CHECK(Recover(made.env, made.directory.path(), 3, 19).status.code() == ErrorCode::kCorruption);
  }
}

TEST_CASE("opening again without appending replaces the empty file") {
  NewLog made;
  for (int i = 0; i < 5; ++i) {
    std::unique_ptr<FileLog> log;
    REQUIRE(OpenLog(made.env, made.directory.path(), kInline, log).ok());
  }
  std::vector<std::string> names;
  REQUIRE(made.env.ListDirectory(made.directory.path(), names).ok());
  CHECK(names == std::vector<std::string>{LogFileName(1)});
}

TEST_CASE("the listener hears of every group, in order, as it becomes durable") {
  NewLog made;
  std::mutex mutex;
  std::condition_variable moved;
  std::uint64_t durable = 0;
  std::unique_ptr<FileLog> log;
  REQUIRE(OpenLog(made.env, made.directory.path(), {}, log,
                  [&](std::uint64_t through, const Status& status) {
                    const std::lock_guard lock(mutex);
                    CHECK(status.ok());
                    CHECK(through >= durable);
                    durable = through;
                    moved.notify_all();
                  })
              .ok());
  std::mutex writer;
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        LogPosition position;
        {
          const std::lock_guard one(writer);
          if (i == 25) {
            std::uint64_t file = 0;
            REQUIRE(log->Rotate(file).ok());
          }
          REQUIRE(log->Append(MakeGroup(log->sequence() + 1, 700), position).ok());
        }
        if (i == 10) REQUIRE(log->PrepareRotate().ok());
        if (i == 40) REQUIRE(log->Flush().ok());
        std::unique_lock lock(mutex);
        moved.wait(lock, [&] { return durable >= position.sequence; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  log.reset();
  const Recovered recovered = Recover(made.env, made.directory.path());
  REQUIRE(recovered.status.ok());
  REQUIRE(recovered.groups.size() == 400);
  for (std::size_t i = 0; i < 400; ++i) CHECK(recovered.groups[i] == MakeGroup(i + 1, 700));
}

TEST_CASE("a buffer that is full makes Append wait, not grow") {
  NewLog made;
  std::unique_ptr<FileLog> log;
  REQUIRE(OpenLog(made.env, made.directory.path(), {Durability::kNone}, log).ok());
  for (int i = 0; i < 24; ++i) AppendTo(*log, std::size_t{3} << 20);
  REQUIRE(log->Flush().ok());
  log.reset();
  CHECK(Recover(made.env, made.directory.path()).groups.size() == 24);
}

}  // namespace
}  // namespace dentate::storage
