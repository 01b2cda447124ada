// A reader beside a writer: whatever it has looked at before, and however much it missed between
// two looks, it sees the store as it was at one moment, never an earlier one than before, and after
// Refresh not an earlier one than now.

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "storage/fault_env.h"
#include "storage/temporary_directory.h"
#include "store/filled_store.h"

using dentate::ErrorCode;
using dentate::Status;
using dentate::storage::FaultEnv;
using dentate::storage::SystemEnv;
using dentate::storage::TemporaryDirectory;
using namespace dentate::store;
using namespace dentate::store::test;

namespace {

constexpr std::uint32_t kBanks = 3;

std::string BankName(std::uint32_t i) { return std::string(1, static_cast<char>('a' + i)); }

StoreOptions Reading(StoreOptions options = InlineOptions()) {
  options.read_only = true;
  return options;
}

void Check(const Status& status) { CHECK_MESSAGE(status.ok(), status.message()); }

void Drop(const Store& store, const std::string& bank) {
  bool existed = false;
  std::uint64_t sequence = 0;
  Check(store.DropBank(bank, existed, sequence));
}

// What a handle shows; nothing for a bank that isn't there, nor for one that was never given an
// entry.
Status SeeBank(const BankHandle& handle, SeenBank& seen) {
  std::shared_ptr<const dentate::bank::Bank> bank;
  Status status = handle.Load(bank);
  seen = bank == nullptr ? SeenBank{} : See(*bank);
  return status;
}

SeenBank SeeOrFail(const BankHandle& handle) {
  SeenBank seen;
  const Status status = SeeBank(handle, seen);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return seen;
}

std::vector<BankHandle> Handles(const Store& store) {
  std::vector<BankHandle> handles;
  for (std::uint32_t i = 0; i < kBanks; ++i) handles.push_back(store.Bank(BankName(i)));
  return handles;
}

std::vector<std::uint32_t> CurrentNumbers(const SeenBank& bank) {
  std::vector<std::uint32_t> numbers;
  for (const SeenEntry& entry : bank.entries) {
    if (entry.current) numbers.push_back(entry.number);
  }
  return numbers;
}

// Of one moment, also while the bank grows.
std::vector<std::uint32_t> CurrentNumbers(const dentate::bank::Bank& bank) {
  std::vector<std::uint32_t> numbers;
  const auto snapshot = bank.Read(kNow);
  for (const dentate::bank::PlacedPart& placed : snapshot->parts) {
    for (std::uint32_t i = 0; i < placed.size; ++i) {
      if (snapshot->current[placed.first_entry + i]) numbers.push_back(placed.first_entry + i);
    }
  }
  return numbers;
}

// A writer that does anything at all, and all the states that each bank has been in.
class History {
 public:
  History(Store& writer, std::uint32_t seed) : writer_(writer), turns_(seed), states_(kBanks) {
    for (std::uint32_t i = 0; i < kBanks; ++i) states_[i].emplace_back();
  }

  void Step() {
    const std::uint32_t bank = turns_.Below(kBanks);
    const std::string name = BankName(bank);
    const std::uint32_t what = turns_.Below(16);
    std::uint64_t sequence = 0;
    if (what < 6) {
      Check(Add(writer_, name, turns_.MakeMany(1 + turns_.Below(3), kNow)));
    } else if (what < 8) {
      const std::uint32_t entries[] = {turns_.Below(12)};
      std::uint32_t deleted = 0;
      Check(writer_.Bank(name).Delete(entries, deleted, sequence));
    } else if (what < 9) {
      const std::uint32_t entries[] = {turns_.Below(12)};
      Check(writer_.Bank(name).Touch(entries, kNow, sequence));
    } else if (what < 11) {
      Drop(writer_, name);
    } else if (what < 14) {
      Check(writer_.Seal());
    } else if (what < 15) {
      Check(writer_.Compact({}));
    } else {
      PurgeReceipt receipt;
      Check(writer_.Purge({}, receipt));
    }
    for (std::uint32_t i = 0; i < kBanks; ++i) {
      SeenBank now = SeeOrFail(writer_.Bank(BankName(i)));
      const std::lock_guard lock(mutex_);
      if (!(states_[i].back() == now)) states_[i].push_back(std::move(now));
    }
  }

