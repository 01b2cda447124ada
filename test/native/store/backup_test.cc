#include "store/backup.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "storage/fault_env.h"
#include "storage/garbage.h"
#include "storage/manifest.h"
#include "storage/temporary_directory.h"
#include "store/filled_store.h"
#include "store/verify.h"

namespace dentate::store::test {
namespace {

using storage::FaultEnv;

constexpr char kStore[] = "/store";
constexpr char kCopy[] = "/copies/monday";

Status Backup(storage::Env& env, storage::Env& to_env, const Store& store) {
  if (const Status status = store.Flush(); !status.ok()) return status;
  return BackupStore(env, kStore, to_env, kCopy, store.durable(), {});
}

void CheckSound(storage::Env& env, const std::string& directory) {
  std::vector<DamagedPlace> damage;
  const Status status = VerifyStore(env, directory, {}, damage);
  REQUIRE_MESSAGE(status.ok(), status.message());
  REQUIRE(damage.empty());
}

TEST_CASE("a backup is the store at that moment, and goes on by itself") {
  FaultEnv env;
  const std::shared_ptr<Store> store = OpenStoreAt(env, kStore);
  Fill(*store);
  const SeenStore before = SeeAll(*store);
  REQUIRE(store->Backup(kCopy, {}).ok());
  Fill(*store, 6);
  const SeenStore after = SeeAll(*store);
  REQUIRE(after != before);

  CheckSound(env, kCopy);
  const std::shared_ptr<Store> copy = OpenStoreAt(env, kCopy);
  CHECK(SeeAll(*copy) == before);
  Fill(*copy, 6);
  CHECK(SeeAll(*copy) == after);
  CHECK(SeeAll(*store) == after);

  storage::Manifest ours, theirs;
  bool found = false;
  REQUIRE(storage::ReadManifest(env, kStore, ours, found).ok());
  REQUIRE(storage::ReadManifest(env, kCopy, theirs, found).ok());
  CHECK(ours.store_id != theirs.store_id);
  CHECK(ours.settings == theirs.settings);
}

TEST_CASE("a store without segments, and one without a tail, can be backed up too") {
  for (const bool sealed : {false, true}) {
    FaultEnv env;
    const std::shared_ptr<Store> store = OpenStoreAt(env, kStore);
    RandomTurns turns(9);
    REQUIRE(Add(*store, "bank", turns.MakeMany(5, kNow)).ok());
    if (sealed) REQUIRE(store->Seal().ok());
    REQUIRE(Backup(env, env, *store).ok());
    CHECK(SeeAll(*OpenStoreAt(env, kCopy)) == SeeAll(*store));
  }
}

TEST_CASE("groups behind the one asked for are left out") {
  FaultEnv env;
  const std::shared_ptr<Store> store = OpenStoreAt(env, kStore);
  Fill(*store);
  const SeenStore before = SeeAll(*store);
  const std::uint64_t through = store->durable();
  RandomTurns turns(9);
  REQUIRE(Add(*store, "late", turns.MakeMany(5, kNow)).ok());
  REQUIRE(BackupStore(env, kStore, env, kCopy, through, {}).ok());
  CHECK(SeeAll(*OpenStoreAt(env, kCopy)) == before);
}

TEST_CASE("a reader backs up what it sees, a store in memory has nothing to back up") {
  FaultEnv env;
  const std::shared_ptr<Store> store = OpenStoreAt(env, kStore);
  Fill(*store);
  StoreOptions options = InlineOptions();
  options.read_only = true;
  const std::shared_ptr<Store> reader = OpenStoreAt(env, kStore, options);
  REQUIRE(reader->Backup(kCopy, {}).ok());
  CHECK(SeeAll(*OpenStoreAt(env, kCopy)) == SeeAll(*store));
  std::vector<DamagedPlace> damage;
  CHECK(reader->Verify({}, damage).ok());
  CHECK(damage.empty());

  const std::shared_ptr<Store> memory = Store::OpenInMemory(InlineOptions());
  CHECK(memory->Backup(kCopy, {}).code() == ErrorCode::kUnavailable);
  CHECK(memory->Verify({}, damage).ok());
}

TEST_CASE("a crash at any call leaves the whole backup, or what no opening takes for a store") {
  FaultEnv env;
  const std::shared_ptr<Store> store = OpenStoreAt(env, kStore);
  Fill(*store);
  const SeenStore expected = SeeAll(*store);
  int unfinished = 0;
  int whole = 0;
  for (std::uint64_t cut = 1;; ++cut) {
    FaultEnv to(cut);
    to.SetFault({.at = cut, .kinds = storage::kChanges, .power_loss = true});
    const Status status = Backup(env, to, *store);
    if (!to.fired()) {
      REQUIRE(status.ok());
      break;
    }
    CHECK(status.code() == ErrorCode::kIo);
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const auto survival = seed == 0   ? storage::Survival::kSynced
                            : seed == 1 ? storage::Survival::kProcess
                                        : storage::Survival::kRandom;
      const auto after = to.AfterCrash(survival, cut * 10 + seed);
      std::vector<std::string> names;
      if (!after->ListDirectory(kCopy, names).ok()) continue;
      const bool manifest = after->Exists(std::string(kCopy) + "/MANIFEST");
      if (!manifest && std::none_of(names.begin(), names.end(), storage::IsDataName)) continue;
      std::shared_ptr<Store> copy;
      const Status opened = Store::Open(*after, kCopy, InlineOptions(), copy);
      if (opened.ok()) {
        REQUIRE(SeeAll(*copy) == expected);
        REQUIRE(copy->Close().ok());
        ++whole;
      } else {
        REQUIRE_MESSAGE(opened.code() == ErrorCode::kCorruption, opened.message());
        ++unfinished;
      }
    }
  }
  MESSAGE(unfinished << " unfinished, " << whole << " whole");
  CHECK(unfinished > 10);
}

TEST_CASE("an error at any call is reported, and the directory can be tried again") {
  FaultEnv env;
  const std::shared_ptr<Store> store = OpenStoreAt(env, kStore);
  Fill(*store);
  const SeenStore expected = SeeAll(*store);
  std::uint64_t call = 1;
  for (;; ++call) {
    FaultEnv to(call);
    to.SetFault({.at = call, .error = ENOSPC});
    const Status status = Backup(env, to, *store);
    if (!to.fired()) break;
    to.SetFault({});
    // A mark at the log's end, for instance, is not waited for.
    if (status.ok()) continue;
    CHECK(status.code() == ErrorCode::kIo);
    CHECK_FALSE(to.Exists(std::string(kCopy) + "/MANIFEST"));
    const Status again = Backup(env, to, *store);
    REQUIRE_MESSAGE(again.ok(), again.message());
    REQUIRE(SeeAll(*OpenStoreAt(to, kCopy)) == expected);
  }
  MESSAGE((call - 1) << " calls failed");
}

TEST_CASE("damage is not backed up, nor is a directory with files used") {
  FaultEnv env;
  const std::shared_ptr<Store> store = OpenStoreAt(env, kStore);
  Fill(*store);
  REQUIRE(env.CreateDirectories(kCopy).ok());
  const std::string note = std::string(kCopy) + "/notes.txt";
  env.SetContent(note, std::vector<std::uint8_t>(1));
  CHECK(Backup(env, env, *store).os_error() == ENOTEMPTY);
  CHECK(env.Exists(note));
  REQUIRE(env.Remove(note).ok());

  storage::Manifest manifest;
  bool found = false;
  REQUIRE(storage::ReadManifest(env, kStore, manifest, found).ok());
  const std::string segment = std::string(kStore) + "/" + manifest.segments.back().name;
  auto bytes = env.Content(segment);
  bytes[200] ^= 1;
  env.SetContent(segment, bytes);
  const Status status = Backup(env, env, *store);
  CHECK(status.code() == ErrorCode::kCorruption);
  REQUIRE(status.place() != nullptr);
  CHECK(status.place()->file == segment);
  std::vector<std::string> names;
  REQUIRE(env.ListDirectory(kCopy, names).ok());
  CHECK(names == std::vector<std::string>{"LOCK"});
}

TEST_CASE("an aborted backup leaves nothing") {
  FaultEnv env;
  const std::shared_ptr<Store> store = OpenStoreAt(env, kStore);
  Fill(*store);
  for (int calls = 0;; ++calls) {
    int left = calls;
    const Status status =
        BackupStore(env, kStore, env, kCopy, store->durable(), [&] { return left-- <= 0; });
    if (status.ok()) break;
    REQUIRE(status.code() == ErrorCode::kAborted);
    std::vector<std::string> names;
    REQUIRE(env.ListDirectory(kCopy, names).ok());
    REQUIRE(names == std::vector<std::string>{"LOCK"});
  }
}

TEST_CASE("backups of a store that is written, sealed and merged meanwhile hold what was durable") {
  const storage::TemporaryDirectory directory;
  storage::Env& env = storage::SystemEnv();
  StoreOptions options;
  options.seal_bytes = std::uint64_t{16} << 10;
  options.durability = storage::Durability::kNone;
  const std::shared_ptr<Store> store = OpenStoreAt(env, directory / "store", options);
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::atomic<std::uint32_t> added{0};
  std::atomic<int> round{0};
  // Turn i is the i-th entry of the one bank, so that how many there are says all. So many for each
  // backup: one that is slow would have to copy the more.
  constexpr int kMost = 200;
  std::thread writer([&] {
    RandomTurns turns(3);
    for (int i = 0; !stop; ++i) {
      while (!stop && i >= kMost * (round + 1)) std::this_thread::yield();
      if (!Add(*store, "bank", turns.MakeMany(4, kNow)).ok()) ++failures;
      added += 4;
      if (i % 50 == 49 && !store->Compact({}).ok()) ++failures;
    }
  });
  for (int i = 0; i < 10; ++i) {
    round = i;
    const std::string to = directory / ("copy" + std::to_string(i));
    const std::uint32_t before = added;
    const Status status = store->Backup(to, {});
    REQUIRE_MESSAGE(status.ok(), status.message());
    const std::uint32_t after = added + 4;  // one may be under way
    CheckSound(env, to);
    const std::shared_ptr<Store> copy = OpenStoreAt(env, to, options);
    const SeenStore seen = SeeAll(*copy);
    const auto bank = seen.find("bank");
    const std::uint32_t entries = bank == seen.end() ? 0 : bank->second.next_entry;
    CHECK(entries >= before);
    CHECK(entries <= after);
    CHECK(entries % 4 == 0);
    REQUIRE(copy->Close().ok());
  }
  stop = true;
  writer.join();
  CHECK(failures == 0);
  CHECK(store->Close().ok());
}

}  // namespace
}  // namespace dentate::store::test
