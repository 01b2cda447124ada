// Words of plain text: what src/text/words.ts makes of it, at a tenth of the cost.
//
// A text is plain if it consists of ASCII and of punctuation and symbols that only ever separate
// words: English as it is mostly written. For such a text words are a matter of a table of 128
// classes. All others need Unicode's properties, normal forms and segmentation, which JavaScript
// has, and go through words.ts.
//
// words.ts says what a word is, and why; here is the same once more, and nothing is decided. The
// tests compare the two: over words, over what people write, and over characters at random.
//
// Cost: cutting takes about 10 ns a word; folding and stemming, which is for words that were not
// met before (signatures/row_cache.h), 80.
//
// Threads: any, an object each.

#ifndef DENTATE_TEXT_PLAIN_WORDS_H_
#define DENTATE_TEXT_PLAIN_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dentate::text {

// Where the words of one text are, in the order in which words.ts gives them. Reused between texts.
class PlainWords {
 public:
  struct Surface {
    std::uint32_t start;   // in bytes
    std::uint32_t length;  // 0: a negated auxiliary such as "don't", which carries no content
  };

  // Replaces the words by those of `text`, UTF-8. False where it is not plain: then there are none.
  bool Cut(std::string_view text);

  const std::vector<Surface>& surfaces() const noexcept { return surfaces_; }

 private:
  void Push(std::size_t start, std::size_t end);
  std::size_t PushRun(std::string_view text, std::size_t start);
  void PushParts(std::string_view identifier, std::size_t start);
  void PushDottedName(std::string_view text, std::size_t start, std::size_t end);

  std::vector<Surface> surfaces_;
};

// What a surface of plain text is as a word.
struct PlainWord {
  std::string text;  // lower case; empty: a stop word
  std::string stem;
};

// Replaces `word`. REQUIRES: a surface that Cut gave.
void FoldPlain(std::string_view surface, PlainWord& word);

}  // namespace dentate::text

#endif  // DENTATE_TEXT_PLAIN_WORDS_H_