  // The first state of the bank from `from` on that `is` holds of; npos: of none.
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  template <typename Predicate>
  std::size_t Find(std::uint32_t bank, std::size_t from, const Predicate& is) const {
    const auto& states = states_[bank];
    const auto first = states.begin() + static_cast<std::ptrdiff_t>(from);
    const auto found = std::find_if(first, states.end(), is);
    return found == states.end() ? npos : static_cast<std::size_t>(found - states.begin());
  }
  std::size_t Find(std::uint32_t bank, std::size_t from, const SeenBank& seen) const {
    return Find(bank, from, [&](const SeenBank& state) { return state == seen; });
  }
  std::size_t newest(std::uint32_t bank) const {
    const std::lock_guard lock(mutex_);
    return states_[bank].size() - 1;
  }

 private:
  Store& writer_;
  RandomTurns turns_;
  mutable std::mutex mutex_;  // of states_, while Step runs
  std::vector<std::vector<SeenBank>> states_;
};

}  // namespace

TEST_CASE("a bank that a reader found missing is there once it was made and sealed") {
  FaultEnv env(1);
  RandomTurns turns(1);
  const auto writer = OpenStoreAt(env, "/store");
  const auto reader = OpenStoreAt(env, "/store", Reading());
  const BankHandle bank = reader->Bank("a");
  CHECK(SeeOrFail(bank).entries.empty());
  Check(Add(*writer, "a", turns.MakeMany(1, kNow)));
  Check(writer->Seal());
  Check(reader->Refresh());
  CHECK(SeeOrFail(bank).entries.size() == 1);
}

TEST_CASE("a bank is gone for a reader that missed how it was dropped, and its making again") {
  FaultEnv env(1);
  RandomTurns turns(1);
  const auto writer = OpenStoreAt(env, "/store");
  Check(Add(*writer, "a", turns.MakeMany(2, kNow)));
  Check(Add(*writer, "b", turns.MakeMany(1, kNow)));
  const auto reader = OpenStoreAt(env, "/store", Reading());
  const BankHandle bank = reader->Bank("a");
  CHECK(SeeOrFail(bank).entries.size() == 2);
  // Nothing of it has ever been in a segment, so none says that it is gone.
  Drop(*writer, "a");
  Check(writer->Seal());
  Check(reader->Refresh());
  CHECK(SeeOrFail(bank).entries.empty());
  CHECK(reader->BankNames() == std::vector<std::string>{"b"});
  Check(Add(*writer, "a", turns.MakeMany(1, kNow)));
  Check(writer->Seal());
  Check(reader->Refresh());
  CHECK(SeeOrFail(bank).entries.size() == 1);
}

TEST_CASE("a reader sees states of each bank in their order, and the newest after Refresh") {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    FaultEnv env(seed);
    StoreOptions options = InlineOptions();
    if (seed % 4 == 0) options.memory_limit = 1;  // every bank is let go at once
    const auto writer = OpenStoreAt(env, "/store", options);
    const auto reader = OpenStoreAt(env, "/store", Reading(options));
    RandomTurns random(seed + 1000);
    History history(*writer, seed);
    const std::vector<BankHandle> handles = Handles(*reader);
    std::vector<std::size_t> seen(kBanks, 0);
    for (int step = 0; step < 120; ++step) {
      CAPTURE(step);
      history.Step();
      const bool refreshes = random.Below(4) == 0;
      if (refreshes) Check(reader->Refresh());
      for (std::uint32_t i = 0; i < kBanks; ++i) {
        if (!refreshes && random.Below(3) > 0) continue;
        const std::size_t from = refreshes ? history.newest(i) : seen[i];
        seen[i] = history.Find(i, from, SeeOrFail(handles[i]));
        REQUIRE(seen[i] != History::npos);
      }
    }
  }
}

