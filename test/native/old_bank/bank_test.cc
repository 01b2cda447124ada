#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "old_bank/bank.h"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "old_bank/random_bank.h"
#include "old_bank/search.h"
#include "old_bank/search_all.h"

namespace dentate::old_bank {
namespace {

const Cancelled kNever = [] { return false; };

std::vector<std::uint32_t> AllEntries(const Bank& bank) {
  std::vector<std::uint32_t> entries(bank.entry_count());
  std::iota(entries.begin(), entries.end(), 0U);
  return entries;
}

// That two banks answer everything alike, to the last bit.
void CheckSame(const Bank& left, const Bank& right, std::uint32_t seed) {
  REQUIRE(left.entry_count() == right.entry_count());
  CHECK(left.token_count() == right.token_count());
  std::vector<std::uint32_t> left_tokens, left_offsets, right_tokens, right_offsets;
  left.Tokens(AllEntries(left), left_tokens, left_offsets);
  right.Tokens(AllEntries(right), right_tokens, right_offsets);
  CHECK(left_tokens == right_tokens);
  CHECK(left_offsets == right_offsets);
  for (std::uint32_t entry = 0; entry < left.entry_count(); ++entry) {
    std::vector<std::uint8_t> left_metadata, right_metadata;
    left.entries().CopyMetadata(entry, left_metadata);
    right.entries().CopyMetadata(entry, right_metadata);
    CHECK(left_metadata == right_metadata);
    CHECK(left.entries().row(entry).session == right.entries().row(entry).session);
    CHECK(left.entries().speakers()[entry] == right.entries().speakers()[entry]);
  }
  RandomBank random(seed);
  for (std::uint32_t i = 0; i < 40; ++i) {
    const SearchQuery query = random.MakeQuery(i % 16, i % 3 != 0);
    SearchResult left_result, right_result;
    REQUIRE(Search(left, query, kNever, left_result).ok());
    REQUIRE(Search(right, query, kNever, right_result).ok());
    CHECK(left_result.entries == right_result.entries);
    CHECK(left_result.scores == right_result.scores);
    CHECK(left_result.dense_scores == right_result.dense_scores);
    ConjunctiveQuery both{random.MakeQuery(1 + i % 3, false).codes, 20};
    both.codes.radius = i % 45;
    REQUIRE(SearchAll(left, both, kNever, left_result).ok());
    REQUIRE(SearchAll(right, both, kNever, right_result).ok());
    CHECK(left_result.entries == right_result.entries);
    CHECK(left_result.scores == right_result.scores);
  }
}

}  // namespace

TEST_CASE("an append is in the next search, and its tokens come back") {
  RandomBank random(1);
  const auto bank = NewBank(std::make_unique<old_storage::MemoryLog>());
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const OwnedBatch batch = random.MakeBatch(i % 5);
    std::uint32_t first = 0;
    REQUIRE(bank->Append(batch.View(), first).ok());
    CHECK(first == bank->entry_count() - i % 5);
    expected.insert(expected.end(), batch.tokens.begin(), batch.tokens.end());
    if (batch.stems.empty()) continue;
    SearchQuery query;
    query.codes.signatures.assign(batch.signatures.begin(), batch.signatures.begin() + kTestWords);
    query.codes.stems = {batch.stems[0]};
    query.codes.word_of = {0};
    query.limit = bank->entry_count();
    SearchResult result;
    REQUIRE(Search(*bank, query, kNever, result).ok());
    CHECK(std::any_of(result.entries.begin(), result.entries.end(),
                      [first](std::uint32_t entry) { return entry >= first; }));
  }
  std::vector<std::uint32_t> tokens, offsets;
  bank->Tokens(AllEntries(*bank), tokens, offsets);
  CHECK(tokens == expected);
}

TEST_CASE("a bank rebuilt from its log's records answers as the original does") {
  RandomBank random(2);
  std::vector<std::vector<std::uint8_t>> groups;
  const auto bank = NewBank(std::make_unique<RecordingLog>(groups));
  for (std::uint32_t i = 0; i < 120; ++i) {
    std::uint32_t first = 0;
    REQUIRE(bank->Append(random.MakeBatch(1 + i % 4).View(), first).ok());
  }
  const auto copy = NewBank(std::make_unique<old_storage::MemoryLog>());
  for (const auto& group : groups) REQUIRE(copy->ApplyRecord(group).ok());
  CheckSame(*bank, *copy, 3);
  // A record twice, or one too early, is not the one that follows.
  CHECK(copy->ApplyRecord(groups[0]).code() == ErrorCode::kCorruption);
  const auto late = NewBank(std::make_unique<old_storage::MemoryLog>());
  CHECK(late->ApplyRecord(groups[50]).code() == ErrorCode::kCorruption);
  CHECK(late->entry_count() == 0);
}

