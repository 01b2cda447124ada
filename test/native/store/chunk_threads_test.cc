// Chunks under several threads at once: for ThreadSanitizer above all.

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "bank/chunk_search.h"
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
namespace atoms = dentate::atoms;
namespace bank = dentate::bank;

namespace {

bank::ChunkQuery Question(std::uint32_t kind) {
  bank::ChunkQuery query;
  query.vector.assign(kChunkDimensions, 0.1F);
  query.vector[kind % 7] = 1;
  query.chunker = {3, 20};
  query.limit = 5;
  return query;
}

}  // namespace

TEST_CASE("threads add, chunk, delete, update, search, seal, merge, purge and drop at once") {
  const TemporaryDirectory directory;
  StoreOptions options;
  options.seal_bytes = 20'000;
  options.memory_limit = 200'000;  // the banks and their indexes come and go
  options.poll_milliseconds = 1;
  std::shared_ptr<Store> store;
  REQUIRE(Store::Open(SystemEnv(), directory.path(), options, store).ok());
  StoreOptions reading = options;
  reading.read_only = true;
  std::shared_ptr<Store> reader;
  REQUIRE(Store::Open(SystemEnv(), directory.path(), reading, reader).ok());

  const std::string names[] = {"kept", "dropped"};
  std::atomic<bool> done{false};
  std::atomic<int> failures{0};
  const auto must = [&](const Status& status) {
    if (!status.ok()) ++failures;
  };
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    RandomTurns turns(1);
    for (int i = 0; i < 200; ++i) must(Add(*store, names[i % 2], turns.MakeMany(4, kNow)));
    done = true;
  });
  for (int indexer = 0; indexer < 2; ++indexer) {
    threads.emplace_back([&, indexer] {
      std::uint64_t sequence = 0;
      // One of them has a threshold of its own at times, so that all is grouped anew.
      for (int i = 0; !done; ++i) {
        must(Index(*store, names[i % 2], 4, indexer == 1 && i % 8 == 0 ? 0.8F : 0.9F, sequence));
      }
    });
  }
  threads.emplace_back([&] {
    RandomTurns random(2);
    std::uint64_t sequence = 0;
    for (int i = 0; !done; ++i) {
      std::shared_ptr<const bank::Bank> loaded;
      must(store->Bank(names[i % 2]).Load(loaded));
      if (loaded == nullptr || loaded->next_entry() == 0) continue;
      const std::uint32_t entries[] = {random.Below(loaded->next_entry())};
      std::uint32_t deleted = 0;
      must(store->Bank(names[i % 2]).Delete(entries, deleted, sequence));
      if (i % 64 == 63) {
        bool existed = false;
        must(store->DropBank("dropped", existed, sequence));
      }
      std::this_thread::yield();
    }
  });
  for (int searcher = 0; searcher < 2; ++searcher) {
    threads.emplace_back([&, searcher] {
      const Store& from = searcher == 0 ? *store : *reader;
      const auto going_on = [] { return false; };
      for (std::uint32_t i = 0; !done; ++i) {
        std::shared_ptr<const bank::Bank> loaded;
        must(from.Bank(names[i % 2]).Load(loaded));
        if (loaded == nullptr) continue;
        const auto snapshot = loaded->Read(kNow);
        bank::ChunkResult chunks;
        bank::AtomResult nearest;
        bank::ChunkStats stats;
        must(SearchChunks(*loaded, *snapshot, nullptr, Question(i), going_on, chunks));
        must(SearchAtoms(*loaded, *snapshot, nullptr, Question(i), static_cast<atoms::By>(i % 4),
                         going_on, chunks, nearest));
        must(CountChunks(*loaded, stats));
        for (const std::uint32_t entry : chunks.entries) {
          if (!snapshot->current[entry]) ++failures;
        }
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; !done; ++i) {
      PurgeReceipt receipt;
      must(i % 3 == 0   ? store->Seal()
           : i % 3 == 1 ? store->Compact({})
                        : store->Purge({}, receipt));
    }
  });
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);

  // How far the indexers came, and what the deleter left, is the scheduler's choice: more is
  // chunked here, so that the stores compared below are never next to empty.
  RandomTurns turns(4);
  REQUIRE(Add(*store, "kept", turns.MakeMany(60, kNow)).ok());
  for (std::uint64_t sequence = 1; sequence != 0;) {
    REQUIRE(Index(*store, "kept", 4, 0.9F, sequence).ok());
  }

  SeenStore ours, theirs;
  CHECK(store->Flush().ok());
  CHECK(See(*store, ours).ok());
  CHECK(ours["kept"].chunks.size() > 10);
  CHECK(reader->Refresh().ok());
  CHECK(See(*reader, theirs).ok());
  CHECK(Difference(ours, theirs) == "");
  CHECK(reader->Close().ok());
  CHECK(store->Close().ok());
  REQUIRE(Store::Open(SystemEnv(), directory.path(), options, store).ok());
  CHECK(See(*store, theirs).ok());
  CHECK(Difference(ours, theirs) == "");
}

TEST_CASE("chunks of a bank that was dropped meanwhile are not those of its successor") {
  const TemporaryDirectory directory;
  std::shared_ptr<Store> store;
  REQUIRE(Store::Open(SystemEnv(), directory.path(), {}, store).ok());
  RandomTurns turns(3);
  REQUIRE(Add(*store, "a", turns.MakeMany(12, kNow)).ok());
  std::shared_ptr<const bank::Bank> before;
  REQUIRE(store->Bank("a").Load(before).ok());
  bank::PlannedChunks planned;
  planned.pieces = {{0}, {1}};
  planned.piece_ends = {2};
  const std::vector<float> vector = VectorFor(planned.pieces);
  bank::NewChunks chunks = bank::WithVectors(std::move(planned), vector, kChunkDimensions);
  chunks.incarnation = before->incarnation();
  chunks.threshold = 0.9F;

  std::uint64_t sequence = 0;
  bool existed = false;
  REQUIRE(store->DropBank("a", existed, sequence).ok());
  REQUIRE(Add(*store, "a", turns.MakeMany(12, kNow)).ok());
  CHECK(store->Bank("a").AppendChunks(chunks, sequence).ok());
  CHECK(sequence == 0);
  std::shared_ptr<const bank::Bank> after;
  REQUIRE(store->Bank("a").Load(after).ok());
  CHECK(SeeChunks(*after).empty());
  chunks.incarnation = after->incarnation();
  CHECK(store->Bank("a").AppendChunks(chunks, sequence).ok());
  CHECK(sequence > 0);
  CHECK(SeeChunks(*after).size() == 1);
}
