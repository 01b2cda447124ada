#include "bank/sealed_part.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bank/part_facts.h"
#include "check_part.h"
#include "core/coding.h"

namespace dentate::bank {
namespace {

constexpr Interval32 kAny{0, 1000};
constexpr std::span<const Interval32> kAnyRow(&kAny, 1);

bool KeepAll(std::uint32_t) { return true; }

BuiltPart Build(std::span<const PartSource> sources, const KeepEntry& keep = KeepAll,
                const PartFacts& facts = {}, std::size_t words = 2) {
  BuiltPart built;
  const Status status = BuildPart(sources, keep, facts, words, {}, built);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return built;
}

PartSource Source(const Part& part, std::uint32_t first = 0) {
  return {&part, first, part.entry_count()};
}

TEST_CASE("a sealed part answers as the entries it was built from") {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const std::size_t words = 1 + seed % 3;
    RandomEntries random(seed, words, seed % 2 == 0 ? 5 : 40);
    const PlainPart plain(random.Make(1 + 30 * seed), words);
    const BuiltPart built = Build(std::vector{Source(plain, 1000)}, KeepAll, {}, words);
    CHECK(built.first_entry == 1000);
    CHECK(built.entry_count == plain.entry_count());
    const auto part = OpenImage(built.image);
    CheckSame(plain, *part);
  }
}

TEST_CASE("a part of no entries carries facts") {
  PartFacts facts;
  facts.next_entry = 12;
  facts.deleted = {3, 4, 5, 9};
  facts.versions = {{8, 2}};
  facts.expiries = {{1, -5}, {7, 1'800'000'000'000}};
  facts.strengths = {{7, 3, 1'700'000'000'000}};
  const BuiltPart built = Build({}, KeepAll, facts);
  CHECK(built.entry_count == 0);
  const auto part = OpenImage(built.image);
  CHECK(part->entry_count() == 0);
  CHECK(part->code_count() == 0);
  PartFacts read;
  REQUIRE(part->Facts(kAnyRow, read).ok());
  CHECK(read.next_entry == 12);
  CHECK(read.deleted == facts.deleted);
  REQUIRE(read.versions.size() == 1);
  CHECK(read.versions[0].entry == 8);
  CHECK(read.versions[0].origin == 2);
  REQUIRE(read.expiries.size() == 2);
  CHECK(read.expiries[0].at == -5);
  CHECK(read.expiries[1].at == 1'800'000'000'000);
  REQUIRE(read.strengths.size() == 1);
  CHECK(read.strengths[0].recalls == 3);
  CHECK(read.strengths[0].last == 1'700'000'000'000);
  BallFinder finder;
  Ball ball;
  part->FindBall(std::vector<std::uint64_t>{1, 2}, nullptr, 128, finder, ball);
  CHECK(ball.codes.empty());
}

PlainEntry Erased() {
  PlainEntry entry;
  entry.erased = true;
  return entry;
}

// What BuildPart should make of parts that follow each other.
PlainPart Merged(const std::vector<PartSource>& sources, const KeepEntry& keep,
                 std::uint32_t& first) {
  std::vector<PlainEntry> entries;
  for (const PartSource& source : sources) {
    const auto& plain = dynamic_cast<const PlainPart&>(*source.part);
    for (std::uint32_t i = 0; i < source.size; ++i) {
      const std::uint32_t number = source.first_entry + i;
      PlainEntry entry = plain.entries()[i];
      if (!keep(number)) entry = Erased();
      if (entries.empty() && entry.erased) continue;
      if (entries.empty()) first = number;
      while (first + entries.size() < number) entries.push_back(Erased());
      entries.push_back(entry);
    }
  }
  while (!entries.empty() && entries.back().erased) entries.pop_back();
  return PlainPart(std::move(entries));
}

TEST_CASE("parts merge without what is erased") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    RandomEntries random(seed);
    const PlainPart one(random.Make(20), 2, 0);
    const PlainPart two(random.Make(35), 2, 3);
    const PlainPart three(random.Make(1), 2, 1);
    const std::vector<PartSource> sources = {Source(one, 5), Source(two, 30), Source(three, 65)};
    const std::uint32_t kept = random.Below(5);
    const std::uint32_t from = random.Below(40);
    const KeepEntry keep = [&](std::uint32_t entry) {
      return entry >= from && (kept == 4 || (entry * 2654435761U >> 20) % 4 < kept);
    };
    std::uint32_t first = 0;
    const PlainPart expected = Merged(sources, keep, first);
    const BuiltPart built = Build(sources, keep);
    const auto part = OpenImage(built.image);
    CheckSame(expected, *part);
    PartFacts facts;
    REQUIRE(part->Facts(kAnyRow, facts).ok());
    CHECK(facts.next_entry == 66);
    if (expected.entry_count() == 0) continue;
    CHECK(built.first_entry == first);
    std::vector<std::uint32_t> erased;
    for (std::uint32_t e = 0; e < expected.entry_count(); ++e) {
      if (expected.entries()[e].erased) erased.push_back(first + e);
    }
    CHECK(facts.deleted == erased);

