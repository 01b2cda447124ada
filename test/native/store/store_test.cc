#include "store/store.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "storage/fault_env.h"
#include "storage/log_format.h"
#include "store/store_world.h"

using dentate::ErrorCode;
using dentate::Status;
using dentate::storage::FaultEnv;
using namespace dentate::store;
using namespace dentate::store::test;

namespace {

StoreOptions Inline() {
  StoreOptions options;
  options.inline_work = true;
  options.settings = {{"encoder", "test"}};
  return options;
}

std::shared_ptr<Store> OpenOrFail(FaultEnv& env, const StoreOptions& options = Inline()) {
  std::shared_ptr<Store> store;
  const Status status = Store::Open(env, "/store", options, store);
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

std::vector<std::string> FilesWith(FaultEnv& env, const std::string& part) {
  std::vector<std::string> names;
  Check(env.ListDirectory("/store", names));
  std::erase_if(names, [&](const std::string& name) { return name.find(part) == name.npos; });
  return names;
}

// Does the same to a store in memory and one on disk, which have to stay equal.
class Twins {
 public:
  explicit Twins(std::uint32_t seed) : turns_(seed), env_(seed) {}

  void Open(const StoreOptions& options = Inline()) { disk_ = OpenOrFail(env_, options); }
  Store& disk() { return *disk_; }
  FaultEnv& env() { return env_; }

  void Compare() { CHECK(Difference(SeeOrFail(*memory_), SeeOrFail(*disk_)) == ""); }
  void Reopen(const StoreOptions& options = Inline()) {
    Check(disk_->Close());
    disk_.reset();
    Open(options);
    Compare();
  }

  void Step() {
    const std::string bank = "bank " + std::to_string(turns_.Below(4));
    const std::uint32_t what = turns_.Below(24);
    if (what < 11) {
      Append(bank, turns_.MakeMany(turns_.Below(5), kNow));
    } else if (what < 14) {
      Update(bank);
    } else if (what < 17) {
      Delete(bank);
    } else if (what < 19) {
      Touch(bank);
    } else if (what < 23) {
      IndexBoth(bank);
    } else {
      Drop(bank);
    }
  }

 private:
  // Half of the banks find their threshold themselves.
  void IndexBoth(const std::string& bank) {
    const float threshold = bank < "bank 2" ? 0.9F : dentate::bank::ChunkRows::kNoThreshold;
    const std::size_t most = 1 + turns_.Below(30);
    std::uint64_t ours = 0, theirs = 0;
    Check(Index(*memory_, bank, most, threshold, ours));
    Check(Index(*disk_, bank, most, threshold, theirs));
    CHECK((ours == 0) == (theirs == 0));
  }
  void Append(const std::string& bank, std::vector<TestTurn> turns) {
    for (TestTurn& turn : turns) {
      if (turns_.Below(10) == 0) turn.expires = INT64_C(1'500'000'000'000);
    }
    dentate::bank::AppendResult ours, theirs;
    Check(Add(*memory_, bank, turns, &ours));
    Check(Add(*disk_, bank, turns, &theirs));
    CHECK(ours.entries == theirs.entries);
  }
  std::vector<std::uint32_t> Some(const std::string& bank) {
    std::shared_ptr<const dentate::bank::Bank> loaded;
    Check(memory_->Bank(bank).Load(loaded));
    std::vector<std::uint32_t> entries;
    if (loaded == nullptr) return entries;
    for (std::uint32_t i = 0; i < 3 && loaded->next_entry() > 0; ++i) {
      entries.push_back(turns_.Below(loaded->next_entry()));
    }
    return entries;
  }
  void Update(const std::string& bank) {
    auto turns = turns_.MakeMany(1, kNow);
    const auto entries = Some(bank);
    if (entries.empty()) return;
    turns[0].origin = entries[0];
    Append(bank, turns);
  }
  void Delete(const std::string& bank) {
    const auto entries = Some(bank);
    std::uint32_t ours = 0, theirs = 0;
    std::uint64_t sequence = 0;
    Check(memory_->Bank(bank).Delete(entries, ours, sequence));
    Check(disk_->Bank(bank).Delete(entries, theirs, sequence));
    CHECK(ours == theirs);
  }
  void Touch(const std::string& bank) {
    const auto entries = Some(bank);
    std::uint64_t sequence = 0;
    Check(memory_->Bank(bank).Touch(entries, kNow, sequence));
    Check(disk_->Bank(bank).Touch(entries, kNow, sequence));
  }
  void Drop(const std::string& bank) {
    bool ours = false, theirs = false;
    std::uint64_t sequence = 0;
    Check(memory_->DropBank(bank, ours, sequence));
    Check(disk_->DropBank(bank, theirs, sequence));
    CHECK(ours == theirs);
  }

  RandomTurns turns_;
  FaultEnv env_;
  std::shared_ptr<Store> memory_ = Store::OpenInMemory(Inline());
  std::shared_ptr<Store> disk_;
};

}  // namespace

TEST_CASE("a store in memory keeps banks apart, and drops them") {
  const auto store = Store::OpenInMemory(Inline());
  RandomTurns turns(1);
  Check(Add(*store, "a", turns.MakeMany(3, kNow)));
  Check(Add(*store, "b", turns.MakeMany(2, kNow)));
  CHECK(store->BankNames() == std::vector<std::string>{"a", "b"});
  CHECK(store->sequence() == 2);
  CHECK(store->durable() == 2);
  SeenStore seen = SeeOrFail(*store);
  CHECK(seen["a"].next_entry == 3);
  bool existed = false;
  std::uint64_t sequence = 0;
  Check(store->DropBank("a", existed, sequence));
  CHECK(existed);
  CHECK(sequence == 3);
  Check(store->DropBank("a", existed, sequence));
  CHECK_FALSE(existed);
  CHECK(sequence == 0);
  CHECK(store->BankNames() == std::vector<std::string>{"b"});
  std::shared_ptr<const dentate::bank::Bank> bank;
  Check(store->Bank("a").Load(bank));
  CHECK(bank == nullptr);
  Check(store->Close());
  CHECK(Add(*store, "a", turns.MakeMany(1, kNow)).code() == ErrorCode::kClosed);
}

TEST_CASE("what was added is there after reopening, from the log or from a segment") {
  FaultEnv env(1);
  RandomTurns turns(2);
  SeenStore before;
  {
    const auto store = OpenOrFail(env);
    Check(Add(*store, "a", turns.MakeMany(20, kNow)));
    Check(Add(*store, "b", turns.MakeMany(5, kNow)));
    before = SeeOrFail(*store);
    Check(store->Close());
  }
  {
    const auto store = OpenOrFail(env);
    CHECK(SeeOrFail(*store) == before);
    Check(store->Seal());
    CHECK(SeeOrFail(*store) == before);
    CHECK(store->Stats().segments == 1);
    CHECK(store->Stats().sealed_through == 2);
  }
  const auto store = OpenOrFail(env);
  CHECK(SeeOrFail(*store) == before);
  CHECK(FilesWith(env, "segment-").size() == 1);
}

TEST_CASE("a store on disk is one in memory that can be closed, whatever is done to it") {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Twins twins(seed);
    RandomTurns random(seed + 100);
    StoreOptions options = Inline();
    if (seed % 3 == 0) options.memory_limit = 1;  // every bank is let go at once
    twins.Open(options);
    for (int i = 0; i < 250; ++i) {
      twins.Step();
      switch (random.Below(16)) {
        case 0:
          Check(twins.disk().Seal());
          break;
        case 1:
          Check(twins.disk().Merge());
          break;
        case 2:
          twins.Reopen(options);
          break;
        case 3:
          twins.Compare();
          break;
        case 4:
          if (random.Below(4) == 0) Check(twins.disk().Compact({}));
          break;
        default:
          break;
      }
    }
    twins.Reopen(options);
    CHECK(twins.disk().BankNames().size() <= 4);
  }
}

