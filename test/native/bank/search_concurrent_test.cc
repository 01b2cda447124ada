// Run under ThreadSanitizer as well: -DDENTATE_SANITIZE=thread.

#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "bank/search.h"
#include "bank/search_all.h"
#include "bank/search_banks.h"

namespace dentate::bank::test {

TEST_CASE("searches beside a writer, each other and a seal answer as their snapshot stands") {
  constexpr std::uint32_t kBatches = 40;
  RandomTurns random(1);
  std::vector<std::vector<TestTurn>> batches;
  for (std::uint32_t i = 0; i < kBatches; ++i) batches.push_back(random.MakeMany(1 + i % 5, 1));
  const TestVectors vectors;
  // What is right, by the number of entries. Nothing is pruned: a part's dictionary may count
  // entries that the snapshot does not have yet.
  std::map<std::uint32_t, SearchResult> any;
  std::map<std::uint32_t, SearchResult> all;
  const auto model = NewBank();
  AppendTo(*model, batches[0]);
  RandomQueries queries(random, *model);
  SearchQuery query = queries.Make(false);
  query.codes = queries.Codes(6);
  query.codes.radius = 40;
  query.vector.assign(6, 1.0F);
  query.allowed = nullptr;
  query.marks.clear();
  query.limit = 20;
  ConjunctiveQuery both;
  both.codes = queries.Codes(2);
  both.codes.radius = 42;
  both.limit = 20;
  for (std::uint32_t i = 0; i < kBatches; ++i) {
    if (i > 0) AppendTo(*model, batches[i]);
    REQUIRE(Search(*model->Read(1), &vectors, query, kGoOn, any[model->next_entry()]).ok());
    REQUIRE(SearchAll(*model->Read(1), both, kGoOn, all[model->next_entry()]).ok());
  }

  const auto bank = NewBank();
  AppendTo(*bank, batches[0]);
  std::atomic<int> wrong{0};
  std::atomic<bool> done{false};
  std::atomic<std::uint32_t> searches{0};
  const auto read = [&] {
    while (!done.load()) {
      const auto snapshot = bank->Read(1);
      SearchResult found_any;
      SearchResult found_all;
      if (!Search(*snapshot, &vectors, query, kGoOn, found_any).ok()) ++wrong;
      if (!SearchAll(*snapshot, both, kGoOn, found_all).ok()) ++wrong;
      const std::uint32_t size = snapshot->entry_count;
      if (any.count(size) == 0 || found_any.entries != any[size].entries ||
          found_any.scores != any[size].scores || found_all.entries != all[size].entries) {
        ++wrong;
      }
      ++searches;
    }
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) readers.emplace_back(read);
  for (std::uint32_t i = 1; i < kBatches; ++i) {
    AppendTo(*bank, batches[i]);
    if (i % 10 == 5) bank->Freeze();
    if (i % 20 == 15) SealFrom(*bank, 0, true);
    // A search for each append, at least, so that they do overlap on a busy machine.
    while (searches.load() < i) std::this_thread::yield();
  }
  done.store(true);
  for (auto& reader : readers) reader.join();
  CHECK(wrong.load() == 0);
}

TEST_CASE("threads that build the same vectors keep the same") {
  RandomTurns random(2);
  const auto bank = NewBank();
  AppendTo(*bank, random.MakeMany(300, 1));
  const TestVectors vectors;
  RandomQueries queries(random, *bank);
  SearchQuery query = queries.Make(false);
  query.vector.assign(6, 1.0F);
  query.limit = 300;
  std::vector<SearchResult> results(4);
  std::vector<std::thread> threads;
  const auto snapshot = bank->Read(1);
  for (SearchResult& result : results) {
    threads.emplace_back([&] { CHECK(Search(*snapshot, &vectors, query, kGoOn, result).ok()); });
  }
  for (auto& thread : threads) thread.join();
  for (const SearchResult& result : results) {
    CHECK(result.entries == results[0].entries);
    CHECK(result.scores == results[0].scores);
  }
  CHECK(snapshot->parts[0].part->entry_vectors().SizeInBytes() > 0);
}

}  // namespace dentate::bank::test
