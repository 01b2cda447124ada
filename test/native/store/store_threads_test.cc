// The store under several threads at once, with its own at work too: for ThreadSanitizer above all.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "storage/env.h"
#include "storage/temporary_directory.h"
#include "store/store.h"
#include "store/store_world.h"

#include <doctest/doctest.h>

using dentate::Status;
using dentate::storage::SystemEnv;
using dentate::storage::TemporaryDirectory;
using namespace dentate::store;
using namespace dentate::store::test;

namespace {

// Tokens of all living entries, through every part: what a search would touch.
std::uint64_t Scan(const dentate::bank::Bank& bank) {
  std::uint64_t sum = 0;
  const auto snapshot = bank.Read(kNow);
  for (const dentate::bank::PlacedPart& placed : snapshot->parts) {
    for (std::uint32_t i = 0; i < placed.size; ++i) {
      if (!snapshot->current[placed.first_entry + i]) continue;
      const auto span = placed.part->TokenSpan(i);
      std::vector<std::uint32_t> tokens(span.size());
      placed.part->Tokens(span.begin, span.end, tokens.data());
      for (const std::uint32_t token : tokens) sum += token;
      sum += placed.part->SessionName(placed.part->Row(i).session).size();
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("threads add, read, delete, seal, merge and purge one store, and another follows it") {
  const TemporaryDirectory directory;
  StoreOptions options;
  options.seal_bytes = 20'000;     // many seals
  options.memory_limit = 300'000;  // banks come and go
  options.poll_milliseconds = 1;
  std::shared_ptr<Store> store;
  REQUIRE(Store::Open(SystemEnv(), directory.path(), options, store).ok());
  StoreOptions reading = options;
  reading.read_only = true;
  std::shared_ptr<Store> reader;
  REQUIRE(Store::Open(SystemEnv(), directory.path(), reading, reader).ok());
  std::atomic<std::uint64_t> heard{0};
  const std::uint64_t listener =
      store->AddListener([&](std::uint64_t durable, const Status&) { heard = durable; });

  constexpr int kWriters = 2, kReaders = 2, kBanks = 6;
  std::atomic<bool> done{false};
  std::atomic<int> failures{0};
  const auto must = [&](const Status& status) {
    if (!status.ok()) ++failures;
  };
  std::vector<std::uint32_t> added(kBanks, 0);  // bank i: by writer i % kWriters alone
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      RandomTurns turns(static_cast<std::uint32_t>(w));
      for (int i = 0; i < 250; ++i) {
        const auto bank = static_cast<std::size_t>(w + kWriters * (i % (kBanks / kWriters)));
        const std::uint32_t count = 1 + turns.Below(4);
        must(Add(*store, "bank " + std::to_string(bank), turns.MakeMany(count, kNow)));
        added[bank] += count;
        if (i % 7 == 0) {
          const std::uint32_t entries[] = {turns.Below(added[bank])};
          std::uint32_t deleted = 0;
          std::uint64_t sequence = 0;
          must(store->Bank("bank " + std::to_string(bank)).Delete(entries, deleted, sequence));
        }
      }
    });
  }
  for (int r = 0; r < kReaders; ++r) {
    threads.emplace_back([&, r] {
      const Store& from = r % 2 == 0 ? *store : *reader;
      std::vector<std::uint32_t> seen(kBanks, 0);
      for (std::size_t i = 0; !done; i = (i + 1) % kBanks) {
        std::shared_ptr<const dentate::bank::Bank> bank;
        must(from.Bank("bank " + std::to_string(i)).Load(bank));
        if (bank == nullptr) continue;
        Scan(*bank);
        if (bank->next_entry() < seen[i]) ++failures;  // never back in time
        seen[i] = bank->next_entry();
      }
    });
  }
  threads.emplace_back([&] {
    PurgeReceipt receipt;
    for (int i = 0; i < 8; ++i) {
      must(i % 4 == 3   ? store->Purge({}, receipt)
           : i % 2 == 0 ? store->Seal()
                        : store->Compact({}));
      must(store->Flush());
      store->BankNames();
      store->Stats();
    }
  });
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (i == kWriters) continue;
    if (i > kWriters && i < kWriters + kReaders) continue;
    threads[i].join();
  }
  done = true;
  for (std::size_t i = kWriters; i < kWriters + kReaders; ++i) threads[i].join();
  CHECK(failures == 0);

