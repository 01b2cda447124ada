// A scripted life of a store, with the disk failing at each of its calls in turn.
//
// The script appends to several banks, updates, deletes, touches, drops, seals, merges, purges,
// compacts and reopens. For every call n that it makes to the Env, one run each in which
//
//   the power goes at call n      what was not synced is lost, or torn and reordered by several
//   seeds,
//                                 or all there (kill -9); then opened again, and once more after
//                                 another crash, and with another crash in the middle of opening
//   call n fails with EIO         once, and from then on
//   call n finds a full disk      once, and from then on (calls that need room)
//                                 the script goes on as far as it can; then the store is opened
//                                 again, after closing and after each kind of crash
//
// What is then found has to be the state after k of the script's writes, for a k from the last that
// was acknowledged to the last that was accepted.
//
// By default every call is failed in some way; with DENTATE_FAULT_LONG set, in every way, with more
// seeds.

#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "storage/fault_env.h"
#include "store/store.h"
#include "store/store_world.h"

#include <doctest/doctest.h>

using dentate::ErrorCode;
using dentate::Status;
using dentate::storage::Durability;
using dentate::storage::Fault;
using dentate::storage::FaultEnv;
using dentate::storage::Survival;
using namespace dentate::store;
using namespace dentate::store::test;

namespace {

constexpr char kDirectory[] = "/store";
constexpr std::uint64_t kSeed = 7;

bool Long() { return std::getenv("DENTATE_FAULT_LONG") != nullptr; }

StoreOptions Options(Durability durability) {
  StoreOptions options;
  options.inline_work = true;
  options.durability = durability;
  options.log_room_bytes = 4096;  // so that files grow in the script, too
  return options;
}

// One step: a write, which makes one group or none, or something that changes no content.
struct Step {
  std::function<Status(const Store&, std::uint64_t& sequence)> write;
  std::function<Status(const Store&)> maintain;  // neither: reopen
  bool merges = false;                           // leaves fewer segments, where nothing fails
};

Step Append(std::string bank, std::vector<TestTurn> turns) {
  return {[=](const Store& store, std::uint64_t& sequence) {
            const OwnedBatch batch(turns);
            dentate::bank::AppendResult result;
            return store.Bank(bank).Append(batch.View(), result, sequence);
          },
          {}};
}

Step Delete(std::string bank, std::vector<std::uint32_t> entries) {
  return {[=](const Store& store, std::uint64_t& sequence) {
            std::uint32_t deleted = 0;
            return store.Bank(bank).Delete(entries, deleted, sequence);
          },
          {}};
}

Step DeleteVersions(std::string bank, std::vector<std::uint32_t> entries) {
  return {[=](const Store& store, std::uint64_t& sequence) {
            std::uint32_t deleted = 0;
            return store.Bank(bank).DeleteVersions(entries, deleted, sequence);
          },
          {}};
}

Step Touch(std::string bank, std::vector<std::uint32_t> entries) {
  return {[=](const Store& store, std::uint64_t& sequence) {
            return store.Bank(bank).Touch(entries, kNow, sequence);
          },
          {}};
}

Step Drop(std::string bank) {
  return {[=](const Store& store, std::uint64_t& sequence) {
            bool existed = false;
            return store.DropBank(bank, existed, sequence);
          },
          {}};
}

Step Maintain(Status (*work)(const Store&)) { return {{}, work}; }
Step Seal() {
  return Maintain([](const Store& store) { return store.Seal(); });
}
Step Merge() {
  Step step = Maintain([](const Store& store) { return store.Merge(); });
  step.merges = true;
  return step;
}
Step Compact() {
  return Maintain([](const Store& store) { return store.Compact({}); });
}
Step Purge() {
  return Maintain([](const Store& store) {
    PurgeReceipt receipt;
    return store.Purge({}, receipt);
  });
}
Step IndexChunks(std::string bank) {
  return {[=](const Store& store, std::uint64_t& sequence) {
            return Index(store, bank, 2, 0.9F, sequence);
          },
          {}};
}
Step Reopen() { return {}; }

std::vector<Step> Script() {
  RandomTurns turns(kSeed);
  const auto some = [&](std::uint32_t count) { return turns.MakeMany(count, kNow); };
  const auto version_of = [&](std::uint32_t origin) {
    auto made = some(1);
    made[0].origin = origin;
    return made;
  };
  return {
      Append("a", some(3)),
      Append("b", some(2)),
      Append("a", some(1)),
      Delete("a", {1}),
      Seal(),
      Append("a", version_of(0)),
      Append("c", some(4)),
      Touch("a", {2}),
      Drop("b"),
      Append("b", some(1)),
      Seal(),
      Append("a", some(9)),
      Seal(),
      Append("b", some(9)),
      Append("d", some(1)),
      Drop("d"),
      Seal(),
      Merge(),
      Reopen(),
      Append("b", some(2)),
      IndexChunks("a"),
      IndexChunks("c"),
      Append("a", version_of(3)),
      Delete("c", {0, 3}),
      Touch("a", {2}),
      Append("d", some(1)),
      Reopen(),
      Seal(),
      DeleteVersions("a", {0, 3}),
      Drop("d"),
      Append("c", some(2)),
      IndexChunks("c"),
      Purge(),
      Append("a", some(1)),
      Delete("b", {2}),
      Compact(),
      Append("d", some(2)),
      Reopen(),
      Append("d", some(1)),
      Seal(),
      Append("c", some(6)),
      Seal(),
      Append("c", some(6)),
      Seal(),
      Append("c", some(5)),
      Delete("c", {2}),
      Seal(),
      Append("c", some(6)),
      Seal(),
      Merge(),
      Purge(),
      Append("a", some(2)),
  };
}

// The state after each number of writes, as a store in memory has it.
std::vector<SeenStore> States(const std::vector<Step>& script) {
  const auto store = Store::OpenInMemory(Options(Durability::kSync));
  std::vector<SeenStore> states(1);
  for (const Step& step : script) {
    if (!step.write) continue;
    std::uint64_t sequence = 0;
    REQUIRE(step.write(*store, sequence).ok());
    states.emplace_back();
    REQUIRE(See(*store, states.back()).ok());
  }
  return states;
}

// What a run has promised: writes that were acknowledged, and those that may have happened.
struct Promise {
  std::size_t acknowledged = 0, accepted = 0;
};

// Runs the script until it cannot go on.
class Run {
 public:
  Run(FaultEnv& env, Durability durability) : env_(env), durability_(durability) {}

