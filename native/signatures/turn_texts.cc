#include "signatures/turn_texts.h"

namespace dentate::signatures {

void TurnTexts::AddPlain(std::string_view text) {
  texts_ += text;
  End(kPlain);
}

void TurnTexts::AddGiven(std::string_view text, std::string_view joined_words,
                         std::span<const std::uint32_t> starts) {
  texts_ += text;
  words_ += joined_words;
  starts_.insert(starts_.end(), starts.begin(), starts.end());
  End(kGiven);
}

void TurnTexts::End(Kind kind) {
  items_.push_back({kind, {texts_.size(), words_.size(), starts_.size()}});
}

Status TurnTexts::Encode(std::size_t i, TurnEncoder& encoder, EncodedTurns& turns) const {
  const auto& [kind, ends] = items_[i];
  const Ends from = i == 0 ? Ends{} : items_[i - 1].ends;
  const auto text = std::string_view(texts_).substr(from.text, ends.text - from.text);
  if (kind == kNothing) {
    TurnEncoder::AppendNothing(turns);
  } else if (kind == kGiven) {
    encoder.Append(text, std::string_view(words_).substr(from.words, ends.words - from.words),
                   std::span(starts_).subspan(from.starts, ends.starts - from.starts), turns);
  } else if (!encoder.AppendPlain(text, turns)) {
    return {ErrorCode::kInternal, "a text without words is not plain"};
  }
  return Status::Ok();
}

}  // namespace dentate::signatures
