#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "text/plain_words.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "text/porter_stem.h"

namespace dentate::text {
namespace {

// What words.ts says of all this is compared in test/text/plain-text.test.ts; here, memory.
std::vector<std::string> StemsOf(const std::string& text) {
  // Of the exact size, so that a read past the end is seen.
  const std::vector<char> bytes(text.begin(), text.end());
  const std::string_view view(bytes.data(), bytes.size());
  PlainWords words;
  REQUIRE(words.Cut(view));
  std::vector<std::string> stems;
  PlainWord word;
  for (const auto& [start, length] : words.surfaces()) {
    REQUIRE(std::size_t{start} + length <= view.size());
    if (length == 0) continue;
    FoldPlain(view.substr(start, length), word);
    if (!word.text.empty()) stems.push_back(word.stem);
  }
  return stems;
}

using Words = std::vector<std::string>;

TEST_CASE("plain text is cut into words, folded and stemmed") {
  CHECK(StemsOf("").empty());
  CHECK(StemsOf("The dogs weren't RUNNING") == Words{"dog", "run"});
  CHECK(StemsOf("maxTokens in config.yaml") ==
        Words{"maxtoken", "max", "token", "config.yaml", "config", "yaml"});
  CHECK(StemsOf("1,000.5 C++ Ana\xe2\x80\x99s 7th") == Words{"1000.5", "c++", "ana", "7"});
}

TEST_CASE("text that is not plain is refused") {
  PlainWords words;
  for (const char* text : {"caf\xc3\xa9", "\xe6\xbc\xa2", "a \xf0\x9f\x98\x80", "a \xff"}) {
    CHECK_FALSE(words.Cut(text));
    CHECK(words.surfaces().empty());
  }
}

TEST_CASE("noise of any length is cut within its bounds") {
  std::mt19937 random(7);
  const std::string alphabet = "abstyeingABZ0123456789_.,'-+# \n";
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 64, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    StemsOf(text);
  }
  StemsOf(std::string(1000, 'a'));
  StemsOf(std::string(1000, '1') + "," + std::string(1000, '.'));
}

TEST_CASE("a stem is not longer than its word") {
  std::mt19937 random(11);
  const std::string alphabet = "aeiouylstbdnrzcmvwxg";
  for (int round = 0; round < 200000; ++round) {
    std::string word(random() % 12, ' ');
    for (char& c : word) c = alphabet[random() % alphabet.size()];
    std::vector<char> letters(word.begin(), word.end());
    REQUIRE(PorterStem(letters.data(), letters.size()) <= word.size());
  }
}

}  // namespace
}  // namespace dentate::text
