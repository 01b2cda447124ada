#include "store/verify.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "storage/fault_env.h"
#include "storage/log_format.h"
#include "storage/temporary_directory.h"
#include "store/filled_store.h"

namespace dentate::store::test {
namespace {

using storage::FaultEnv;
using Places = std::vector<DamagedPlace>;

constexpr char kStore[] = "/store";

Places Verify(storage::Env& env) {
  Places damage;
  const Status status = VerifyStore(env, kStore, {}, damage);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return damage;
}

std::vector<std::string> Paths(storage::Env& env, const std::string& prefix) {
  std::vector<std::string> names;
  REQUIRE(env.ListDirectory(kStore, names).ok());
  std::erase_if(names, [&](const std::string& name) { return !name.starts_with(prefix); });
  for (std::string& name : names) name = std::string(kStore) + "/" + name;
  return names;
}

bool Names(const Places& damage, const std::string& path) {
  return std::any_of(damage.begin(), damage.end(),
                     [&](const DamagedPlace& place) { return place.file == path; });
}

// Changes one byte after the other of [begin, end), every `step`th, and verifies.
std::size_t ChangeBytes(FaultEnv& env, const std::string& path, std::size_t begin, std::size_t end,
                        std::size_t step) {
  const auto bytes = env.Content(path);
  std::size_t tried = 0;
  for (std::size_t at = begin; at < end; at += step, ++tried) {
    auto damaged = bytes;
    damaged[at] ^= 0x10;
    env.SetContent(path, damaged);
    const Places damage = Verify(env);
    REQUIRE_MESSAGE(!damage.empty(), path << " at " << at);
    REQUIRE(damage.front().file == path);
  }
  env.SetContent(path, bytes);
  return tried;
}

TEST_CASE("a sound store is found sound, in use and closed, and nothing is written") {
  FaultEnv env;
  const std::shared_ptr<Store> store = OpenStoreAt(env, kStore);
  CHECK(Verify(env).empty());
  Fill(*store);
  const std::uint64_t changes = env.calls(storage::kChanges);
  CHECK(Verify(env).empty());
  CHECK(env.calls(storage::kChanges) == changes);
  REQUIRE(store->Close().ok());
  CHECK(Verify(env).empty());
  // What crashes leave is no damage.
  const std::vector<std::uint8_t> leftover(10);
  env.SetContent(std::string(kStore) + "/MANIFEST.tmp", leftover);
  env.SetContent(std::string(kStore) + "/segment-" + std::string(32, 'a') + ".seg", leftover);
  CHECK(Verify(env).empty());
}

TEST_CASE("a changed byte anywhere in manifest or segments is found, and named by its file") {
  const auto env = FilledStore(kStore);
  std::size_t tried = 0;
  for (const std::string prefix : {"MANIFEST", "segment-"}) {
    for (const std::string& path : Paths(*env, prefix)) {
      tried += ChangeBytes(*env, path, 0, env->Content(path).size(), 17);
    }
  }
  MESSAGE(tried << " bytes changed");
  CHECK(Verify(*env).empty());
}

TEST_CASE("a changed byte of any group that was synced is found") {
  const auto env = FilledStore(kStore);
  std::size_t tried = 0;
  for (const std::string& path : Paths(*env, "log-")) {
    const auto bytes = env->Content(path);
    // Closing puts a mark behind the groups, which vouches for them; nothing vouches for it.
    const std::size_t around = storage::kLogHeaderBytes + storage::kFrameHeaderBytes;
    if (bytes.size() <= around) continue;
    tried += ChangeBytes(*env, path, 0, bytes.size() - storage::kFrameHeaderBytes, 7);
  }
  MESSAGE(tried << " bytes changed");
  CHECK(tried > 100);
}

TEST_CASE("damage in several files is listed whole, and so is a file that is gone") {
  const auto env = FilledStore(kStore);
  const std::vector<std::string> segments = Paths(*env, "segment-");
  REQUIRE(segments.size() >= 2);
  auto bytes = env->Content(segments[0]);
  bytes[100] ^= 1;
  env->SetContent(segments[0], bytes);
  REQUIRE(env->Remove(segments[1]).ok());
  const Places damage = Verify(*env);
  CHECK(damage.size() == 2);
  CHECK(Names(damage, segments[0]));
  CHECK(Names(damage, segments[1]));

  // Without a manifest segments are still looked at.
  const std::string manifest = std::string(kStore) + "/MANIFEST";
  env->SetContent(manifest, std::vector<std::uint8_t>(10));
  const Places lost = Verify(*env);
  CHECK(lost.size() == 2);
  CHECK(Names(lost, segments[0]));
  CHECK(Names(lost, manifest));
}

TEST_CASE("that there is no store, and an abort, are no damage") {
  FaultEnv none;
  REQUIRE(none.CreateDirectories(kStore).ok());
  Places damage;
  CHECK(VerifyStore(none, kStore, {}, damage).os_error() == ENOENT);

  const auto env = FilledStore(kStore);
  const Status status = VerifyStore(
      *env, kStore, [] { return true; }, damage);
  CHECK(status.code() == ErrorCode::kAborted);
  CHECK(damage.empty());
}

TEST_CASE("a store that is written, sealed and merged meanwhile is sound at every moment") {
  const storage::TemporaryDirectory directory;
  storage::Env& env = storage::SystemEnv();
  StoreOptions options;
  options.seal_bytes = std::uint64_t{16} << 10;
  options.durability = storage::Durability::kNone;
  const std::shared_ptr<Store> store = OpenStoreAt(env, directory.path(), options);
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::atomic<int> round{0};
  // So much for each look: one that is slow would have to read the more.
  constexpr int kMost = 200;
  std::thread writer([&] {
    RandomTurns turns(3);
    for (int i = 0; !stop; ++i) {
      while (!stop && i >= kMost * (round + 1)) std::this_thread::yield();
      if (!Add(*store, "bank " + std::to_string(i % 5), turns.MakeMany(5, kNow)).ok()) ++failures;
      if (i % 50 == 49 && !store->Compact({}).ok()) ++failures;
    }
  });
  for (int i = 0; i < 30; ++i) {
    round = i;
    Places damage;
    const Status status = VerifyStore(env, directory.path(), {}, damage);
    CHECK_MESSAGE(status.ok(), status.message());
    for (const DamagedPlace& place : damage) {
      FAIL_CHECK(place.file << " at " << place.offset << ": " << place.problem);
    }
  }
  stop = true;
  writer.join();
  CHECK(failures == 0);
  CHECK(store->Close().ok());
}

}  // namespace
}  // namespace dentate::store::test
