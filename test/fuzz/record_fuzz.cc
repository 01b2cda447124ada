// Any bytes as a log record: a bank refuses them or applies them, and then reads and searches.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "old_bank/bank.h"
#include "old_bank/search.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using dentate::old_bank::Bank;
  Bank bank(64, 2, std::make_unique<dentate::old_storage::MemoryLog>());
  if (!bank.ApplyRecord({data, size}).ok()) return 0;
  std::vector<std::uint32_t> entries(bank.entry_count());
  std::iota(entries.begin(), entries.end(), 0U);
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint32_t> offsets;
  bank.Tokens(entries, tokens, offsets);
  dentate::old_bank::SearchQuery query;
  query.codes.signatures = {0};
  query.codes.stems = {0};
  query.codes.word_of = {0};
  query.codes.radius = 64;
  query.limit = 10;
  query.vector = {1, 0};
  dentate::old_bank::SearchResult result;
  const auto status = dentate::old_bank::Search(
      bank, query, [] { return false; }, result);
  return status.ok() ? 0 : -1;
}