TEST_CASE("a store is closed to other settings, and a second writer is told who has it") {
  FaultEnv env(1);
  const auto store = OpenOrFail(env);
  StoreOptions other = Inline();
  other.settings["encoder"] = "another";
  std::shared_ptr<Store> second;
  CHECK(Store::Open(env, "/store", other, second).code() == ErrorCode::kLocked);
  Check(store->Close());
  CHECK(Store::Open(env, "/store", other, second).code() == ErrorCode::kMismatch);
  CHECK(second == nullptr);
}

TEST_CASE("openers of one process share a store, and the last one closes it") {
  FaultEnv env(1);
  RandomTurns turns(3);
  auto first = OpenOrFail(env);
  auto second = OpenOrFail(env);
  Check(Add(*first, "a", turns.MakeMany(3, kNow)));
  CHECK(SeeOrFail(*second).size() == 1);
  Check(first->Close());
  Check(first->Close());
  Check(Add(*second, "a", turns.MakeMany(3, kNow)));
  Check(second->Close());
  CHECK(Add(*second, "a", turns.MakeMany(3, kNow)).code() == ErrorCode::kClosed);
  auto third = OpenOrFail(env);
  CHECK(SeeOrFail(*third)["a"].next_entry == 6);
}

TEST_CASE("merging keeps segments few, and the logarithm of the groups many") {
  FaultEnv env(1);
  RandomTurns turns(4);
  const auto store = OpenOrFail(env);
  for (int i = 0; i < 40; ++i) {
    Check(Add(*store, "bank " + std::to_string(i % 7), turns.MakeMany(8, kNow)));
    Check(store->Seal());
    Check(store->Merge());
    CHECK(store->Stats().segments <= 7);
  }
  const SeenStore before = SeeOrFail(*store);
  Check(store->Compact({}));
  CHECK(store->Stats().segments == 1);
  CHECK(SeeOrFail(*store) == before);
  CHECK(FilesWith(env, "segment-").size() == 1);
}

