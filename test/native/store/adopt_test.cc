#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/fault_env.h"
#include "store/filled_store.h"

namespace dentate::store::test {
namespace {

using storage::FaultEnv;

constexpr char kStore[] = "/store";
constexpr char kOther[] = "/store/reindex";

StoreOptions OtherOptions() {
  StoreOptions options = InlineOptions();
  options.settings = {{"encoder", "another"}};
  return options;
}

// Two stores: the one that is in use, and a newer one beside it, closed and sealed to the end.
struct Two {
  explicit Two(std::uint64_t seed = 1) : env(seed) {
    store = OpenStoreAt(env, kStore);
    Fill(*store);
    old = SeeAll(*store);
    const std::shared_ptr<Store> other = OpenStoreAt(env, kOther, OtherOptions());
    Fill(*other, 77);
    Fill(*other, 78);
    REQUIRE(other->Seal().ok());
    adopted = SeeAll(*other);
    REQUIRE(other->Close().ok());
  }

  FaultEnv env;
  std::shared_ptr<Store> store;
  SeenStore old, adopted;
};

TEST_CASE("a store takes another one's content and settings, ends, and goes on when opened again") {
  Two two;
  // What was written since is not in the other store.
  CHECK(two.store->Adopt(kOther, nullptr, two.store->sequence() - 1, {}).code() ==
        ErrorCode::kAborted);
  REQUIRE(two.store->Adopt(kOther, nullptr, two.store->sequence(), {}).ok());
  CHECK(two.store->Seal().code() == ErrorCode::kClosed);
  RandomTurns turns(6);
  CHECK(Add(*two.store, "ana", turns.MakeMany(1, kNow)).code() == ErrorCode::kClosed);
  CHECK(two.store->Close().ok());

  std::shared_ptr<Store> store;
  CHECK(Store::Open(two.env, kStore, InlineOptions(), store).code() == ErrorCode::kMismatch);
  store = OpenStoreAt(two.env, kStore, OtherOptions());
  CHECK(SeeAll(*store) == two.adopted);

  // The other one is as it was; both go on alike, through drops and deletes too.
  const std::shared_ptr<Store> other = OpenStoreAt(two.env, kOther, OtherOptions());
  CHECK(SeeAll(*other) == two.adopted);
  for (const auto& each : {store, other}) {
    Fill(*each, 5);
    bool existed = false;
    std::uint64_t sequence = 0;
    REQUIRE(each->DropBank("ana", existed, sequence).ok());
    RandomTurns more(6);
    REQUIRE(Add(*each, "ana", more.MakeMany(3, kNow)).ok());
    REQUIRE(each->Compact({}).ok());
  }
  CHECK(SeeAll(*store) == SeeAll(*other));
  std::vector<DamagedPlace> damage;
  REQUIRE(store->Verify({}, damage).ok());
  CHECK(damage.empty());
  const SeenStore before = SeeAll(*store);
  REQUIRE(store->Close().ok());
  CHECK(SeeAll(*OpenStoreAt(two.env, kStore, OtherOptions())) == before);
}

TEST_CASE("readers are told that the store was rebuilt, and show nothing of before") {
  Two two;
  StoreOptions options = InlineOptions();
  options.read_only = true;
  const std::shared_ptr<Store> reader = OpenStoreAt(two.env, kStore, options);
  CHECK(SeeAll(*reader) == two.old);
  const BankHandle bank = reader->Bank("ana");
  REQUIRE(two.store->Adopt(kOther, nullptr, two.store->sequence(), {}).ok());
  for (int i = 0; i < 2; ++i) {
    CHECK(reader->Refresh().code() == ErrorCode::kMismatch);
    std::shared_ptr<const bank::Bank> loaded;
    CHECK(bank.Load(loaded).code() == ErrorCode::kMismatch);
    CHECK(loaded == nullptr);
  }
  CHECK(reader->Close().ok());
  options = OtherOptions();
  options.read_only = true;
  CHECK(SeeAll(*OpenStoreAt(two.env, kStore, options)) == two.adopted);
}

TEST_CASE("an empty store is adopted too, and one that is in use or has a tail is not") {
  Two two;
  const std::string empty = "/empty";
  std::shared_ptr<Store> other = OpenStoreAt(two.env, empty, OtherOptions());
  CHECK(two.store->Adopt(empty, nullptr, two.store->sequence(), {}).code() == ErrorCode::kLocked);
  RandomTurns turns(6);
  REQUIRE(other->Close().ok());
  REQUIRE(two.store->Adopt(empty, nullptr, two.store->sequence(), {}).ok());
  REQUIRE(two.store->Close().ok());
  CHECK(SeeAll(*OpenStoreAt(two.env, kStore, OtherOptions())).empty());

  other = OpenStoreAt(two.env, empty, OtherOptions());
  REQUIRE(Add(*other, "bank", turns.MakeMany(1, kNow)).ok());
  REQUIRE(other->Close().ok());
  const std::shared_ptr<Store> store = OpenStoreAt(two.env, kStore, OtherOptions());
  CHECK(store->Adopt(empty, nullptr, store->sequence(), {}).code() == ErrorCode::kInternal);
  CHECK(store->Adopt("/nowhere", nullptr, store->sequence(), {}).code() != ErrorCode::kOk);
  CHECK(SeeAll(*store).empty());
}

TEST_CASE("a crash at any call of it leaves the old content or the new") {
  int left_old = 0;
  int left_new = 0;
  for (std::uint64_t cut = 1;; ++cut) {
    Two two(cut);
    two.env.SetFault({.at = cut, .kinds = storage::kChanges, .power_loss = true});
    const Status status = two.store->Adopt(kOther, nullptr, two.store->sequence(), {});
    if (!two.env.fired()) {
      REQUIRE(status.ok());
      break;
    }
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const auto survival = seed == 0   ? storage::Survival::kSynced
                            : seed == 1 ? storage::Survival::kProcess
                                        : storage::Survival::kRandom;
      const auto after = two.env.AfterCrash(survival, cut * 10 + seed);
      std::shared_ptr<Store> store;
      Status opened = Store::Open(*after, kStore, InlineOptions(), store);
      if (opened.ok()) {
        // Adopt succeeds where only what follows the swap was cut off.
        REQUIRE_FALSE(status.ok());
        REQUIRE(SeeAll(*store) == two.old);
        ++left_old;
      } else {
        REQUIRE_MESSAGE(opened.code() == ErrorCode::kMismatch, opened.message());
        store = OpenStoreAt(*after, kStore, OtherOptions());
        REQUIRE(SeeAll(*store) == two.adopted);
        ++left_new;
      }
      REQUIRE(store->Close().ok());
    }
  }
  MESSAGE(left_old << " old, " << left_new << " new");
  CHECK(left_old > 10);
  CHECK(left_new > 1);
}

}  // namespace
}  // namespace dentate::store::test
