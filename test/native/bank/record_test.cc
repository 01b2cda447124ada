#include "bank/record.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "bank/bank.h"
#include "bank/random_batches.h"
#include "core/coding.h"

namespace dentate::bank::test {
namespace {

std::vector<std::uint8_t> SomeRecord() {
  RandomTurns random(1);
  std::vector<TestTurn> turns = random.MakeMany(5, 1'700'000'000'000);
  turns[1].expires = 1'800'000'000'000;
  turns[2] = TestTurn();
  turns[2].hole = true;
  turns[4].origin = 1;
  OwnedBatch batch(turns);
  batch.restore = true;
  Bank bank({kTestWords}, "", 1);
  std::vector<std::uint8_t> bytes;
  AppendResult result;
  REQUIRE(bank.Append(
                  batch.View(),
                  [&](std::span<const std::uint8_t> record) {
                    bytes.assign(record.begin(), record.end());
                    return Status::Ok();
                  },
                  result)
              .ok());
  return bytes;
}

ErrorCode Decode(std::span<const std::uint8_t> bytes) {
  RecordStorage storage;
  AppendRecord record;
  return DecodeAppend(bytes, kTestWords, storage, record).code();
}

ErrorCode DecodeList(std::span<const std::uint8_t> bytes) {
  RecordKind kind{};
  std::int64_t time = 0;
  std::vector<std::uint32_t> entries;
  return DecodeEntries(bytes, kind, time, entries).code();
}

// Each cut of the bytes, exactly as long, so that a sanitizer sees a read past the end.
void CheckCuts(const std::vector<std::uint8_t>& bytes,
               const std::function<ErrorCode(std::span<const std::uint8_t>)>& decode) {
  CHECK(decode(bytes) == ErrorCode::kOk);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::vector<std::uint8_t> cut(bytes.begin(),
                                        bytes.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK(decode(cut) == ErrorCode::kCorruption);
  }
  auto longer = bytes;
  longer.push_back(0);
  CHECK(decode(longer) == ErrorCode::kCorruption);
  auto newer = bytes;
  newer[0] = kRecordVersion + 1;
  CHECK(decode(newer) == ErrorCode::kVersion);
}

}  // namespace

TEST_CASE("a record that is cut anywhere is refused") {
  CheckCuts(SomeRecord(), Decode);
  std::vector<std::uint8_t> bytes;
  EncodeEntries(RecordKind::kTouch, -5, std::vector<std::uint32_t>{3, 4, 400, kNone - 1}, bytes);
  CheckCuts(bytes, DecodeList);
}

TEST_CASE("an append is the same when it has been written and read") {
  const std::vector<std::uint8_t> bytes = SomeRecord();
  RecordStorage storage;
  AppendRecord record;
  REQUIRE(DecodeAppend(bytes, kTestWords, storage, record).ok());
  CHECK(record.sessions[2] == kNone);
  CHECK(record.expires[1] == 1'800'000'000'000);
  CHECK(record.ingested[0] == 1'700'000'000'000);
  CHECK(record.origins[4] == 1);
  std::vector<std::uint8_t> again;
  EncodeAppend(record, kTestWords, again);
  CHECK(again == bytes);
}

TEST_CASE("a list of entries is the same when it has been written and read") {
  const std::vector<std::uint32_t> entries{0, 1, 77, 1'000'000, kNone - 1};
  for (const std::int64_t time : {INT64_C(0), INT64_C(-1), kMaxTime, -kMaxTime}) {
    std::vector<std::uint8_t> bytes;
    EncodeEntries(RecordKind::kDelete, time, entries, bytes);
    RecordKind kind{};
    std::int64_t read_time = 1;
    std::vector<std::uint32_t> read;
    REQUIRE(DecodeEntries(bytes, kind, read_time, read).ok());
    CHECK(kind == RecordKind::kDelete);
    CHECK(read_time == time);
    CHECK(read == entries);
    CHECK(Decode(bytes) == ErrorCode::kCorruption);
  }
  CHECK(DecodeList(SomeRecord()) == ErrorCode::kCorruption);
}

TEST_CASE("any changed byte gives a record or an error, and the bank stays whole") {
  const std::vector<std::uint8_t> bytes = SomeRecord();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      auto changed = bytes;
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ flip);
      Bank bank({kTestWords}, "", 1);
      const Status status = bank.ApplyRecord(changed);
      if (status.ok()) {
        const auto snapshot = bank.ReadAll();
        CHECK(snapshot->entry_count == 5);
        continue;
      }
      CHECK(bank.next_entry() == 0);
      CHECK(bank.ReadAll()->parts.empty());
    }
  }
}

