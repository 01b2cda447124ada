#include "text/byte_pair_encoder.h"

#include <doctest/doctest.h>

#include <ctime>
#include <random>

#include "text/test_vocabulary.h"
#include "text/token_decoder.h"

namespace dentate::text {

struct Fixture {
  std::vector<std::string> tokens = LearnTokens(kTrainingText, 150);
  Ranks ranks = RanksOf(tokens);
  std::shared_ptr<const Vocabulary> vocabulary;
  Fixture() { REQUIRE(Vocabulary::Parse(ToRankFile(tokens), &vocabulary).ok()); }
};

TEST_CASE_FIXTURE(Fixture, "texts of all lengths have the tokens of the plain algorithm") {
  constexpr std::uint32_t kSeed = 20261129;
  INFO("seed ", kSeed);
  std::mt19937 random(kSeed);
  BytePairEncoder encoder(vocabulary);
  TokenDecoder decoder(vocabulary);
  // Few distinct letters, so that many pairs are tokens and many ranks are equal.
  constexpr std::string_view kAlphabets[] = {"a", "ab", "abnd", "thec at", "\xe4\xb8\xad\x96\x87"};
  for (int round = 0; round < 400; ++round) {
    const std::string_view alphabet = kAlphabets[round % 5];
    std::string text(random() % 200, ' ');
    for (char& byte : text) byte = alphabet[random() % alphabet.size()];
    std::vector<std::uint32_t> ids{7};  // what is there stays
    encoder.Append(text, ids);
    ids.erase(ids.begin());
    REQUIRE(ids == NaiveEncode(ranks, text));
    REQUIRE(decoder.FirstUnknown(ids) == ids.size());
    REQUIRE(decoder.Decode(ids) == text);
  }
}

TEST_CASE_FIXTURE(Fixture, "any bytes come back") {
  std::mt19937 random(1);
  BytePairEncoder encoder(vocabulary);
  TokenDecoder decoder(vocabulary);
  for (int round = 0; round < 400; ++round) {
    std::string text(random() % 300, ' ');
    for (char& byte : text) byte = static_cast<char>(random());
    std::vector<std::uint32_t> ids;
    encoder.Append(text, ids);
    REQUIRE(decoder.Decode(ids) == text);
  }
}

TEST_CASE_FIXTURE(Fixture, "a run of 2 MB without a break is encoded in seconds") {
  BytePairEncoder encoder(vocabulary);
  for (const char* unit : {"a", " ", "\n", "ab", "=", "7", "\xe4\xb8\xad", "\xf0\x9f\x98\x80"}) {
    std::string text;
    while (text.size() < 2'000'000) text += unit;
    std::vector<std::uint32_t> ids;
    const std::clock_t start = std::clock();
    encoder.Append(text, ids);
    // Of this process's processor time. The quadratic algorithm would take an hour; a sanitizer
    // takes a few seconds.
    CHECK((std::clock() - start) / CLOCKS_PER_SEC < 60);
    TokenDecoder decoder(vocabulary);
    CHECK(decoder.Decode(ids) == text);
  }
}

TEST_CASE_FIXTURE(Fixture, "ends count the UTF-16 units begun so far") {
  BytePairEncoder encoder(vocabulary);
  TokenDecoder decoder(vocabulary);
  std::vector<std::uint32_t> ids;
  encoder.Append("the \xf0\x9f\x98\x82 \xe4\xb8\xae", ids);  // cut inside both
  std::vector<std::uint32_t> ends;
  decoder.AppendUtf16Ends(ids, ends);
  REQUIRE(ends.size() == ids.size());
  CHECK(ends.back() == 8);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    bytes += vocabulary->Bytes(ids[i]).size();
    CHECK(ends[i] <= bytes);
    if (i > 0) CHECK(ends[i] >= ends[i - 1]);
  }
}

TEST_CASE_FIXTURE(Fixture, "an id past the vocabulary is found before it is used") {
  const TokenDecoder decoder(vocabulary);
  const std::uint32_t ids[] = {1, vocabulary->size(), 2};
  CHECK(decoder.FirstUnknown(ids) == 1);
  CHECK(decoder.FirstUnknown({}) == 0);
}

}  // namespace dentate::text