  CHECK(store->Flush().ok());
  CHECK(reader->Refresh().ok());
  SeenStore ours, theirs;
  CHECK(See(*store, ours).ok());
  CHECK(See(*reader, theirs).ok());
  CHECK(Difference(ours, theirs) == "");
  for (std::size_t i = 0; i < kBanks; ++i) {
    CHECK(ours["bank " + std::to_string(i)].next_entry == added[i]);
  }
  // The log's thread tells whoever waits before it tells listeners.
  while (heard != store->durable()) std::this_thread::yield();
  store->RemoveListener(listener);
  CHECK(reader->Close().ok());
  CHECK(store->Close().ok());
  REQUIRE(Store::Open(SystemEnv(), directory.path(), options, store).ok());
  CHECK(See(*store, theirs).ok());
  CHECK(Difference(ours, theirs) == "");
}

TEST_CASE("readers open a store at any moment of a writer") {
  const TemporaryDirectory directory;
  StoreOptions options;
  options.seal_bytes = 5'000;
  options.durability = dentate::storage::Durability::kNone;
  std::shared_ptr<Store> store;
  REQUIRE(Store::Open(SystemEnv(), directory.path(), options, store).ok());
  StoreOptions reading = options;
  reading.read_only = true;
  std::atomic<bool> done{false};
  std::atomic<int> failures{0};
  std::atomic<int> round{0};
  // So much for each opening: one that is slow would have to read the more.
  constexpr int kMost = 100;
  std::thread writer([&] {
    RandomTurns turns(1);
    for (int i = 0; !done; ++i) {
      while (!done && i >= kMost * (round + 1)) std::this_thread::yield();
      if (!Add(*store, "a", turns.MakeMany(3, kNow)).ok()) ++failures;
      if (i % 40 == 39 && !store->Merge().ok()) ++failures;
    }
  });
  for (int i = 0; i < 100; ++i) {
    round = i;
    std::shared_ptr<Store> reader;
    const Status opened = Store::Open(SystemEnv(), directory.path(), reading, reader);
    CHECK_MESSAGE(opened.ok(), opened.message());
    if (!opened.ok()) continue;
    std::shared_ptr<const dentate::bank::Bank> bank;
    const Status loaded = reader->Bank("a").Load(bank);
    CHECK_MESSAGE(loaded.ok(), loaded.message());
    CHECK(reader->Close().ok());
  }
  done = true;
  writer.join();
  CHECK(failures == 0);
  CHECK(store->Close().ok());
}

TEST_CASE("a store is closed under calls that are running") {
  for (int round = 0; round < 10; ++round) {
    const TemporaryDirectory directory;
    StoreOptions options;
    options.seal_bytes = 5'000;
    std::shared_ptr<Store> store;
    REQUIRE(Store::Open(SystemEnv(), directory.path(), options, store).ok());
    std::atomic<std::uint32_t> acknowledged{0};
    std::thread adder([&] {
      RandomTurns turns(static_cast<std::uint32_t>(round));
      while (Add(*store, "a", turns.MakeMany(1, kNow)).ok()) ++acknowledged;
    });
    std::thread maintainer([&] {
      while (store->Seal().ok() && store->Merge().ok() && store->Flush().ok()) {
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(store->Close().ok());
    adder.join();
    maintainer.join();
    std::shared_ptr<Store> again;
    REQUIRE(Store::Open(SystemEnv(), directory.path(), options, again).ok());
    SeenStore seen;
    CHECK(See(*again, seen).ok());
    CHECK(seen["a"].next_entry == acknowledged);
  }
}
