#include "signatures/turn_encoder.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "text/test_vocabulary.h"

namespace dentate::signatures {
namespace {

struct Asked {
  std::size_t to_keep = 0, once = 0;
};

// Counts the words that it is asked for.
class CountingEncoder final : public Encoder {
 public:
  explicit CountingEncoder(Asked& asked) : asked_(asked) {}
  std::size_t bits() const noexcept override { return 64; }
  bool has_window() const noexcept override { return false; }
  std::size_t dimensions() const noexcept override { return 0; }
  void Append(std::span<const ListedWord> words, EncodedText& encoded) override {
    asked_.to_keep += words.size();
    Push(words, encoded);
  }
  void AppendOnce(std::span<const ListedWord> words, EncodedText& encoded) override {
    asked_.once += words.size();
    Push(words, encoded);
  }
  void EncodeQuery(std::span<const ListedWord> words, EncodedText& encoded) override {
    Encode(words, encoded);
  }

 protected:
  void SetVector(EncodedText&) override {}

 private:
  static void Push(std::span<const ListedWord> words, EncodedText& encoded) {
    for (const ListedWord& word : words) {
      encoded.signatures.push_back(word.text.size());
      encoded.stems.push_back(word.text.size());
      encoded.word_of.push_back(word.index);
      encoded.piece_counts.push_back(0);
    }
  }

  Asked& asked_;
};

TEST_CASE("words that are remembered are not kept a second time by the encoder") {
  std::shared_ptr<const text::Vocabulary> vocabulary;
  REQUIRE(text::Vocabulary::Parse(text::ToRankFile(text::LearnTokens("", 0)), &vocabulary).ok());
  Asked asked;
  TurnEncoder encoder(vocabulary, std::make_unique<CountingEncoder>(asked));
  EncodedTurns turns;
  for (int i = 0; i < 3; ++i) REQUIRE(encoder.AppendPlain("harbour garden harbour", turns));
  CHECK(asked.once == 2);
  CHECK(asked.to_keep == 0);
  // What is too long to be remembered is worth keeping.
  const std::string longest(29, 'x'), longer(30, 'y');
  REQUIRE(encoder.AppendPlain(longest + " " + longer, turns));
  CHECK(asked.once == 3);
  CHECK(asked.to_keep == 1);
}

}  // namespace
}  // namespace dentate::signatures