TEST_CASE("a record of signatures of another length, or one out of turn, is refused") {
  const std::vector<std::uint8_t> bytes = SomeRecord();
  Bank narrow({1}, "", 1);
  CHECK(narrow.ApplyRecord(bytes).code() == ErrorCode::kCorruption);
  Bank bank({kTestWords}, "", 1);
  REQUIRE(bank.ApplyRecord(bytes).ok());
  CHECK(bank.ApplyRecord(bytes).code() == ErrorCode::kCorruption);
  std::vector<std::uint8_t> deletion;
  EncodeEntries(RecordKind::kDelete, 0, std::vector<std::uint32_t>{5}, deletion);
  CHECK(bank.ApplyRecord(deletion).code() == ErrorCode::kCorruption);
  CHECK(bank.next_entry() == 5);
}

TEST_CASE("a batch whose arrays disagree is refused and changes nothing") {
  RandomTurns random(8);
  Bank bank({kTestWords}, "", 1);
  AppendResult result;
  const Sink sink = [](std::span<const std::uint8_t>) { return Status::Ok(); };
  REQUIRE(bank.Append(OwnedBatch(random.MakeMany(5, 1)).View(), sink, result).ok());
  const OwnedBatch good(random.MakeMany(5, 2));
  REQUIRE(good.stems.size() > 1);
  const auto refused = [&](auto change) {
    OwnedBatch batch = good;  // its names are views of good's
    change(batch);
    CHECK(bank.Append(batch.View(), sink, result).code() == ErrorCode::kInternal);
    CHECK(bank.next_entry() == 5);
  };
  refused([](OwnedBatch& b) { b.tokens.push_back(1); });
  refused([](OwnedBatch& b) { b.tokens[0] = kTokenLimit; });
  refused([](OwnedBatch& b) { b.stems.pop_back(); });
  refused([](OwnedBatch& b) { b.signatures.pop_back(); });
  refused([](OwnedBatch& b) { b.piece_counts[0] += 1; });
  refused([](OwnedBatch& b) { b.code_tokens.back() = 1000; });
  refused([](OwnedBatch& b) { b.code_counts[0] += 1; });
  refused([](OwnedBatch& b) { b.sessions[2] = 100; });
  refused([](OwnedBatch& b) { b.speakers[2] = 100; });
  refused([](OwnedBatch& b) { b.speakers.pop_back(); });
  refused([](OwnedBatch& b) { b.speaker_word_counts.push_back(0); });
  refused([](OwnedBatch& b) { b.extras.push_back(1); });
  refused([](OwnedBatch& b) { b.extras_lengths[0] = 0xffffffff; });
  refused([](OwnedBatch& b) { b.at[1] = std::nan(""); });
  refused([](OwnedBatch& b) { b.ingested[1] = 9e15; });
  refused([](OwnedBatch& b) { b.expires[1] = -HUGE_VAL; });
  refused([](OwnedBatch& b) {
    b.origins[1] = 6;  // itself
    b.restore = true;
  });
  refused([](OwnedBatch& b) { b.sessions[0] = kNone; });  // a hole with something in it
  refused([](OwnedBatch& b) { b.sessions.clear(); });
  CHECK(bank.Append(good.View(), sink, result).ok());
  CHECK(bank.Append(OwnedBatch().View(), sink, result).ok());
  CHECK(result.first_entry == 10);
  CHECK(result.added == 0);
}

}  // namespace dentate::bank::test