TEST_CASE("a bank that is dropped while its older groups are in segments stays gone") {
  FaultEnv env(1);
  RandomTurns turns(5);
  auto store = OpenOrFail(env);
  bool existed = false;
  std::uint64_t sequence = 0;
  Check(Add(*store, "a", turns.MakeMany(3, kNow)));
  Check(Add(*store, "b", turns.MakeMany(3, kNow)));
  Check(store->Seal());
  Check(store->DropBank("a", existed, sequence));
  CHECK(existed);
  const auto reopen = [&] {
    Check(store->Close());
    store = OpenOrFail(env);
  };
  reopen();
  CHECK(store->BankNames() == std::vector<std::string>{"b"});
  Check(store->Seal());
  reopen();
  CHECK(store->BankNames() == std::vector<std::string>{"b"});
  Check(Add(*store, "a", turns.MakeMany(2, kNow)));
  CHECK(SeeOrFail(*store)["a"].next_entry == 2);
  Check(store->Seal());
  reopen();
  CHECK(SeeOrFail(*store)["a"].next_entry == 2);
  Check(store->Compact({}));
  reopen();
  CHECK(SeeOrFail(*store)["a"].next_entry == 2);
}

TEST_CASE("a disk that fills up in a seal loses nothing, and the next seal catches up") {
  RandomTurns turns(6);
  int caught_up = 0, broken = 0;
  for (std::uint64_t at = 1; at <= 40; ++at) {
    CAPTURE(at);
    FaultEnv env(at);
    const auto store = OpenOrFail(env);
    Check(Add(*store, "a", turns.MakeMany(6, kNow)));
    SeenStore before = SeeOrFail(*store);
    env.SetFault({.at = at, .kinds = dentate::storage::kGrowing, .error = ENOSPC, .lasting = true});
    const bool sealed = store->Seal().ok();
    env.SetFault({});
    if (Add(*store, "b", turns.MakeMany(6, kNow)).ok()) {
      before = SeeOrFail(*store);
      Check(store->Seal());
      CHECK(Difference(SeeOrFail(*store), before) == "");
      Check(store->Close());
      ++caught_up;
    } else {  // the log itself met the full disk, and is broken until the store is opened again
      CHECK(Difference(SeeOrFail(*store), before) == "");
      CHECK(store->Close().code() == ErrorCode::kIo);
      ++broken;
    }
    CHECK(Difference(SeeOrFail(*OpenOrFail(env)), before) == "");
    if (sealed) break;
  }
  CHECK(caught_up > 5);
  MESSAGE(caught_up, " caught up, ", broken, " had to be opened again");
}

