#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "old_bank/record.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "old_bank/random_bank.h"

namespace dentate::old_bank {
namespace {

std::vector<std::uint8_t> SomeRecord() {
  RandomBank random(1);
  std::vector<std::vector<std::uint8_t>> groups;
  const auto bank = NewBank(std::make_unique<RecordingLog>(groups));
  std::uint32_t first = 0;
  REQUIRE(bank->Append(random.MakeBatch(4).View(), first).ok());
  return groups[0];
}

ErrorCode Decode(std::span<const std::uint8_t> bytes) {
  RecordStorage storage;
  Record record;
  return DecodeRecord(bytes, kTestWords, kTestDimensions, storage, record).code();
}

}  // namespace

TEST_CASE("a record that is cut anywhere is refused") {
  const auto bytes = SomeRecord();
  CHECK(Decode(bytes) == ErrorCode::kOk);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    // Exactly as long, so that a sanitizer sees a read past the end.
    const std::vector<std::uint8_t> cut(bytes.begin(),
                                        bytes.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK(Decode(cut) == ErrorCode::kCorruption);
  }
  auto longer = bytes;
  longer.push_back(0);
  CHECK(Decode(longer) == ErrorCode::kCorruption);
}

TEST_CASE("a record with any byte changed decodes or is refused, and a bank survives it") {
  const auto bytes = SomeRecord();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const unsigned flip : {0x01U, 0x7fU, 0x80U, 0xffU}) {
      auto damaged = bytes;
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ flip);
      const auto bank = NewBank(std::make_unique<old_storage::MemoryLog>());
      const Status status = bank->ApplyRecord(damaged);
      CHECK(bank->entry_count() == (status.ok() ? 4 : 0));
    }
  }
}

TEST_CASE("a record that brings a word twice, or one that is there, changes nothing") {
  const auto bytes = SomeRecord();
  RecordStorage storage;
  Record record;
  REQUIRE(DecodeRecord(bytes, kTestWords, kTestDimensions, storage, record).ok());
  REQUIRE(storage.new_stems.size() > 2);
  const auto bank = NewBank(std::make_unique<old_storage::MemoryLog>());
  REQUIRE(bank->ApplyRecord(bytes).ok());
  const std::size_t words = bank->dictionary().size();

  const auto apply = [&](std::uint64_t word0, std::uint64_t word1, std::uint64_t stem) {
    Record next = record;
    next.first_code = static_cast<std::uint32_t>(words);
    const std::vector<std::uint64_t> signatures{1, 2, 3, 4, word0, word1};
    const std::vector<std::uint64_t> stems{7000, 7000, stem};
    next.new_signatures = signatures;
    next.new_stems = stems;
    std::vector<std::uint8_t> encoded;
    EncodeRecord(next, kTestWords, kTestDimensions, encoded);
    return bank->ApplyRecord(encoded).code();
  };
  CHECK(apply(1, 2, 7000) == ErrorCode::kCorruption);
  CHECK(apply(storage.new_signatures[0], storage.new_signatures[1], storage.new_stems[0]) ==
        ErrorCode::kCorruption);
  CHECK(bank->dictionary().size() == words);
  CHECK(bank->entry_count() == 4);
  CHECK(apply(1, 2, 7001) == ErrorCode::kOk);  // other stem, other word
  CHECK(bank->dictionary().size() == words + 3);
  CHECK(bank->entry_count() == 8);
}

TEST_CASE("a bank takes as many words as its codes have bits for, appended or replayed") {
  constexpr std::size_t kTooMany = Bank::kMaxCodes + 1;
  const std::uint32_t zero = 0;
  const std::uint32_t one = 1;
  const std::uint32_t none = EntryTable::kNone;
  const std::vector<std::uint64_t> words(kTooMany);
  Bank bank(64, 0, std::make_unique<old_storage::MemoryLog>());

  Record record;
  record.new_signatures = words;
  record.new_stems = words;
  record.sessions = record.token_counts = record.code_counts = record.metadata_lengths = {&zero, 1};
  record.speakers = {&none, 1};
  std::vector<std::uint8_t> bytes;
  EncodeRecord(record, 1, 0, bytes);
  CHECK(bank.ApplyRecord(bytes).code() == ErrorCode::kOutOfMemory);

  const std::vector<std::uint32_t> code_tokens(kTooMany);
  const auto code_count = static_cast<std::uint32_t>(kTooMany);
  Batch batch;
  batch.signatures = words;
  batch.stems = words;
  batch.code_tokens = code_tokens;
  batch.code_counts = {&code_count, 1};
  batch.tokens = batch.sessions = batch.metadata_lengths = {&zero, 1};
  batch.token_counts = {&one, 1};
  batch.speakers = {&none, 1};
  std::uint32_t first = 0;
  const Status status = bank.Append(batch, first);
  CHECK(status.code() == ErrorCode::kOutOfMemory);
  CHECK(status.message().find("4194304") != std::string::npos);

  CHECK(bank.entry_count() == 0);
  CHECK(bank.dictionary().size() == 0);
  const std::uint32_t few = 2;
  batch.signatures = batch.stems = std::span(words).first(few);
  batch.code_tokens = std::span(code_tokens).first(few);
  batch.code_counts = {&few, 1};
  CHECK(bank.Append(batch, first).ok());
  CHECK(bank.dictionary().size() == 1);
}

TEST_CASE("a newer version and another bank's lengths are told apart from damage") {
  auto bytes = SomeRecord();
  bytes[0] = 2;
  CHECK(Decode(bytes) == ErrorCode::kVersion);
  bytes[0] = 0;
  CHECK(Decode(bytes) == ErrorCode::kCorruption);
  RecordStorage storage;
  Record record;
  CHECK(DecodeRecord(SomeRecord(), kTestWords + 1, kTestDimensions, storage, record).code() ==
        ErrorCode::kCorruption);
}

TEST_CASE("a count without bytes behind it does not allocate") {
  // version, w, d, first_code, then 2^60 new words.
  const std::vector<std::uint8_t> bytes{1,    2,    6,    0,    0x80, 0x80, 0x80,
                                        0x80, 0x80, 0x80, 0x80, 0x80, 0x10};
  CHECK(Decode(bytes) == ErrorCode::kCorruption);
}

}  // namespace dentate::old_bank
