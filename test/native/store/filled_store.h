// A store with something of everything: several segments, banks dropped and made again, deletes, a
// tail in the log.

#ifndef DENTATE_TEST_NATIVE_STORE_FILLED_STORE_H_
#define DENTATE_TEST_NATIVE_STORE_FILLED_STORE_H_

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/fault_env.h"
#include "store/store_world.h"

namespace dentate::store::test {

inline StoreOptions InlineOptions() {
  StoreOptions options;
  options.inline_work = true;
  options.settings = {{"encoder", "test"}};
  return options;
}

inline std::shared_ptr<Store> OpenStoreAt(storage::Env& env, const std::string& directory,
                                          const StoreOptions& options = InlineOptions()) {
  std::shared_ptr<Store> store;
  const Status status = Store::Open(env, directory, options, store);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return store;
}

inline SeenStore SeeAll(const Store& store) {
  SeenStore seen;
  const Status status = See(store, seen);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return seen;
}

inline void Fill(const Store& store, std::uint32_t seed = 5) {
  RandomTurns turns(seed);
  for (int round = 0; round < 3; ++round) {
    for (const std::string bank : {"ana", "bo",
                                   "\xc3\xa7"
                                   "elik"}) {
      REQUIRE(Add(store, bank, turns.MakeMany(20, kNow)).ok());
    }
    bool existed = false;
    std::uint64_t sequence = 0;
    REQUIRE(Index(store, "ana", 4, 0.9F, sequence).ok());
    if (round == 1) REQUIRE(store.DropBank("bo", existed, sequence).ok());
    const std::vector<std::uint32_t> entries = {3, static_cast<std::uint32_t>(7 + round)};
    std::uint32_t deleted = 0;
    REQUIRE(store.Bank("ana").Delete(entries, deleted, sequence).ok());
    if (round < 2) REQUIRE(store.Seal().ok());
  }
}

// Closed, with the groups of the last round in the log.
inline std::unique_ptr<storage::FaultEnv> FilledStore(const std::string& directory) {
  auto env = std::make_unique<storage::FaultEnv>();
  const std::shared_ptr<Store> store = OpenStoreAt(*env, directory);
  Fill(*store);
  REQUIRE(store->Close().ok());
  return env;
}

}  // namespace dentate::store::test

#endif  // DENTATE_TEST_NATIVE_STORE_FILLED_STORE_H_
