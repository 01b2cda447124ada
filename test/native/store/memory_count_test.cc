// What a limit of memory goes by, beside what the heap has really given. glibc can say that; under
// a sanitizer there is another heap.

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DENTATE_OTHER_HEAP
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DENTATE_OTHER_HEAP
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__GLIBC__) && !defined(DENTATE_OTHER_HEAP)
#if __GLIBC_PREREQ(2, 33)

#include <doctest/doctest.h>
#include <malloc.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/fault_env.h"
#include "store/store_world.h"

using dentate::storage::FaultEnv;
using namespace dentate::store;
using namespace dentate::store::test;

namespace {

constexpr std::size_t kBanks = 300;

std::shared_ptr<Store> OpenOrFail(FaultEnv& env) {
  StoreOptions options;
  options.inline_work = true;
  options.settings = {{"encoder", "test"}};
  options.memory_limit = std::size_t{1} << 30;
  std::shared_ptr<Store> store;
  REQUIRE(Store::Open(env, "/store", options, store).ok());
  return store;
}

double Given() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

}  // namespace

TEST_CASE("the memory counted for small loaded banks is what the heap has given for them") {
  for (const std::uint32_t entries : {1U, 40U}) {
    FaultEnv env(1);
    RandomTurns turns(12);
    {
      const auto store = OpenOrFail(env);
      for (std::size_t i = 0; i < kBanks; ++i) {
        REQUIRE(Add(*store, std::to_string(i), turns.MakeMany(entries, kNow)).ok());
      }
      REQUIRE(store->Seal().ok());
      REQUIRE(store->Close().ok());
    }
    const auto store = OpenOrFail(env);
    std::vector<BankHandle> handles;
    handles.reserve(kBanks);
    const double before = Given();
    for (std::size_t i = 0; i < kBanks; ++i) handles.push_back(store->Bank(std::to_string(i)));
    for (const BankHandle& handle : handles) {
      std::shared_ptr<const dentate::bank::Bank> bank;
      REQUIRE(handle.Load(bank).ok());
      REQUIRE(bank != nullptr);
      CHECK(bank->Read(kNow)->entry_count == entries);
    }
    const double given = Given() - before;
    const auto counted = static_cast<double>(store->Stats().memory_bytes);
    INFO(entries << " entries: " << counted / kBanks << " of " << given / kBanks);
    CHECK(counted > 0.92 * given);
    CHECK(counted < 1.08 * given);
  }
}

#endif
#endif
