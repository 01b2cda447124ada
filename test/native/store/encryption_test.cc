#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "storage/fault_env.h"
#include "store/store.h"
#include "store/store_world.h"

using dentate::ErrorCode;
using dentate::Status;
using dentate::storage::Fault;
using dentate::storage::FaultEnv;
using dentate::storage::SecretKey;
using dentate::storage::Survival;
using namespace dentate::store;
using namespace dentate::store::test;

namespace {

SecretKey Key(std::uint8_t byte) {
  SecretKey key;
  std::fill(key.writable().begin(), key.writable().end(), byte);
  return key;
}

StoreOptions Options(std::optional<SecretKey> key = Key(1)) {
  StoreOptions options;
  options.inline_work = true;
  options.settings = {{"encoder", "test"}};
  options.key = key;
  return options;
}

Status Open(FaultEnv& env, const StoreOptions& options, std::shared_ptr<Store>& store) {
  store = nullptr;
  return Store::Open(env, "/store", options, store);
}

std::shared_ptr<Store> OpenOrFail(FaultEnv& env, const StoreOptions& options = Options()) {
  std::shared_ptr<Store> store;
  const Status status = Open(env, options, store);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return store;
}

SeenStore SeeOrFail(const Store& store) {
  SeenStore seen;
  const Status status = See(store, seen);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return seen;
}

void Check(const Status& status) { CHECK_MESSAGE(status.ok(), status.message()); }

bool SomeFileHas(FaultEnv& env, const std::string& text) {
  std::vector<std::string> names;
  Check(env.ListDirectory("/store", names));
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const auto bytes = env.Content("/store/" + name);
    return std::search(bytes.begin(), bytes.end(), text.begin(), text.end(), [](auto a, char b) {
             return a == static_cast<std::uint8_t>(b);
           }) != bytes.end();
  });
}

}  // namespace

TEST_CASE("an encrypted store is like a plain one, and nothing of it lies there plain") {
  const std::string canary = "a bank with an unmistakable name";
  for (const bool encrypted : {false, true}) {
    FaultEnv env(1);
    RandomTurns turns(2);
    const StoreOptions options = Options(encrypted ? std::optional(Key(1)) : std::nullopt);
    StoreOptions reading = options;
    reading.read_only = true;
    const auto memory = Store::OpenInMemory(options);
    auto store = OpenOrFail(env, options);
    auto reader = OpenOrFail(env, reading);
    bool plain_seen = false;
    for (std::uint32_t i = 0; i < 120; ++i) {
      const std::string bank = i % 3 == 0 ? canary : "another";
      const auto batch = turns.MakeMany(1 + i % 4, kNow);
      Check(Add(*memory, bank, batch));
      Check(Add(*store, bank, batch));
      const std::uint32_t entries[] = {i, i / 2};
      std::uint32_t deleted = 0;
      std::uint64_t sequence = 0;
      Check(memory->Bank(bank).Delete(entries, deleted, sequence));
      Check(store->Bank(bank).Delete(entries, deleted, sequence));
      PurgeReceipt receipt;
      if (i % 11 == 3) Check(store->Seal());
      if (i % 23 == 7) Check(store->Merge());
      if (i % 37 == 9) Check(store->Purge({}, receipt));
      if (i % 41 == 15) {
        reader.reset();
        Check(store->Close());
        store = OpenOrFail(env, options);
        reader = OpenOrFail(env, reading);
      }
      plain_seen |= SomeFileHas(env, canary);
    }
    CHECK(Difference(SeeOrFail(*memory), SeeOrFail(*store)) == "");
    Check(reader->Refresh());
    CHECK(Difference(SeeOrFail(*memory), SeeOrFail(*reader)) == "");
    CHECK(plain_seen != encrypted);
  }
}

