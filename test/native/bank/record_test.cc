#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "bank/record.h"

#include <doctest/doctest.h>

#include <vector>

#include "bank/random_bank.h"

namespace dentate::bank {
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
      const auto bank = NewBank(std::make_unique<storage::MemoryLog>());
      const Status status = bank->ApplyRecord(damaged);
      CHECK(bank->entry_count() == (status.ok() ? 4 : 0));
    }
  }
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

}  // namespace dentate::bank
