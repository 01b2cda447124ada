#include "text/vocabulary.h"

#include <doctest/doctest.h>

#include "text/o200k_base.h"
#include "text/test_vocabulary.h"

namespace dentate::text {

using VocabularyPointer = std::shared_ptr<const Vocabulary>;

TEST_CASE("every token is found by its bytes, and nothing else is") {
  std::vector<std::string> tokens = LearnTokens(kTrainingText, 120);
  tokens.push_back(std::string("a\0b", 3));
  tokens.push_back(std::string("\0\0", 2));
  tokens.push_back(std::string(255, 'z'));
  tokens.push_back("12345678");
  tokens.push_back("123456789");
  VocabularyPointer vocabulary;
  REQUIRE(Vocabulary::Parse(ToRankFile(tokens), &vocabulary).ok());
  REQUIRE(vocabulary->size() == tokens.size());
  CHECK(vocabulary->MaxTokenLength() == 255);
  for (std::uint32_t id = 0; id < tokens.size(); ++id) {
    CHECK(vocabulary->Find(tokens[id]) == id);
    CHECK(vocabulary->Bytes(id) == tokens[id]);
    const auto known = [&](const std::string& bytes) {
      return std::find(tokens.begin(), tokens.end(), bytes) != tokens.end();
    };
    for (const std::string& other : {tokens[id] + '\0', tokens[id] + "q", "q" + tokens[id]}) {
      if (!known(other)) CHECK(vocabulary->Find(other) == Vocabulary::kNone);
    }
  }
  CHECK(vocabulary->Find("") == Vocabulary::kNone);
  CHECK(vocabulary->FindPair('t', 'h') == vocabulary->Find("th"));
  CHECK(vocabulary->FindPair('q', 'x') == Vocabulary::kNone);
}

TEST_CASE("the order of the lines does not matter, that of the ranks does") {
  const std::vector<std::string> tokens = LearnTokens(kTrainingText, 10);
  std::string reversed;
  for (std::size_t rank = tokens.size(); rank-- > 0;) {
    reversed += ToBase64(tokens[rank]) + ' ' + std::to_string(rank) + "\n\n";
  }
  VocabularyPointer forward;
  VocabularyPointer backward;
  VocabularyPointer other;
  REQUIRE(Vocabulary::Parse(ToRankFile(tokens), &forward).ok());
  REQUIRE(Vocabulary::Parse(reversed, &backward).ok());
  CHECK(forward->Fingerprint() == backward->Fingerprint());
  std::vector<std::string> swapped = tokens;
  std::swap(swapped[257], swapped[258]);
  REQUIRE(Vocabulary::Parse(ToRankFile(swapped), &other).ok());
  CHECK(forward->Fingerprint() != other->Fingerprint());
}

TEST_CASE("a rank file that is no vocabulary is refused") {
  const std::string whole = ToRankFile(LearnTokens("", 0));
  const auto code = [](const std::string& file) {
    VocabularyPointer vocabulary;
    return Vocabulary::Parse(file, &vocabulary).code();
  };
  CHECK(code(whole) == ErrorCode::kOk);
  CHECK(code("") == ErrorCode::kCorruption);
  CHECK(code(whole.substr(0, whole.size() / 2)) == ErrorCode::kCorruption);
  CHECK(code(whole + "YWI=\n") == ErrorCode::kCorruption);
  CHECK(code(whole + "YWI= \n") == ErrorCode::kCorruption);
  CHECK(code(whole + "YWI= x\n") == ErrorCode::kCorruption);
  CHECK(code(whole + "YWI= 99999999999\n") == ErrorCode::kCorruption);
  CHECK(code(whole + "YWI= 257\n") == ErrorCode::kCorruption);
  CHECK(code(whole + "YWI= 255\n") == ErrorCode::kCorruption);
  CHECK(code(whole + "YW=I 256\n") == ErrorCode::kCorruption);
  CHECK(code(whole + "==== 256\n") == ErrorCode::kCorruption);
  CHECK(code(whole + "YQ== 256\n") == ErrorCode::kCorruption);  // "a" again
  CHECK(code(whole + ToBase64(std::string(256, 'a')) + " 256\n") == ErrorCode::kCorruption);
  CHECK(code(whole + "YWI= 256\n") == ErrorCode::kOk);
}

TEST_CASE("another vocabulary is not taken for o200k_base") {
  CHECK(LoadO200kBase(ToRankFile(LearnTokens(kTrainingText, 50))).code() == ErrorCode::kCorruption);
  CHECK(O200kBase() == nullptr);
}

}  // namespace dentate::text
