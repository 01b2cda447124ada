// Run under ThreadSanitizer as well: -DDENTATE_SANITIZE=thread.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "old_bank/bank.h"
#include "old_bank/random_bank.h"
#include "old_bank/search.h"
#include "old_bank/search_all.h"

namespace dentate::old_bank {
namespace {

const Cancelled kNever = [] { return false; };

bool Near(const std::vector<float>& left, const std::vector<float>& right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::fabs(left[i] - right[i]) > 1e-4F) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a search beside a writer answers as the bank stood between two appends") {
  RandomBank random(1);
  constexpr std::uint32_t kBatches = 60;
  std::vector<OwnedBatch> batches;
  for (std::uint32_t i = 0; i < kBatches; ++i) batches.push_back(random.MakeBatch(1 + i % 5));
  SearchQuery query = random.MakeQuery(6, true);
  query.limit = 20;
  ConjunctiveQuery both{random.MakeQuery(2, false).codes, 20};
  both.codes.radius = 20;

  // What is right after each append, by the number of entries.
  struct Expected {
    std::uint32_t entries;
    SearchResult any, all;
  };
  std::vector<Expected> expected(1);
  const auto model = NewBank(std::make_unique<old_storage::MemoryLog>());
  for (const OwnedBatch& batch : batches) {
    std::uint32_t first = 0;
    REQUIRE(model->Append(batch.View(), first).ok());
    Expected& next = expected.emplace_back();
    next.entries = model->entry_count();
    REQUIRE(Search(*model, query, kNever, next.any).ok());
    REQUIRE(SearchAll(*model, both, kNever, next.all).ok());
  }

  const auto bank = NewBank(std::make_unique<old_storage::MemoryLog>());
  std::atomic<int> wrong{0};
  std::atomic<bool> done{false};
  std::atomic<std::uint32_t> searches{0};
  const auto read = [&] {
    std::vector<std::uint32_t> tokens, offsets, whole, whole_offsets;
    while (!done.load()) {
      const std::uint32_t before = bank->entry_count();
      SearchResult any, all;
      if (!Search(*bank, query, kNever, any).ok()) ++wrong;
      if (!SearchAll(*bank, both, kNever, all).ok()) ++wrong;
      const std::uint32_t after = bank->entry_count();
      bool found_any = false;
      bool found_all = false;
      for (const Expected& state : expected) {
        if (state.entries < before || state.entries > after) continue;
        found_any |= Near(any.scores, state.any.scores);
        found_all |= all.entries == state.all.entries;
      }
      if (!found_any || !found_all) ++wrong;
      ++searches;
      std::vector<std::uint32_t> entries(after);
      std::iota(entries.begin(), entries.end(), 0U);
      bank->Tokens(entries, tokens, offsets);
      model->Tokens(entries, whole, whole_offsets);
      if (tokens != whole || offsets != whole_offsets) ++wrong;
    }
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) readers.emplace_back(read);
  for (std::uint32_t i = 0; i < kBatches; ++i) {
    std::uint32_t first = 0;
    REQUIRE(bank->Append(batches[i].View(), first).ok());
    // A search for each four appends, at least, so that they do overlap on a busy machine.
    while (searches.load() < i / 4) std::this_thread::yield();
  }
  done.store(true);
  for (auto& reader : readers) reader.join();
  CHECK(wrong.load() == 0);
}

}  // namespace dentate::old_bank