TEST_CASE("closing ends a seal that was given up, so that the next opening replays nothing of it") {
  RandomTurns turns(7);
  int ended = 0;
  for (std::uint64_t at = 1; at <= 40; ++at) {
    CAPTURE(at);
    FaultEnv env(at);
    const auto store = OpenOrFail(env);
    Check(Add(*store, "a", turns.MakeMany(6, kNow)));
    const SeenStore before = SeeOrFail(*store);
    env.SetFault({.at = at, .kinds = dentate::storage::kGrowing, .error = ENOSPC, .lasting = true});
    const bool sealed = store->Seal().ok();
    env.SetFault({});
    if (sealed) break;
    if (!store->Close().ok()) continue;  // the log is broken
    const auto again = OpenOrFail(env);
    CHECK(Difference(SeeOrFail(*again), before) == "");
    if (again->Stats().segments > 0) ++ended;
  }
  CHECK(ended > 3);
}

// The independent look at what purging leaves: all bytes of all files, for bytes that nothing but
// the entry had.
TEST_CASE("purged entries, old versions and dropped banks are nowhere under the directory") {
  FaultEnv env(1);
  RandomTurns turns(9);
  const auto canary = [&](std::uint8_t tag) {
    TestTurn turn = turns.Make(kNow);
    turn.extras.assign(24, static_cast<std::uint8_t>(0xa0 + tag));
    return turn;
  };
  const auto found = [&](std::uint8_t tag) {
    const std::vector<std::uint8_t> bytes(24, static_cast<std::uint8_t>(0xa0 + tag));
    std::vector<std::string> names;
    Check(env.ListDirectory("/store", names));
    for (const std::string& name : names) {
      const auto content = env.Content("/store/" + name);
      if (std::search(content.begin(), content.end(), bytes.begin(), bytes.end()) !=
          content.end()) {
        return true;
      }
    }
    return false;
  };
  const auto named = [&](const std::string& bank) {
    std::vector<std::string> names;
    Check(env.ListDirectory("/store", names));
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      const auto content = env.Content("/store/" + name);
      return std::search(content.begin(), content.end(), bank.begin(), bank.end()) != content.end();
    });
  };
  StoreOptions options = Inline();
  auto store = OpenOrFail(env, options);
  dentate::bank::AppendResult first;
  Check(Add(*store, "kept bank", {canary(0), canary(1), canary(2)}, &first));
  Check(Add(*store, "dropped bank", {canary(3), turns.Make(kNow)}));
  Check(store->Seal());
  TestTurn expired = canary(4);
  expired.expires = 1000;
  TestTurn newer = canary(5);
  newer.origin = first.entries[1];  // instead of 1
  Check(Add(*store, "kept bank", {expired, newer, canary(6)}));
  Check(store->Seal());
  const std::uint32_t gone[] = {first.entries[2], 5};
  std::uint32_t deleted = 0;
  std::uint64_t sequence = 0;
  Check(store->Bank("kept bank").Delete(gone, deleted, sequence));
  CHECK(deleted == 2);
  bool existed = false;
  Check(store->DropBank("dropped bank", existed, sequence));
  for (std::uint8_t tag = 0; tag < 7; ++tag) CHECK(found(tag));
  CHECK(named("dropped bank"));

  PurgeReceipt receipt;
  Check(store->Purge({}, receipt));
  for (std::uint8_t tag = 0; tag < 7; ++tag) CHECK(found(tag) == (tag == 0 || tag == 5));
  CHECK(named("kept bank"));
  CHECK_FALSE(named("dropped bank"));
  CHECK(receipt.entries == 6);             // 1, 2, 3, 5 and the dropped bank's two
  CHECK(receipt.segments_rewritten == 3);  // the third said that a bank was dropped
  CHECK(receipt.unreached.empty());
  for (int i = 0; i < 2; ++i) {
    SeenStore seen = SeeOrFail(*store);
    REQUIRE(seen.size() == 1);
    CHECK(seen["kept bank"].next_entry == 6);  // no number is given twice
    REQUIRE(seen["kept bank"].entries.size() == 2);
    CHECK(seen["kept bank"].entries[1].origin == 1);
    Check(store->Close());
    store = OpenOrFail(env, options);
  }
  // What was added and deleted since the last seal never reaches a segment, and counts too.
  Check(Add(*store, "kept bank", {canary(7)}));
  const std::uint32_t last[] = {6};
  Check(store->Bank("kept bank").Delete(last, deleted, sequence));
  CHECK(found(7));
  Check(store->Purge({}, receipt));
  CHECK(receipt.entries == 1);
  CHECK_FALSE(found(7));
  PurgeReceipt again;
  Check(store->Purge({}, again));
  CHECK(again.entries == 0);
  CHECK(again.segments_rewritten == 0);
}