  Promise Play(const std::vector<Step>& script) {
    if (!Open()) return promise_;
    for (const Step& step : script) {
      if (step.write ? !Write(step) : !step.maintain && !Reopened()) break;
      if (step.maintain && !step.maintain(*store_).ok()) ++failed_;
    }
    return promise_;
  }
  bool closed() const { return store_ == nullptr; }
  int failed() const { return failed_; }  // steps that maintain
  void Close() {
    if (store_ != nullptr) static_cast<void>(store_->Close());
    store_.reset();
  }

 private:
  bool Open() {
    const Status status = Store::Open(env_, kDirectory, Options(durability_), store_);
    // Never damage, where nothing was damaged.
    CHECK_MESSAGE((status.ok() || status.code() == ErrorCode::kIo), status.message());
    return status.ok();
  }
  bool Reopened() {
    Close();
    return Open();
  }
  bool Write(const Step& step) {
    std::uint64_t sequence = 0;
    Status status = step.write(*store_, sequence);
    // What failed has changed nothing: so it can be tried again.
    if (!status.ok()) status = step.write(*store_, sequence);
    if (!status.ok()) return false;
    ++promise_.accepted;
    if (store_->durable() < sequence) return false;  // the log is broken
    promise_.acknowledged = promise_.accepted;
    return true;
  }

