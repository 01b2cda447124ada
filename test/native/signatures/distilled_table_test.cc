#include "signatures/distilled_table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "signatures/distilled_encoder.h"
#include "signatures/hash.h"
#include "signatures/script.h"
#include "signatures/sign_projection.h"
#include "signatures/vector_sum.h"
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

// The vector of the word, which has these pieces.
std::vector<std::int32_t> VectorOf(const DistilledTable& table, std::string_view word,
                                   const std::vector<std::uint32_t>& expected_pieces) {
  std::vector<std::uint32_t> pieces{7};
  table.Cut(word, pieces);
  CHECK(pieces == expected_pieces);
  std::vector<std::int32_t> vector(table.dimensions(), 7);
  table.Vector(pieces, HashText(word), vector);
  return vector;
}

TEST_CASE("a word is the mean of its longest pieces") {
  std::shared_ptr<const DistilledTable> table;
  REQUIRE(DistilledTable::FromBytes(SmallTable(), table).ok());
  using Vector = std::vector<std::int32_t>;
  CHECK(VectorOf(*table, "walk", {4}) == Vector{10, 20});
  CHECK(VectorOf(*table, "walking", {4, 0}) == Vector{(10 + 1) / 2, (20 - 1) / 2});
  CHECK(VectorOf(*table, "walkings", {4, 0, 1}) == Vector{(10 + 1 + 8) / 3, (20 - 1 + 4) / 3});
  CHECK(VectorOf(*table, "sing", {3}) == Vector{7, 7});
}

TEST_CASE("a word spelled letter by letter, or not at all, has no pieces") {
  std::shared_ptr<const DistilledTable> table;
  REQUIRE(DistilledTable::FromBytes(SmallTable(), table).ok());
  const std::string long_word(1000, 'a');
  for (const std::string& word :
       {std::string("ab"), std::string("abs"), std::string("zebra"), std::string("walkz"),
        std::string("a"), std::string(), std::string("walk2"), std::string("Walk"),
        std::string("##s"), long_word}) {
    CAPTURE(word);
    std::vector<std::uint32_t> pieces{7};
    table->Cut(word, pieces);
    CHECK(pieces.empty());
  }
}

TEST_CASE("an encoder keeps words, but none that its caller remembers") {
  std::shared_ptr<const DistilledTable> table;
  REQUIRE(DistilledTable::FromBytes(SmallTable(), table).ok());
  DistilledEncoder keeping(table, 64), forgetting(table, 64);
  for (std::uint32_t i = 0; i < 100; ++i) {
    std::string text = "walking";
    if (i > 0) text += std::to_string(i);
    const std::vector<ListedWord> words{{text, text, i}};
    EncodedText kept, once;
    keeping.Append(words, kept);
    forgetting.AppendOnce(words, once);
    CHECK(kept.signatures == once.signatures);
    CHECK(kept.stems == once.stems);
    CHECK(kept.word_of == once.word_of);
    CHECK(kept.pieces == once.pieces);
    CHECK(kept.piece_counts == once.piece_counts);
  }
  CHECK(keeping.kept() == 100);
  CHECK(forgetting.kept() == 0);
  // Pairs of characters are worth keeping: nobody else does.
  const std::vector<ListedWord> word{{"漢字", "漢字", 0}};
  EncodedText kept, once;
  keeping.Append(word, kept);
  forgetting.AppendOnce(word, once);
  CHECK(kept.stems == once.stems);
  CHECK(kept.signatures == once.signatures);
  CHECK(forgetting.kept() > 0);
}

TEST_CASE("a weighted vector has the largest weight of its pieces, and adds to what is there") {
  // scale * weight passes 2^9 with room to spare, so that little is rounded off.
  const std::vector<Row> rows{{"walk", 8192, 512, {10, -20}}, {"##s", 4096, 1023, {100, 127}}};
  std::shared_ptr<const DistilledTable> table;
  REQUIRE(DistilledTable::FromBytes(TableOf(rows), table).ok());
  std::vector<std::int32_t> sum{1, 2};
  table->AddWeighted(std::vector<std::uint32_t>{0}, 0, sum);
  CHECK(sum == std::vector<std::int32_t>{1 + 8192 * 10, 2 - 8192 * 20});
  sum.assign(2, 0);
  table->AddWeighted(std::vector<std::uint32_t>{0, 1}, 0, sum);
  const std::int32_t walk = 8192 * 1023 / 2 / 512;
  const std::int32_t s = 4096 * 1023 / 2 / 512;
  CHECK(sum == std::vector<std::int32_t>{walk * 10 + s * 100, walk * -20 + s * 127});
  sum.assign(2, 5);
  table->AddWeighted(std::vector<std::uint32_t>{2, 0xffffffff}, 0, sum);  // no such pieces
  CHECK(sum == std::vector<std::int32_t>{5, 5});
}

TEST_CASE("a word without pieces is like itself and like no other, about a unit long") {
  Row row{"aa", 256, 1, std::vector<std::int8_t>(192, 1)};
  std::shared_ptr<const DistilledTable> table;
  REQUIRE(DistilledTable::FromBytes(TableOf({row}), table).ok());
  std::vector<std::vector<std::int32_t>> vectors;
  for (const char* word : {"melanie", "2023", "7th"}) {
    vectors.emplace_back(192);
    table->Vector({}, HashText(word), vectors.back());
    std::vector<std::int32_t> again(192);
    table->Vector({}, HashText(word), again);
    CHECK(vectors.back() == again);
  }
  const auto dot = [](const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += double{1.0} * a[k] * b[k];
    return sum / kUnit / kUnit;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(dot(vectors[i], vectors[i]) == doctest::Approx(1.12).epsilon(0.2));
    CHECK(std::abs(dot(vectors[i], vectors[(i + 1) % 3])) < 0.3);
  }
}

TEST_CASE("a sum of more words than 32 bits hold is the sum of all, whatever the order") {
  const std::vector<Row> rows{{"aa", 16384, 1023, {127, -128}}, {"bb", 16384, 1023, {-127, 1}}};
  std::shared_ptr<const DistilledTable> table;
  REQUIRE(DistilledTable::FromBytes(TableOf(rows), table).ok());
  std::vector<std::uint32_t> words(3000, 0);
  std::fill_n(words.begin(), 1000, 1);
  std::array<float, 2> forwards{};
  std::array<float, 2> backwards{};
  for (auto* out : {&forwards, &backwards}) {
    VectorSum sum;
    sum.Begin(2);
    for (const std::uint32_t& word : words) sum.Add(*table, {&word, 1}, 0);
    sum.Unit(*out);
    std::reverse(words.begin(), words.end());
  }
  CHECK(forwards == backwards);
  const double length = std::hypot(127.0 * 1000, 128.0 * 2000 - 1000);
  CHECK(forwards[0] == doctest::Approx(127.0 * 1000 / length));
  CHECK(forwards[1] == doctest::Approx((1000 - 128.0 * 2000) / length));
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
    std::vector<std::uint32_t> pieces;
    changed->Cut("walkings", pieces);
    changed->Vector(pieces, 1, vector);
    changed->AddWeighted(pieces, 1, vector);
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