TEST_CASE("each wrong way to open is DENTATE_KEY and leaves the store as it was") {
  FaultEnv encrypted(1);
  FaultEnv plain(1);
  RandomTurns turns(3);
  const auto batch = turns.MakeMany(5, kNow);
  for (const bool open : {false, true}) {
    FaultEnv& env = encrypted;
    auto store = OpenOrFail(env);
    if (!open) Check(Add(*store, "a", batch));
    auto plain_store = OpenOrFail(plain, Options({}));
    if (!open) {
      Check(store->Close());
      Check(plain_store->Close());
    }
    std::shared_ptr<Store> other;
    for (const bool read_only : {false, true}) {
      StoreOptions wrong = Options(Key(2));
      StoreOptions none = Options({});
      wrong.read_only = none.read_only = read_only;
      CHECK(Open(env, wrong, other).code() == ErrorCode::kKey);
      CHECK(Open(env, none, other).code() == ErrorCode::kKey);
      CHECK(Open(plain, wrong, other).code() == ErrorCode::kKey);
    }
    if (open) CHECK(Open(env, Options(), other).ok());
  }
  CHECK(SeeOrFail(*OpenOrFail(encrypted))["a"].next_entry == 5);
}

TEST_CASE("after a rekey the new key opens, for openers that join too, and the old one does not") {
  FaultEnv env(1);
  RandomTurns turns(4);
  auto store = OpenOrFail(env);
  Check(Add(*store, "a", turns.MakeMany(5, kNow)));
  Check(store->Seal());
  Check(store->Rekey(Key(2)));
  Check(Add(*store, "a", turns.MakeMany(5, kNow)));
  std::shared_ptr<Store> joined;
  CHECK(Open(env, Options(Key(1)), joined).code() == ErrorCode::kKey);
  Check(Open(env, Options(Key(2)), joined));
  const SeenStore seen = SeeOrFail(*store);
  Check(joined->Close());
  Check(store->Close());
  CHECK(Open(env, Options(Key(1)), store).code() == ErrorCode::kKey);
  store = OpenOrFail(env, Options(Key(2)));
  CHECK(SeeOrFail(*store) == seen);
  CHECK(OpenOrFail(env, Options(Key(2)))->Rekey(Key(3)).ok());

  FaultEnv plain(1);
  CHECK(OpenOrFail(plain, Options({}))->Rekey(Key(1)).code() == ErrorCode::kKey);
  CHECK(Store::OpenInMemory(Options({}))->Rekey(Key(1)).code() == ErrorCode::kKey);
}

TEST_CASE("compacting rewrites what older data keys encrypted, and forgets them") {
  FaultEnv env(1);
  RandomTurns turns(5);
  auto store = OpenOrFail(env);
  const std::size_t one_key = env.Content("/store/KEY").size();
  for (std::uint8_t i = 2; i < 6; ++i) {
    Check(Add(*store, "a", turns.MakeMany(5, kNow)));
    Check(store->Seal());
    Check(store->Rekey(Key(i)));
  }
  CHECK(env.Content("/store/KEY").size() == one_key + 4 * SecretKey::kBytes);
  Check(Add(*store, "a", turns.MakeMany(5, kNow)));
  const SeenStore seen = SeeOrFail(*store);
  Check(store->Compact({}));
  CHECK(env.Content("/store/KEY").size() == one_key);
  CHECK(SeeOrFail(*store) == seen);
  Check(store->Rekey(Key(6)));
  Check(store->Close());
  store = OpenOrFail(env, Options(Key(6)));
  Check(Add(*store, "a", turns.MakeMany(1, kNow)));
  Check(store->Compact({}));  // of one segment
  CHECK(env.Content("/store/KEY").size() == one_key);
  CHECK(SeeOrFail(*store)["a"].next_entry == seen.at("a").next_entry + 1);
}