TEST_CASE("a reader whose disk fails at any call says so, and never shows less than before") {
  std::uint64_t failed = 0;
  for (std::uint32_t seed = 1; seed <= 16; ++seed) {
    CAPTURE(seed);
    FaultEnv env(seed);
    StoreOptions options = InlineOptions();
    if (seed % 3 == 0) options.memory_limit = 1;
    const auto writer = OpenStoreAt(env, "/store", options);
    const auto reader = OpenStoreAt(env, "/store", Reading(options));
    RandomTurns random(seed + 2000);
    History history(*writer, seed);
    const std::vector<BankHandle> handles = Handles(*reader);
    std::vector<std::size_t> seen(kBanks, 0);
    for (int step = 0; step < 100; ++step) {
      CAPTURE(step);
      history.Step();
      env.SetFault({.at = 1 + random.Below(24), .error = EIO, .lasting = random.Below(2) == 0});
      static_cast<void>(reader->Refresh());
      for (std::uint32_t i = 0; i < kBanks; ++i) {
        SeenBank bank;
        const Status status = SeeBank(handles[i], bank);
        if (status.ok()) {
          seen[i] = history.Find(i, seen[i], bank);
          REQUIRE(seen[i] != History::npos);
        } else {
          CHECK(status.code() == ErrorCode::kIo);
          ++failed;
        }
      }
      env.SetFault({});
      if (random.Below(3) > 0) continue;
      Check(reader->Refresh());
      for (std::uint32_t i = 0; i < kBanks; ++i) {
        seen[i] = history.Find(i, history.newest(i), SeeOrFail(handles[i]));
        REQUIRE(seen[i] != History::npos);
      }
    }
  }
  CHECK(failed > 50);
  MESSAGE(failed, " reads failed");
}

TEST_CASE("readers that follow by themselves see states of each bank in their order") {
  const TemporaryDirectory directory;
  StoreOptions options;
  options.durability = dentate::storage::Durability::kNone;
  options.poll_milliseconds = 1;
  std::shared_ptr<Store> writer, reader;
  REQUIRE(Store::Open(SystemEnv(), directory.path(), options, writer).ok());
  REQUIRE(Store::Open(SystemEnv(), directory.path(), Reading(options), reader).ok());
  History history(*writer, 1);
  std::atomic<bool> done{false};
  std::atomic<int> failures{0};
  // What was seen of a bank, and which state it was not to be older than.
  struct Sight {
    std::uint32_t bank = 0;
    std::size_t from = 0;
    std::vector<std::uint32_t> numbers;
  };
  constexpr std::size_t kReaders = 2;
  std::vector<std::vector<Sight>> sights(kReaders);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < kReaders; ++r) {
    threads.emplace_back([&, r] {
      const std::vector<BankHandle> handles = Handles(*reader);
      std::vector<std::vector<std::uint32_t>> last(kBanks);
      for (std::uint32_t i = 0; !done; ++i) {
        Sight sight;
        sight.bank = i % kBanks;
        // One of them waits for what is new; the other takes what there is.
        if (r == 0) {
          sight.from = history.newest(sight.bank);
          if (!writer->Flush().ok() || !reader->Refresh().ok()) ++failures;
        }
        std::shared_ptr<const dentate::bank::Bank> bank;
        if (!handles[sight.bank].Load(bank).ok()) ++failures;
        if (bank != nullptr) sight.numbers = CurrentNumbers(*bank);
        if (r > 0 && sight.numbers == last[sight.bank]) continue;
        last[sight.bank] = sight.numbers;
        sights[r].push_back(std::move(sight));
      }
    });
  }
  for (int step = 0; step < 300; ++step) history.Step();
  done = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
  for (const auto& mine : sights) {
    std::vector<std::size_t> seen(kBanks, 0);
    for (const Sight& sight : mine) {
      const std::size_t from = std::max(seen[sight.bank], sight.from);
      const std::size_t found = history.Find(sight.bank, from, [&](const SeenBank& state) {
        return CurrentNumbers(state) == sight.numbers;
      });
      CAPTURE(from);
      CAPTURE(history.newest(sight.bank));
      REQUIRE(found != History::npos);
      seen[sight.bank] = found;
    }
    MESSAGE(mine.size(), " sights");
  }
  Check(reader->Close());
  Check(writer->Close());
}
