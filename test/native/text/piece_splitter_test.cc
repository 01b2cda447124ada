#include "text/piece_splitter.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace dentate::text {

using Pieces = std::vector<std::string>;

Pieces Split(std::string_view text) {
  const PieceSplitter splitter;
  Pieces pieces;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const char* const piece_end = splitter.PieceEnd(at, end);
    REQUIRE(piece_end > at);
    REQUIRE(piece_end <= end);
    pieces.emplace_back(at, piece_end);
    at = piece_end;
  }
  return pieces;
}

TEST_CASE("words take one character before them, and a contraction after") {
  CHECK(Split("Hello, it's we'LL!") == Pieces{"Hello", ",", " it's", " we'LL", "!"});
  CHECK(Split("don'tx can'") == Pieces{"don't", "x", " can", "'"});
  CHECK(Split("(abc\tdef") == Pieces{"(abc", "\tdef"});
  CHECK(Split("a'\xc5\xbfg") == Pieces{"a'\xc5\xbf", "g"});  // U+017F folds to s
  CHECK(Split("x're've'll'd") == Pieces{"x're", "'ve'll", "'d"});
}

TEST_CASE("a word turns from capitals to small letters once") {
  CHECK(Split("camelCaseHTTPServer") == Pieces{"camel", "Case", "HTTPServer"});
  CHECK(Split("ABC abcDEF") == Pieces{"ABC", " abc", "DEF"});
  CHECK(Split("AB\u5b57CD") == Pieces{"AB\u5b57", "CD"});  // a letter in both
  CHECK(Split("AB\u5b57cD") == Pieces{"AB\u5b57c", "D"});
}

TEST_CASE("marks are letters") {
  CHECK(Split("e\u0301a") == Pieces{"e\u0301a"});
  CHECK(Split("\u0301ABC") == Pieces{"\u0301", "ABC"});
  CHECK(Split("\u0301ABCd") == Pieces{"\u0301ABCd"});
  CHECK(Split("!\u0301x") == Pieces{"!\u0301x"});
  CHECK(Split("!!\u0301x") == Pieces{"!!\u0301", "x"});
  CHECK(Split("1\u0301's") == Pieces{"1", "\u0301's"});
}

TEST_CASE("digits go in threes") {
  CHECK(Split("1234567 89") == Pieces{"123", "456", "7", " ", "89"});
  CHECK(Split("\u0663\u0664\u0665\u0666") == Pieces{"\u0663\u0664\u0665", "\u0666"});
}

TEST_CASE("symbols take a space before them, newlines and slashes after") {
  CHECK(Split("a ...\r\n//\nb") == Pieces{"a", " ...\r\n//\n", "b"});
  CHECK(Split("  ++") == Pieces{" ", " ++"});
  CHECK(Split("\t++") == Pieces{"\t", "++"});
}

TEST_CASE("spaces end at the last newline, or before the last space") {
  CHECK(Split("a   b") == Pieces{"a", "  ", " b"});
  CHECK(Split("a \n \r\n  b") == Pieces{"a", " \n \r\n", " ", " b"});
  CHECK(Split("a   ") == Pieces{"a", "   "});
  CHECK(Split("a\u00a0\u3000") == Pieces{"a", "\u00a0\u3000"});
  CHECK(Split("a  1") == Pieces{"a", " ", " ", "1"});
  CHECK(Split("\u00851") == Pieces{"\u0085", "1"});
  CHECK(Split("\ufeffa") == Pieces{"\ufeffa"});
}

TEST_CASE("any bytes are split, and none is lost") {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      std::string text{static_cast<char>(first), static_cast<char>(second), 'a'};
      std::string joined;
      for (const auto& piece : Split(text)) joined += piece;
      REQUIRE(joined == text);
    }
  }
}

}  // namespace dentate::text