TEST_CASE("a reader follows whole groups, seals, merges and purges") {
  FaultEnv env(1);
  RandomTurns turns(10);
  const auto writer = OpenOrFail(env);
  Check(Add(*writer, "a", turns.MakeMany(3, kNow)));
  StoreOptions options = Inline();
  options.read_only = true;
  const auto reader = OpenOrFail(env, options);
  const auto same = [&] {
    Check(reader->Refresh());
    CHECK(Difference(SeeOrFail(*writer), SeeOrFail(*reader)) == "");
  };
  same();
  RandomTurns random(11);
  for (int i = 0; i < 200; ++i) {
    const std::string bank = std::string(1, static_cast<char>('a' + random.Below(3)));
    std::uint64_t sequence = 0;
    std::uint32_t deleted = 0;
    bool existed = false;
    const std::uint32_t entries[] = {random.Below(20)};
    PurgeReceipt receipt;
    switch (random.Below(12)) {
      case 0:
        Check(writer->Seal());
        break;
      case 1:
        Check(writer->Merge());
        break;
      case 2:
        Check(writer->Purge({}, receipt));
        REQUIRE(receipt.unreached.size() == 1);
        CHECK(receipt.unreached[0] == "reader pid 1 on fault.example");
        break;
      case 3:
        Check(writer->DropBank(bank, existed, sequence));
        break;
      case 4:
        Check(writer->Bank(bank).Delete(entries, deleted, sequence));
        break;
      default:
        Check(Add(*writer, bank, turns.MakeMany(1 + random.Below(3), kNow)));
    }
    if (random.Below(3) == 0) same();
  }
  same();
  CHECK(Add(*reader, "a", turns.MakeMany(1, kNow)).code() == ErrorCode::kInternal);
  Check(reader->Close());
  PurgeReceipt receipt;
  Check(writer->Purge({}, receipt));
  CHECK(receipt.unreached.empty());
}

TEST_CASE("a damaged blob is named when its bank is used, and other banks are not concerned") {
  FaultEnv env(1);
  RandomTurns turns(7);
  {
    const auto store = OpenOrFail(env);
    Check(Add(*store, "a", turns.MakeMany(30, kNow)));
    Check(Add(*store, "b", turns.MakeMany(30, kNow)));
    Check(store->Seal());
    Check(store->Close());
  }
  const std::string path = "/store/" + FilesWith(env, "segment-")[0];
  auto bytes = env.Content(path);
  bytes[200] ^= 1;  // in the first blob
  env.SetContent(path, bytes);
  const auto store = OpenOrFail(env);
  std::shared_ptr<const dentate::bank::Bank> bank;
  const Status status = store->Bank("a").Load(bank);
  CHECK(status.code() == ErrorCode::kCorruption);
  REQUIRE(status.place() != nullptr);
  CHECK(status.place()->file.find("segment-") != std::string::npos);
  Check(store->Bank("b").Load(bank));
  REQUIRE(bank != nullptr);
  CHECK(bank->next_entry() == 30);
}

