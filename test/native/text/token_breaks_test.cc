#include "text/token_breaks.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace dentate::text {
namespace {

// A few kinds of tokens, by id.
const std::vector<std::uint8_t> kBreaks{
    0,                                                 // nothing may be cut beside it
    kMayPrecede | kMayFollow,                          // a piece of a word
    kMayPrecede | kMayFollow | kStartsSpace,           // a word
    kMayPrecede | kMayFollow | kEndsSentence,          // a full stop
    kMayPrecede | kMayFollow | kEndsLine,              // a line feed
    kMayPrecede | kMayFollow | kEndsLine | kEndsBlock  // two
};

std::vector<std::uint32_t> Cut(const std::vector<std::uint32_t>& tokens, std::uint32_t target) {
  std::vector<std::uint32_t> ends;
  CutTokens(tokens, kBreaks, target, ends);
  return ends;
}

}  // namespace

TEST_CASE("what a token's bytes say") {
  CHECK(TokenBreaksOf("a") == (kMayPrecede | kMayFollow));
  CHECK(TokenBreaksOf(" the") == (kMayPrecede | kMayFollow | kStartsSpace));
  CHECK(TokenBreaksOf(".") == (kMayPrecede | kMayFollow | kEndsSentence));
  CHECK(TokenBreaksOf(".\"") == (kMayPrecede | kMayFollow | kEndsSentence));
  CHECK(TokenBreaksOf("\xe3\x80\x82") == (kMayPrecede | kMayFollow | kEndsSentence));  // 。
  CHECK(TokenBreaksOf("\xe4\xb8\xad") == (kMayPrecede | kMayFollow));                  // 中
  CHECK(TokenBreaksOf("\n") == (kMayPrecede | kEndsLine));  // it may belong to a CR before it
  CHECK(TokenBreaksOf(";\n\n") == (kMayPrecede | kMayFollow | kEndsLine | kEndsBlock));
  CHECK(TokenBreaksOf("\xcc\x81") == kMayPrecede);  // a combining accent
  CHECK(TokenBreaksOf("\xd0\xb4") == kMayPrecede);  // Cyrillic: no word begins without a space
  CHECK((TokenBreaksOf("\xd8\x80") & kMayPrecede) == 0);  // an Arabic sign that joins what follows
  CHECK(TokenBreaksOf("\xf0\x9f") == 0);                  // half of a character
  CHECK(TokenBreaksOf("\x98\x80") == 0);                  // the other half
  CHECK(TokenBreaksOf("") == 0);
}

TEST_CASE("a text is cut where it says so most clearly") {
  std::vector<std::uint32_t> tokens(40, 1);
  SUBCASE("a word rather than within one") {
    tokens[18] = 2;
    CHECK(Cut(tokens, 20) == std::vector<std::uint32_t>{18, 40});
  }
  SUBCASE("a sentence rather than a word") {
    tokens[20] = tokens[16] = 2;
    tokens[15] = 3;
    CHECK(Cut(tokens, 20) == std::vector<std::uint32_t>{16, 40});
  }
  SUBCASE("an empty line rather than a line") {
    tokens[19] = 4;
    tokens[17] = 5;
    CHECK(Cut(tokens, 20) == std::vector<std::uint32_t>{18, 40});
  }
  SUBCASE("nowhere, where nothing may be cut") {
    tokens.assign(100, 0);
    CHECK(Cut(tokens, 20) == std::vector<std::uint32_t>{100});
  }
  SUBCASE("an unknown token is left alone") {
    tokens.assign(100, 77);
    CHECK(Cut(tokens, 20) == std::vector<std::uint32_t>{100});
  }
  SUBCASE("an empty text is one piece") { CHECK(Cut({}, 20) == std::vector<std::uint32_t>{0}); }
}

TEST_CASE("pieces cover the text, none is small, none is large without a reason") {
  std::mt19937 engine(7);
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::uint32_t> tokens(random() % 400);
    const bool anywhere = round % 2 == 0;
    for (std::uint32_t& token : tokens) {
      token = anywhere ? 1 + random() % 5 : random() % 6;
    }
    const std::uint32_t target = 1 + random() % 60;
    const std::vector<std::uint32_t> ends = Cut(tokens, target);
    CHECK(ends.back() == tokens.size());
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends) {
      if (ends.size() > 1) {
        REQUIRE(end - begin >= std::max(1U, target / 2));
      }
      if (anywhere) {
        REQUIRE(end - begin <= target + std::max(1U, target / 2));
      }
      if (end < tokens.size()) {
        REQUIRE((kBreaks[tokens[end - 1]] & kMayPrecede) != 0);
        REQUIRE((kBreaks[tokens[end]] & kMayFollow) != 0);
      }
      begin = end;
    }
  }
}

}  // namespace dentate::text
