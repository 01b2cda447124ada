#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "signatures/distilled_table.h"

#include <doctest/doctest.h>

#include <string>

#include "signatures/hash.h"
#include "signatures/script.h"
#include "signatures/word_list.h"

namespace dentate::signatures {
namespace {

struct Row {
  std::string text;
  std::uint16_t scale;
  std::uint16_t weight;
  std::vector<std::int8_t> vector;
};

std::vector<std::uint8_t> TableOf(const std::vector<Row>& rows) {
  std::vector<std::uint8_t> bytes;
  const auto put = [&bytes](std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  };
  std::string texts;
  for (const Row& row : rows) texts += row.text;
  for (const char c : std::string("DNTWORD1")) put(static_cast<unsigned char>(c), 1);
  put(rows.size(), 4);
  put(rows[0].vector.size(), 4);
  put(texts.size(), 4);
  put(0, 4);
  for (const Row& row : rows) put(row.scale, 2);
  for (const Row& row : rows) put(row.weight, 2);
  for (const Row& row : rows) put(row.text.size(), 1);
  for (const char c : texts) put(static_cast<unsigned char>(c), 1);
  while (bytes.size() % 64 != 0) put(0, 1);
  for (const Row& row : rows) {
    for (const std::int8_t value : row.vector) bytes.push_back(static_cast<std::uint8_t>(value));
  }
  return bytes;
}

std::vector<std::uint8_t> SmallTable() {
  return TableOf({{"##ing", 256, 100, {1, -1}},
                  {"##s", 512, 10, {4, 2}},
                  {"a", 256, 1, {9, 9}},
                  {"sing", 256, 900, {7, 7}},
                  {"walk", 256, 500, {10, 20}},
                  {"##b", 256, 1, {3, 3}}});
}

TEST_CASE("a word is the mean of its longest pieces and has their largest weight") {
  std::shared_ptr<const DistilledTable> table;
  REQUIRE(DistilledTable::FromBytes(SmallTable(), table).ok());
  std::vector<std::int32_t> vector(2);
  std::uint32_t weight = 0;
  REQUIRE(table->Find("walk", vector, weight));
  CHECK(vector == std::vector<std::int32_t>{10, 20});
  CHECK(weight == 500);
  REQUIRE(table->Find("walking", vector, weight));
  CHECK(vector == std::vector<std::int32_t>{(10 + 1) / 2, (20 - 1) / 2});
  REQUIRE(table->Find("walkings", vector, weight));
  CHECK(vector == std::vector<std::int32_t>{(10 + 1 + 8) / 3, (20 - 1 + 4) / 3});
  REQUIRE(table->Find("sing", vector, weight));
  CHECK(vector == std::vector<std::int32_t>{7, 7});
}

TEST_CASE("a word spelled letter by letter, or not at all, is unknown") {
  std::shared_ptr<const DistilledTable> table;
  REQUIRE(DistilledTable::FromBytes(SmallTable(), table).ok());
  std::vector<std::int32_t> vector{1, 1};
  std::uint32_t weight = 7;
  const std::string long_word(1000, 'a');
  for (const std::string& word :
       {std::string("ab"), std::string("abs"), std::string("zebra"), std::string("a"),
        std::string(), std::string("walk2"), std::string("Walk"), std::string("##s"), long_word}) {
    CAPTURE(word);
    CHECK_FALSE(table->Find(word, vector, weight));
  }
  CHECK(vector == std::vector<std::int32_t>{1, 1});
}

TEST_CASE("damaged bytes are refused, whatever the damage") {
  std::shared_ptr<const DistilledTable> table;
  const std::vector<std::uint8_t> good = SmallTable();
  for (std::size_t size = 0; size < good.size(); ++size) {
    const Status status = DistilledTable::FromBytes({good.data(), size}, table);
    CHECK(status.code() == ErrorCode::kCorruption);
  }
  // Any one byte changed is refused or harmless: never a read out of bounds (run with ASan).
  SplitMix64 random(3);
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto bytes = good;
    bytes[at] ^= static_cast<std::uint8_t>(1 + random.Next() % 255);
    std::shared_ptr<const DistilledTable> changed;
    if (!DistilledTable::FromBytes(bytes, changed).ok()) continue;
    std::vector<std::int32_t> vector(changed->dimensions());
    std::uint32_t weight = 0;
    changed->Find("walkings", vector, weight);
  }
  CHECK_FALSE(
      DistilledTable::FromBytes(TableOf({{"ab", 1, 1, {1}}, {"ab", 1, 1, {1}}}), table).ok());
}

TEST_CASE("words are parsed from their joined form") {
  std::vector<ListedWord> words;
  ParseWords("dog\ndog\n\n\nrunning\trun\nfast\tfast\n", words);
  REQUIRE(words.size() == 3);
  CHECK(words[0].text == "dog");
  CHECK(words[1].stem == "run");
  CHECK(words[1].index == 2);
  CHECK_FALSE(words[1].adjacent);  // it follows a stop word
  CHECK(words[2].adjacent);
  for (const char* broken : {"", "dog", "dog\n", "dog\ndo", "\n", "\t"}) {
    ParseWords(broken, words);
    CHECK(words.empty());
  }
}

TEST_CASE("pairs are for scripts without spaces and for Korean") {
  for (const char32_t c : U"汉あカไกខမ가𠮷") {
    if (c != 0) CHECK(HasPairs(c));
  }
  for (const char32_t c : U"aéЖאبहΩ1👍") {
    if (c != 0) CHECK_FALSE(HasPairs(c));
  }
}

TEST_CASE("characters of any bytes are found, and no byte twice") {
  std::vector<std::size_t> offsets;
  CharacterOffsets("a汉é👍", offsets);
  CHECK(offsets == std::vector<std::size_t>{0, 1, 4, 6, 10});
  CharacterOffsets("\xff\xe6\xb1", offsets);  // not UTF-8: byte by byte
  CHECK(offsets == std::vector<std::size_t>{0, 1, 2, 3});
  CharacterOffsets("", offsets);
  CHECK(offsets == std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace dentate::signatures