TEST_CASE("a segment that is gone is damage, for the writer and for readers") {
  FaultEnv env(1);
  RandomTurns turns(15);
  const auto writer = OpenOrFail(env);
  Check(Add(*writer, "a", turns.MakeMany(2, kNow)));
  Check(writer->Seal());
  Check(writer->Close());
  const std::string gone = "/store/" + FilesWith(env, "segment-").at(0);
  Check(env.Remove(gone));
  for (const bool read_only : {false, true}) {
    StoreOptions options = Inline();
    options.read_only = read_only;
    std::shared_ptr<Store> store;
    const Status status = Store::Open(env, "/store", options, store);
    CHECK(status.code() == ErrorCode::kCorruption);
    REQUIRE(status.place() != nullptr);
    CHECK(status.place()->file == gone);
  }
}

TEST_CASE("damage in the log below the newest mark is none of its end, for readers as well") {
  FaultEnv env(1);
  RandomTurns turns(9);
  {
    const auto store = OpenOrFail(env);
    Check(Add(*store, "a", turns.MakeMany(3, kNow)));
    Check(store->Seal());
    for (int i = 0; i < 4; ++i) Check(Add(*store, "a", turns.MakeMany(3, kNow)));
    Check(store->Close());
  }
  const std::string path = "/store/" + FilesWith(env, "log-").back();
  const auto bytes = env.Content(path);
  REQUIRE(bytes.size() > 4 * dentate::storage::kFrameHeaderBytes);
  StoreOptions reading = Inline();
  reading.read_only = true;
  std::size_t tried = 0;
  // The last frame is the mark of closing, which nothing vouches for.
  for (std::size_t at = 0; at + dentate::storage::kFrameHeaderBytes < bytes.size(); at += 13) {
    CAPTURE(at);
    auto damaged = bytes;
    damaged[at] ^= 0x10;
    env.SetContent(path, damaged);
    std::shared_ptr<Store> reader;
    const Status status = Store::Open(env, "/store", reading, reader);
    REQUIRE(status.code() == ErrorCode::kCorruption);
    REQUIRE(status.place() != nullptr);
    REQUIRE(status.place()->file == path);
    ++tried;
  }
  CHECK(tried > 20);
  // A torn end is no damage.
  auto torn = bytes;
  torn.back() ^= 1;
  env.SetContent(path, torn);
  const auto reader = OpenOrFail(env, reading);
  CHECK(SeeOrFail(*reader)["a"].next_entry == 15);
  CHECK(env.Content(path) == torn);
}

TEST_CASE("vectors that searches keep count, also where nothing is ever written") {
  constexpr std::size_t kBanks = 10, kEntries = 30;
  FaultEnv env(1);
  RandomTurns turns(12);
  {
    const auto store = OpenOrFail(env);
    for (std::size_t i = 0; i < kBanks; ++i) {
      Check(Add(*store, std::to_string(i), turns.MakeMany(kEntries, kNow)));
    }
    Check(store->Seal());
    Check(store->Close());
  }
  const std::vector<std::int8_t> vector(4096);
  StoreOptions reading = Inline();
  reading.read_only = true;
  reading.memory_limit = 3 * kEntries * vector.size();
  const auto reader = OpenOrFail(env, reading);
  for (std::size_t i = 0; i < 3 * kBanks; ++i) {
    std::shared_ptr<const dentate::bank::Bank> bank;
    Check(reader->Bank(std::to_string(i % kBanks)).Load(bank));
    REQUIRE(bank != nullptr);
    CHECK(reader->MemoryBytes() <= reading.memory_limit);
    CHECK(reader->Stats().loaded_banks <= 4);
    // As a search does.
    const auto all = bank->ReadAll();
    for (const dentate::bank::PlacedPart& placed : all->parts) {
      for (std::uint32_t e = 0; e < placed.size; ++e) placed.part->entry_vectors().Keep(e, vector);
    }
    CHECK(reader->Stats().memory_bytes >= kEntries * vector.size());
    // The same bank again.
    Check(reader->Bank(std::to_string(i % kBanks)).Load(bank));
    CHECK(reader->MemoryBytes() <= reading.memory_limit);
  }
  CHECK(reader->Stats().loaded_banks >= 2);
}