  FaultEnv& env_;
  const Durability durability_;
  std::shared_ptr<Store> store_;
  Promise promise_;
  int failed_ = 0;
};

struct Outcomes {
  std::uint64_t runs = 0, reopened = 0, exact = 0, more = 0, refused = 0;
};

class Checker {
 public:
  explicit Checker(const std::vector<SeenStore>& states) : states_(states) {}
  Outcomes outcomes;

  // Opens what is left, and finds a state of those promised; which one becomes the least for
  // whoever looks later.
  void Reopen(FaultEnv& env, Promise promise) {
    std::shared_ptr<Store> store;
    const Status status = Store::Open(env, kDirectory, Options(Durability::kSync), store);
    REQUIRE_MESSAGE(status.ok(), status.message());
    SeenStore seen;
    const Status read = See(*store, seen);
    REQUIRE_MESSAGE(read.ok(), read.message());
    ++outcomes.reopened;
    std::size_t k = promise.acknowledged;
    while (k <= promise.accepted && seen != states_[k]) ++k;
    if (k > promise.accepted) {
      FAIL_CHECK("neither the state after "
                 << promise.acknowledged << " nor after " << promise.accepted
                 << " writes: " << Difference(states_[promise.acknowledged], seen));
      return;
    }
    ++(k == promise.acknowledged ? outcomes.exact : outcomes.more);
    // What was shown once does not go away in another crash, and writing goes on.
    for (const Survival survival : {Survival::kSynced, Survival::kRandom}) {
      const auto again = env.AfterCrash(survival, kSeed);
      std::shared_ptr<Store> later;
      const Status opened = Store::Open(*again, kDirectory, Options(Durability::kSync), later);
      REQUIRE_MESSAGE(opened.ok(), opened.message());
      SeenStore still;
      REQUIRE(See(*later, still).ok());
      CHECK_MESSAGE(seen == still, Difference(seen, still));
      const TestTurn turn = RandomTurns(1).Make(kNow);
      CHECK(Add(*later, "more", {turn}).ok());
      CHECK(later->Seal().ok());
    }
  }

  // The power goes again while the store is being opened.
  void CrashInRecovery(const FaultEnv& env, Survival survival, std::uint64_t seed,
                       Promise promise) {
    for (std::uint64_t at = 1;; at += Long() ? 1 : 1 + seed % 7) {
      const auto reopening = env.AfterCrash(survival, seed);
      reopening->SetFault({.at = at, .kinds = dentate::storage::kChanges, .power_loss = true});
      std::shared_ptr<Store> store;
      const Status status = Store::Open(*reopening, kDirectory, Options(Durability::kSync), store);
      if (!reopening->fired()) break;
      if (!status.ok()) {
        CHECK_MESSAGE(status.code() == ErrorCode::kIo, status.message());
        ++outcomes.refused;
      }
      Reopen(*reopening->AfterCrash(Survival::kRandom, seed + at), promise);
    }
  }

