// The log over a disk that fails: at every call that changes it, in every way that FaultEnv knows.
//
// A scripted workload opens the log three times, appends, rotates and closes. What was acknowledged
// must be there after any crash; what is there beyond that must have been submitted; a log that has
// recovered goes on. Prints how many points it tried.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "log_files.h"
#include "storage/fault_env.h"

namespace dentate::storage {
namespace {

using Group = std::vector<std::uint8_t>;
constexpr char kDirectory[] = "/store";

// What may be in the log, and what must.
class Model {
 public:
  explicit Model(Durability durability) : durability_(durability) {}

  Group Submit(std::uint64_t sequence) {
    static constexpr std::size_t kLengths[] = {20, 0, 700, 3000, 90};
    // Not the same when it is tried again after a failure.
    ++submitted_;
    Group group = MakeGroup(sequence + 1000 * submitted_, kLengths[submitted_ % 5]);
    tried_[sequence].push_back(group);
    return group;
  }
  // `synced`: also by the machine's crash.
  void Acknowledge(std::uint64_t through, bool synced) {
    written_ = std::max(written_, through);
    if (synced) synced_ = std::max(synced_, through);
  }

  // `durable`: what was found is now certain.
  void Check(const std::vector<Group>& found, bool process_only, bool durable) {
    const std::uint64_t least =
        durability_ == Durability::kSync || process_only ? written_ : synced_;
    REQUIRE(found.size() >= least);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::vector<Group>& tried = tried_[i + 1];
      if (i < least) {
        // The newest try is the one that was acknowledged: earlier ones had been found missing.
        REQUIRE(found[i] == tried.back());
      } else {
        REQUIRE(std::find(tried.begin(), tried.end(), found[i]) != tried.end());
      }
    }
    if (!durable) return;
    written_ = synced_ = found.size();
    for (std::size_t i = 0; i < found.size(); ++i) tried_[i + 1] = {found[i]};
    tried_.erase(tried_.upper_bound(found.size()), tried_.end());
  }

 private:
  Durability durability_;
  std::uint64_t submitted_ = 0, written_ = 0, synced_ = 0;
  std::map<std::uint64_t, std::vector<Group>> tried_;
};

Status OpenChecked(Env& env, Model& model, Durability durability, std::unique_ptr<FileLog>& log) {
  std::vector<Group> found;
  const Status status = FileLog::Open(
      env, kDirectory, kTestStore, 1, 0, {durability, 30, true, 1024},
      [&](const LogPosition&, Bytes group) {
        found.emplace_back(group.begin(), group.end());
        return Status::Ok();
      },
      {}, log);
  if (status.ok()) model.Check(found, true, true);
  return status;
}

// False: the log is broken, or the power is off.
bool AppendSome(FileLog& log, Model& model, FaultEnv& env) {
  for (int i = 0; i < 6; ++i) {
    env.AdvanceClock(7);
    if (i == 2 && !log.PrepareRotate().ok() && !log.Flush().ok()) return false;
    std::uint64_t file = 0;
    if (i == 3 && !log.Rotate(file).ok() && !log.Flush().ok()) return false;
    LogPosition position;
    const std::uint64_t sequence = log.sequence() + 1;
    if (log.Append(model.Submit(sequence), position).ok()) {
      REQUIRE(log.sequence() == sequence);
    } else {
      REQUIRE(log.sequence() == sequence - 1);  // it took nothing
    }
    model.Acknowledge(log.durable(), false);
    if (i == 4) {
      if (!log.Flush().ok()) return false;
      model.Acknowledge(log.sequence(), true);
    }
  }
  return true;
}

void RunWorkload(FaultEnv& env, Model& model, Durability durability) {
  for (int session = 0; session < 3; ++session) {
    std::unique_ptr<FileLog> log;
    const Status status = OpenChecked(env, model, durability, log);
    CAPTURE(status.message());
    REQUIRE(status.code() != ErrorCode::kCorruption);
    if (!status.ok()) continue;
    static_cast<void>(AppendSome(*log, model, env));
  }
}

std::unique_ptr<FaultEnv> NewStore(std::uint64_t seed) {
  auto env = std::make_unique<FaultEnv>(seed);
  REQUIRE(env->CreateDirectories(kDirectory).ok());
  REQUIRE(CreateEmptyLogFile(*env, kDirectory, kTestStore, 1, 1).ok());
  return env;
}

// Crashes, checks, writes on, crashes again, checks.
void CheckCrash(const FaultEnv& env, const Model& model, Durability durability, Survival survival,
                std::uint64_t seed) {
  CAPTURE(seed);
  CAPTURE(static_cast<int>(survival));
  Model after = model;
  const auto crashed = env.AfterCrash(survival, seed);
  const Recovered first = Recover(*crashed, kDirectory);
  CAPTURE(first.status.message());
  REQUIRE(first.status.ok());
  after.Check(first.groups, survival == Survival::kProcess, true);
  std::unique_ptr<FileLog> log;
  REQUIRE(OpenChecked(*crashed, after, durability, log).ok());
  REQUIRE(AppendSome(*log, after, *crashed));
  const auto again = crashed->AfterCrash(Survival::kRandom, seed + 1);
  const Recovered second = Recover(*again, kDirectory);
  CAPTURE(second.status.message());
  REQUIRE(second.status.ok());
  after.Check(second.groups, false, false);
}

constexpr Durability kDurabilities[] = {Durability::kSync, Durability::kInterval,
                                        Durability::kNone};

TEST_CASE("a power cut at any call loses nothing that was acknowledged as durable") {
  int cuts = 0;
  for (const Durability durability : kDurabilities) {
    for (std::uint64_t cut = 1;; ++cut) {
      CAPTURE(cut);
      const auto env = NewStore(cut);
      env->SetFault({.at = cut, .kinds = kChanges, .power_loss = true});
      Model model(durability);
      RunWorkload(*env, model, durability);
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        CheckCrash(*env, model, durability,
                   seed == 0   ? Survival::kSynced
                   : seed == 1 ? Survival::kProcess
                               : Survival::kRandom,
                   seed + 100 * cut);
        ++cuts;
      }
      if (!env->fired()) break;
    }
  }
  std::printf("log: %d crashes at power cuts\n", cuts);
}