TEST_CASE("a backup of an encrypted store is one, with the same key, and both verify") {
  FaultEnv env(1);
  RandomTurns turns(7);
  auto store = OpenOrFail(env);
  Check(Add(*store, "a", turns.MakeMany(9, kNow)));
  Check(store->Seal());
  Check(Add(*store, "b", turns.MakeMany(4, kNow)));
  StoreOptions reading = Options();
  reading.read_only = true;
  const auto reader = OpenOrFail(env, reading);
  Check(store->Backup("/copy", {}));
  Check(reader->Backup("/other", {}));
  std::vector<dentate::DamagedPlace> damage;
  Check(store->Verify({}, damage));
  CHECK(damage.empty());
  for (const char* directory : {"/copy", "/other"}) {
    std::shared_ptr<Store> copy;
    CHECK(Store::Open(env, directory, Options({}), copy).code() == ErrorCode::kKey);
    Check(Store::Open(env, directory, Options(), copy));
    CHECK(SeeOrFail(*copy) == SeeOrFail(*store));
    Check(copy->Verify({}, damage));
    CHECK(damage.empty());
    CHECK(env.Content(std::string(directory) + "/KEY") != env.Content("/store/KEY"));
  }

  // One byte of the text of the segment, where it is encrypted.
  std::vector<std::string> names;
  Check(env.ListDirectory("/store", names));
  for (const std::string& name : names) {
    if (!name.starts_with("segment-")) continue;
    auto bytes = env.Content("/store/" + name);
    bytes[bytes.size() / 2] ^= 1;
    env.SetContent("/store/" + name, bytes);
  }
  Check(store->Verify({}, damage));
  CHECK(damage.size() == 1);
}

TEST_CASE("power cuts at each call lose nothing acknowledged of an encrypted store") {
  std::uint64_t cuts = 0;
  std::uint64_t crashes = 0;
  for (std::uint64_t cut = 1;; ++cut) {
    CAPTURE(cut);
    FaultEnv env(cut);
    RandomTurns turns(6);
    std::uint32_t acknowledged = 0;
    std::uint32_t tried = 0;
    bool rekeying = false;
    bool rekeyed = false;
    env.SetFault({.at = cut, .kinds = dentate::storage::kChanges, .power_loss = true});
    {
      std::shared_ptr<Store> store;
      const auto add = [&] {
        ++tried;
        if (!Add(*store, "a", turns.MakeMany(1, kNow)).ok()) return;
        if (store->durable() == store->sequence()) acknowledged = tried;
      };
      const auto step = [&](int i) {
        PurgeReceipt receipt;
        switch (i) {
          case 2:
          case 6:
            return store->Seal().ok();
          case 4:
            rekeying = true;
            rekeyed = store->Rekey(Key(2)).ok();
            return rekeyed;
          case 8:
            return store->Compact({}).ok();
          case 9:
            return store->Purge({}, receipt).ok();
          default:
            add();
            return acknowledged == tried;
        }
      };
      if (Open(env, Options(), store).ok()) {
        for (int i = 0; i < 12 && step(i); ++i) {
        }
      }
    }
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const auto survival = seed == 0   ? Survival::kSynced
                            : seed == 1 ? Survival::kProcess
                                        : Survival::kRandom;
      const auto after = env.AfterCrash(survival, seed);
      std::shared_ptr<Store> store;
      Status status = Open(*after, Options(Key(rekeyed ? 2 : 1)), store);
      if (rekeying && !rekeyed && status.code() == ErrorCode::kKey) {
        status = Open(*after, Options(Key(2)), store);
      }
      REQUIRE_MESSAGE(status.ok(), status.message());
      const SeenStore seen = SeeOrFail(*store);
      const std::size_t found = seen.contains("a") ? seen.at("a").entries.size() : 0;
      REQUIRE(found >= acknowledged);
      REQUIRE(found <= tried);
      ++crashes;
    }
    if (!env.fired()) {
      REQUIRE(acknowledged == 7);
      cuts = cut - 1;
      break;
    }
  }
  MESSAGE("power cuts at " << cuts << " calls, " << crashes << " crashes");
}