// A bank that lives for ever must not remember for ever: sessions that all went, versions that were
// deleted, chunks that died.
TEST_CASE("a loaded bank forgets what is gone for good, and says the same") {
  FaultEnv env(1);
  auto store = OpenOrFail(env);
  RandomTurns turns(3);
  constexpr std::uint32_t kRounds = 60, kTurns = 100;
  std::size_t most = 0;
  std::uint32_t session = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    std::vector<TestTurn> batch = turns.MakeMany(kTurns, kNow);
    for (TestTurn& turn : batch) {
      turn.session = 1 + session++ / 2;  // no session comes twice
      turn.hole = false;
      turn.expires = INT64_MAX;
    }
    dentate::bank::AppendResult added;
    Check(Add(*store, "a", batch, &added));
    std::uint64_t sequence = 1;
    while (sequence > 0) Check(Index(*store, "a", 32, 0.5F, sequence));
    // A version of each, all but the last of which is deleted, and then the turns.
    for (TestTurn& turn : batch) turn.origin = added.entries[&turn - batch.data()];
    Check(Add(*store, "a", batch));
    std::uint32_t deleted = 0;
    const std::size_t left = round + 1 == kRounds ? 2 : batch.size();
    for (std::size_t i = 0; i < left; ++i) {
      const std::uint32_t entry[] = {added.entries[i]};
      Check(store->Bank("a").Delete(entry, deleted, sequence));
      CHECK(deleted == 1);
    }
    PurgeReceipt receipt;
    Check(store->Purge({}, receipt));
    SeeOrFail(*store);  // loads it, its chunks too
    if (round == 9) most = store->Stats().memory_bytes;
    if (round > 9 && round + 1 < kRounds) {
      CHECK(store->Stats().memory_bytes < 2 * most + (std::size_t{64} << 10));
    }
  }
  const SeenStore seen = SeeOrFail(*store);
  CHECK(seen.at("a").entries.size() == kTurns - 2);
  Check(store->Close());
  store = OpenOrFail(env);
  CHECK(Difference(seen, SeeOrFail(*store)) == "");
}

TEST_CASE("a purge names the readers that are there, and clears away after those that died") {
  FaultEnv env(1);
  const auto writer = OpenOrFail(env);
  Check(env.CreateDirectories("/store/readers"));
  std::unique_ptr<dentate::storage::FileLock> dead;
  Check(env.LockFile("/store/readers/dead", "pid 7 on nowhere", true, dead));
  PurgeReceipt receipt;
  Check(writer->Purge({}, receipt));
  CHECK(receipt.unreached == std::vector<std::string>{"reader pid 7 on nowhere"});
  dead.reset();
  Check(writer->Purge({}, receipt));
  CHECK(receipt.unreached.empty());
  CHECK_FALSE(env.Exists("/store/readers/dead"));
}

TEST_CASE("a directory with data but no manifest is no store") {
  FaultEnv env(1);
  RandomTurns turns(8);
  {
    const auto store = OpenOrFail(env);
    Check(Add(*store, "a", turns.MakeMany(3, kNow)));
    Check(store->Close());
  }
  Check(env.Remove("/store/MANIFEST"));
  std::shared_ptr<Store> store;
  CHECK(Store::Open(env, "/store", Inline(), store).code() == ErrorCode::kCorruption);
}