TEST_CASE("an append that the log refuses leaves the bank as it was") {
  RandomBank random(4);
  std::vector<std::vector<std::uint8_t>> groups, clean_groups;
  auto owned = std::make_unique<RecordingLog>(groups);
  RecordingLog& log = *owned;
  const auto bank = NewBank(std::move(owned));
  const auto clean = NewBank(std::make_unique<RecordingLog>(clean_groups));
  for (std::uint32_t i = 0; i < 60; ++i) {
    const OwnedBatch batch = random.MakeBatch(1 + i % 4);
    std::uint32_t first = 0;
    if (i % 3 == 1) {
      log.refuse = true;
      CHECK(bank->Append(batch.View(), first).code() == ErrorCode::kIo);
      log.refuse = false;
      continue;
    }
    REQUIRE(bank->Append(batch.View(), first).ok());
    REQUIRE(clean->Append(batch.View(), first).ok());
  }
  // The bank has gaps in its streams and words of no entry; whoever replays its log has none.
  CheckSame(*bank, *clean, 5);
  const auto copy = NewBank(std::make_unique<old_storage::MemoryLog>());
  for (const auto& group : groups) REQUIRE(copy->ApplyRecord(group).ok());
  CheckSame(*bank, *copy, 6);
  for (const Bank* each : {bank.get(), clean.get(), copy.get()}) {
    for (std::uint32_t entry = 0; entry < each->entry_count(); ++entry) {
      const auto& row = each->entries().row(entry);
      const Bank::Span span = each->CodesOfTokens(row.token_begin, row.token_end);
      CHECK(span.begin == row.code_begin);
      CHECK(span.end == row.code_end);
    }
  }
}

TEST_CASE("spans of tokens become spans of codes, and a code its token") {
  RandomBank random(7);
  const auto bank = NewBank(std::make_unique<old_storage::MemoryLog>());
  std::vector<std::uint32_t> token_of_code;  // in the content stream
  std::uint32_t tokens = 0;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const OwnedBatch batch = random.MakeBatch(3);
    std::uint32_t first = 0;
    REQUIRE(bank->Append(batch.View(), first).ok());
    std::size_t at = 0;
    for (std::size_t entry = 0; entry < 3; ++entry) {
      for (std::uint32_t code = 0; code < batch.code_counts[entry]; ++code) {
        token_of_code.push_back(tokens + batch.code_tokens[at++]);
      }
      tokens += batch.token_counts[entry];
    }
  }
  for (std::uint32_t code = 0; code < token_of_code.size(); ++code) {
    CHECK(bank->TokenOfCode(code) == token_of_code[code]);
  }
  for (std::uint32_t begin = 0; begin <= tokens; begin += 3) {
    const std::uint32_t end = std::min(tokens, begin + begin % 11);
    const auto at = [&](std::uint32_t token) {
      return static_cast<std::uint32_t>(
          std::lower_bound(token_of_code.begin(), token_of_code.end(), token) -
          token_of_code.begin());
    };
    const Bank::Span span = bank->CodesOfTokens(begin, end);
    CHECK(span.begin == at(begin));
    CHECK(span.end == at(end));
  }
}

TEST_CASE("what does not fit together is refused and changes nothing") {
  RandomBank random(8);
  const auto bank = NewBank(std::make_unique<old_storage::MemoryLog>());
  std::uint32_t first = 0;
  REQUIRE(bank->Append(random.MakeBatch(5).View(), first).ok());
  const OwnedBatch good = random.MakeBatch(5);
  REQUIRE(good.stems.size() > 1);
  const auto refused = [&](auto change) {
    OwnedBatch batch = good;
    change(batch);
    CHECK(bank->Append(batch.View(), first).code() == ErrorCode::kInternal);
    CHECK(bank->entry_count() == 5);
  };
  refused([](OwnedBatch& b) { b.tokens.push_back(1); });
  refused([](OwnedBatch& b) { b.stems.pop_back(); });
  refused([](OwnedBatch& b) { b.signatures.pop_back(); });
  refused([](OwnedBatch& b) { b.code_tokens.back() = 1000; });
  refused([](OwnedBatch& b) { b.code_counts[0] += 1; });
  refused([](OwnedBatch& b) { b.sessions[2] = EntryTable::kMaxSessions; });
  refused([](OwnedBatch& b) { b.speakers.pop_back(); });
  refused([](OwnedBatch& b) { b.vectors.pop_back(); });
  refused([](OwnedBatch& b) { b.metadata.push_back(1); });
  refused([](OwnedBatch& b) { b.metadata_lengths[0] = 0xffffffff; });
  refused([](OwnedBatch& b) { b.sessions.clear(); });
  CHECK(bank->Append(good.View(), first).ok());
}

TEST_CASE("a search that is given up leaves nothing behind for the next") {
  RandomBank random(9);
  const auto bank = NewBank(std::make_unique<old_storage::MemoryLog>());
  std::uint32_t first = 0;
  REQUIRE(bank->Append(random.MakeBatch(400).View(), first).ok());
  const SearchQuery query = random.MakeQuery(10, true);
  SearchResult before, after;
  REQUIRE(Search(*bank, query, kNever, before).ok());
  for (int polls = 0; polls < 60; ++polls) {
    int left = polls;
    const Cancelled soon = [&left] { return left-- <= 0; };
    SearchResult partial;
    const Status status = Search(*bank, query, soon, partial);
    if (!status.ok()) CHECK(status.code() == ErrorCode::kAborted);
    REQUIRE(Search(*bank, query, kNever, after).ok());
    CHECK(after.entries == before.entries);
    CHECK(after.scores == before.scores);
  }
}

TEST_CASE("an empty bank finds nothing") {
  RandomBank random(10);
  const auto bank = NewBank(std::make_unique<old_storage::MemoryLog>());
  SearchResult result;
  CHECK(Search(*bank, random.MakeQuery(5, true), kNever, result).ok());
  CHECK(result.entries.empty());
  CHECK(SearchAll(*bank, {random.MakeQuery(2, false).codes, 5}, kNever, result).ok());
  CHECK(result.entries.empty());
  CHECK(bank->CodesOfTokens(0, 0).end == 0);
  std::uint32_t first = 7;
  CHECK(bank->Append(OwnedBatch().View(), first).ok());
  CHECK(first == 0);
}

}  // namespace dentate::old_bank
