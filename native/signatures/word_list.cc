#include "signatures/word_list.h"

namespace dentate::signatures {

void ParseWords(std::string_view joined, std::vector<ListedWord>& words) {
  words.clear();
  std::uint32_t index = 0;
  bool after_content = false;
  for (std::size_t at = 0; at < joined.size(); ++index) {
    const std::size_t text_end = joined.find_first_of("\t\n", at);
    if (text_end == std::string_view::npos) return;
    const std::size_t stem_end = joined.find('\n', text_end + 1);
    if (stem_end == std::string_view::npos) return;
    const std::string_view text = joined.substr(at, text_end - at);
    if (!text.empty()) {
      words.push_back({text, joined.substr(text_end + 1, stem_end - text_end - 1), index,
                       after_content && joined[text_end] == '\t'});
    }
    after_content = !text.empty();
    at = stem_end + 1;
  }
}

}  // namespace dentate::signatures