    // Sealed parts merge to the same bytes as the parts they were made from.
    std::vector<std::shared_ptr<const SealedPart>> sealed;
    std::vector<PartSource> again;
    for (const PartSource& source : sources) {
      sealed.push_back(OpenImage(Build(std::vector{source}).image));
      again.push_back(Source(*sealed.back(), source.first_entry));
    }
    CHECK(Build(again, keep).image == built.image);
    CHECK(Build(std::vector{Source(*part, first)}, KeepAll, facts).image == built.image);
  }
}

TEST_CASE("of a run of deleted entries only those that have rows are read") {
  std::vector<std::uint8_t> bytes;
  PutVarint(bytes, 2);
  for (const std::uint32_t number : {4U, 5U, 10U, 0xffffffffU - 21U}) PutVarint(bytes, number);
  for (int i = 0; i < 3; ++i) PutVarint(bytes, 0);  // no other facts
  const std::vector<Interval32> rows = {
      {0, 3}, {6, 8}, {9, 15}, {19, 23}, {0xfffffff0, 0xffffffff}};
  PartFacts read;
  REQUIRE(DecodeFacts(bytes, 0xffffffff, rows, read).ok());
  std::vector<std::uint32_t> expected = {6, 7, 9, 20, 21, 22};
  for (std::uint32_t entry = 0xfffffff0; entry < 0xffffffff; ++entry) expected.push_back(entry);
  CHECK(read.deleted == expected);
  REQUIRE(DecodeFacts(bytes, 0xffffffff, {}, read).ok());
  CHECK(read.deleted.empty());
  CHECK(DecodeFacts(bytes, 0xfffffffe, rows, read).code() == ErrorCode::kCorruption);
}

TEST_CASE("facts are kept for those who need them") {
  RandomEntries random(1);
  const PlainPart plain(random.Make(12));
  PartFacts facts;
  facts.next_entry = 20;
  facts.deleted = {1, 7, 10, 13};  // older; cut off; erased; kept for some reason
  facts.versions = {{2, 1}, {11, 10}, {12, 3}, {18, 4}};  // 18: erased at the end
  facts.expiries = {{4, 9}, {10, 9}, {14, 9}};
  facts.strengths = {{10, 1, 1}, {15, 1, 1}};
  const KeepEntry keep = [](std::uint32_t entry) { return entry > 8 && entry != 10 && entry < 17; };
  const BuiltPart built = Build(std::vector{Source(plain, 7)}, keep, facts);
  CHECK(built.first_entry == 9);
  CHECK(built.entry_count == 8);
  PartFacts read;
  REQUIRE(OpenImage(built.image)->Facts(kAnyRow, read).ok());
  CHECK(read.next_entry == 20);
  CHECK(read.deleted == std::vector<std::uint32_t>{1, 10, 13});
  REQUIRE(read.versions.size() == 3);
  CHECK(read.versions[1].entry == 11);  // its origin is gone, but is its id
  CHECK(read.versions[2].entry == 12);
  REQUIRE(read.expiries.size() == 2);
  CHECK(read.expiries[1].entry == 14);
  REQUIRE(read.strengths.size() == 1);
  CHECK(read.strengths[0].entry == 15);
}

TEST_CASE("what changes an answer's place is found, and so is anything between sections") {
  RandomEntries random(4);
  const PlainPart plain(random.Make(30));
  const std::vector<std::uint8_t> image = Build(std::vector{Source(plain)}).image;
  succinct::AlignedBytes bytes(image.size());
  auto* const data = reinterpret_cast<std::uint8_t*>(bytes.data());
  std::copy(image.begin(), image.end(), data);
  const ImageLayout layout(OpenImage(image)->header());
  std::vector<std::size_t> accepted(kSectionCount);
  for (std::size_t bit = 0; bit < image.size() * 8; ++bit) {
    data[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    std::shared_ptr<const SealedPart> part;
    if (SealedPart::Open({data, image.size()}, nullptr, part).ok() && part->Validate().ok()) {
      const auto at = std::upper_bound(layout.begin.begin(), layout.begin.end(), bit / 64);
      if (at != layout.begin.begin())
        ++accepted[static_cast<std::size_t>(at - layout.begin.begin()) - 1];
    }
    data[bit / 8] = image[bit / 8];
  }
  for (const Section section : {Section::kCodes, Section::kRunMarks, Section::kCodeEnds,
                                Section::kCodeBlocks, Section::kRunEnds, Section::kRunsBefore,
                                Section::kRunsAfter, Section::kFirstRuns, Section::kLastRuns}) {
    CAPTURE(std::string(SectionName(section)));
    CHECK(accepted[static_cast<std::size_t>(section)] == 0);
  }
  for (std::size_t size = 0; size < image.size(); ++size) {
    std::shared_ptr<const SealedPart> part;
    CHECK(SealedPart::Open({data, size}, nullptr, part).code() == ErrorCode::kCorruption);
  }
}

TEST_CASE("building can be cancelled") {
  RandomEntries random(1);
  const PlainPart plain(random.Make(10));
  BuiltPart built;
  const Status status = BuildPart(
      std::vector{Source(plain)}, KeepAll, {}, 2, [] { return true; }, built);
  CHECK(status.code() == ErrorCode::kAborted);
}

}  // namespace
}  // namespace dentate::bank