TEST_CASE("an error at any call is survived, and a crash after it, too") {
  int errors = 0;
  for (const Durability durability : kDurabilities) {
    for (const bool full : {false, true}) {
      for (std::uint64_t at = 1;; ++at) {
        CAPTURE(at);
        CAPTURE(full);
        const auto env = NewStore(at);
        env->SetFault({.at = at,
                       .kinds = full ? kGrowing : kAllCalls,
                       .error = full ? ENOSPC : EIO,
                       .lasting = full});
        Model model(durability);
        RunWorkload(*env, model, durability);
        const bool fired = env->fired();
        env->SetFault({});
        RunWorkload(*env, model, durability);
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
          CheckCrash(*env, model, durability, seed == 0 ? Survival::kSynced : Survival::kRandom,
                     seed + 100 * at);
          ++errors;
        }
        if (!fired) break;
      }
    }
  }
  std::printf("log: %d crashes after errors\n", errors);
}

TEST_CASE("a full disk is told by Append, which changes nothing, and is over when there is room") {
  const auto env = NewStore(1);
  std::unique_ptr<FileLog> log;
  REQUIRE(OpenLog(*env, kDirectory, {Durability::kSync, 100, true, 4096}, log).ok());
  env->SetFault({.at = 1, .kinds = kGrowing & ~kAppend, .error = ENOSPC, .lasting = true});
  LogPosition position;
  std::uint64_t sequence = 0;
  Status status;
  while ((status = log->Append(MakeGroup(sequence + 1, 3000), position)).ok()) ++sequence;
  CHECK(status.code() == ErrorCode::kIo);
  CHECK(status.os_error() == ENOSPC);
  CHECK(log->sequence() == sequence);
  CHECK(log->durable() == sequence);
  CHECK(log->PrepareRotate().os_error() == ENOSPC);
  // What is small enough still fits.
  REQUIRE(log->Append(MakeGroup(++sequence, 10), position).ok());
  env->SetFault({});
  REQUIRE(log->Append(MakeGroup(++sequence, 3000), position).ok());
  log.reset();
  const Recovered recovered = Recover(*env, kDirectory);
  REQUIRE(recovered.groups.size() == sequence);
  CHECK(recovered.groups.back() == MakeGroup(sequence, 3000));
}

TEST_CASE("after a failed sync the log is broken for good, and says so once") {
  for (const bool inline_commit : {true, false}) {
    const auto env = NewStore(1);
    std::unique_ptr<FileLog> log;
    int told = 0;
    REQUIRE(OpenLog(*env, kDirectory, {Durability::kSync, 100, inline_commit}, log,
                    [&](std::uint64_t durable, const Status& status) {
                      if (!status.ok()) ++told;
                      CHECK(durable <= 1);
                    })
                .ok());
    LogPosition position;
    REQUIRE(log->Append(MakeGroup(1, 50), position).ok());
    REQUIRE(log->Flush().ok());
    env->SetFault({.at = 1, .kinds = kSync, .error = EIO});
    REQUIRE(log->Append(MakeGroup(2, 50), position).ok());
    CHECK(log->Flush().os_error() == EIO);
    CHECK(log->Append(MakeGroup(3, 50), position).os_error() == EIO);
    std::uint64_t file = 0;
    CHECK(log->PrepareRotate().os_error() == EIO);
    CHECK(log->Rotate(file).os_error() == EIO);
    CHECK(log->Flush().os_error() == EIO);
    CHECK(log->durable() == 1);
    log.reset();
    CHECK(told == 1);
  }
}

}  // namespace
}  // namespace dentate::storage