 private:
  const std::vector<SeenStore>& states_;
};

void Print(const char* what, const Outcomes& outcomes) {
  MESSAGE(std::string(what), ": ", outcomes.runs, " runs, ", outcomes.reopened,
          " reopened: ", outcomes.exact, " with what was acknowledged, ", outcomes.more,
          " with writes in flight, ", outcomes.refused, " refused to open and opened later");
}

void CutPower(Durability durability, std::uint64_t stride, const char* what) {
  const auto script = Script();
  const auto states = States(script);
  Checker checker(states);
  std::uint64_t cut = 1;
  for (;; cut += stride) {
    CAPTURE(cut);
    FaultEnv env(kSeed);
    env.SetFault({.at = cut, .kinds = dentate::storage::kChanges, .power_loss = true});
    Run run(env, durability);
    Promise promise = run.Play(script);
    if (!env.fired()) break;
    ++checker.outcomes.runs;
    checker.Reopen(*env.AfterCrash(Survival::kProcess, cut), promise);
    if (durability != Durability::kSync) promise.acknowledged = 0;  // a power cut may lose some
    checker.Reopen(*env.AfterCrash(Survival::kSynced, cut), promise);
    for (std::uint64_t seed = 1; seed <= (Long() ? 10 : 2); ++seed) {
      CAPTURE(seed);
      checker.Reopen(*env.AfterCrash(Survival::kRandom, 1000 * cut + seed), promise);
    }
    if (Long() || cut % 11 == 0) {
      checker.CrashInRecovery(env, Survival::kRandom, cut, promise);
    }
  }
  CHECK(checker.outcomes.runs > 10);
  Print(what, checker.outcomes);
}

void FailCalls(Fault fault, std::uint64_t stride, const char* what) {
  const auto script = Script();
  const auto states = States(script);
  Checker checker(states);
  for (std::uint64_t at = 1;; at += stride) {
    CAPTURE(at);
    FaultEnv env(kSeed);
    fault.at = at;
    env.SetFault(fault);
    Run run(env, Durability::kSync);
    const Promise promise = run.Play(script);
    if (!env.fired()) break;
    ++checker.outcomes.runs;
    if (run.closed()) ++checker.outcomes.refused;
    const auto synced = env.AfterCrash(Survival::kSynced, at);
    const auto random = env.AfterCrash(Survival::kRandom, at);
    run.Close();
    env.SetFault({});
    checker.Reopen(*synced, promise);
    checker.Reopen(*random, promise);
    checker.Reopen(env, promise);
  }
  CHECK(checker.outcomes.runs > 10);
  Print(what, checker.outcomes);
}

}  // namespace

TEST_CASE("the script's merges have something to merge") {
  FaultEnv env(kSeed);
  std::shared_ptr<Store> store;
  const auto open = [&] {
    return Store::Open(env, kDirectory, Options(Durability::kSync), store).ok();
  };
  REQUIRE(open());
  for (const Step& step : Script()) {
    const std::uint64_t before = store->Stats().segments;
    std::uint64_t sequence = 0;
    if (step.write) {
      REQUIRE(step.write(*store, sequence).ok());
    } else if (step.maintain) {
      REQUIRE(step.maintain(*store).ok());
    } else {
      REQUIRE(store->Close().ok());
      REQUIRE(open());
    }
    CAPTURE(before);
    if (step.merges) CHECK(store->Stats().segments < before);
  }
}

TEST_CASE("the script does what it says where nothing fails") {
  const auto script = Script();
  const auto states = States(script);
  FaultEnv env(kSeed);
  Run run(env, Durability::kSync);
  const Promise promise = run.Play(script);
  CHECK(promise.acknowledged + 1 == states.size());
  CHECK(run.failed() == 0);
  Checker(states).Reopen(*env.AfterCrash(Survival::kSynced, 1), promise);
  MESSAGE(env.calls(dentate::storage::kChanges), " calls that change the disk, ", env.calls(),
          " in all");
}

TEST_CASE("power cuts") {
  CutPower(Durability::kSync, 1, "power cut, durability sync");
  CutPower(Durability::kInterval, Long() ? 1 : 7, "power cut, durability interval");
  CutPower(Durability::kNone, Long() ? 1 : 7, "power cut, durability none");
}

TEST_CASE("errors of the disk") {
  const std::uint64_t stride = Long() ? 1 : 2;
  FailCalls({.error = EIO}, stride, "EIO once");
  FailCalls({.error = EIO, .lasting = true}, stride, "EIO from then on");
}

TEST_CASE("a full disk") {
  FailCalls({.kinds = dentate::storage::kGrowing, .error = ENOSPC}, 1, "ENOSPC once");
  FailCalls({.kinds = dentate::storage::kGrowing, .error = ENOSPC, .lasting = true}, 1,
            "ENOSPC from then on");
}
