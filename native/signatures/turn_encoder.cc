#include "signatures/turn_encoder.h"

#include <algorithm>

namespace dentate::signatures {

void EncodedTurns::Clear() {
  token_counts.clear();
  code_counts.clear();
  tokens.clear();
  code_tokens.clear();
  codes.Clear();
}

void EncodedTurns::Append(const EncodedTurns& other) {
  const auto add = [](auto& list, const auto& more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  add(token_counts, other.token_counts);
  add(code_counts, other.code_counts);
  add(tokens, other.tokens);
  add(code_tokens, other.code_tokens);
  add(codes.signatures, other.codes.signatures);
  add(codes.stems, other.codes.stems);
  add(codes.word_of, other.codes.word_of);
  add(codes.pieces, other.codes.pieces);
  add(codes.piece_counts, other.codes.piece_counts);
}

std::size_t EncodedTurns::SizeInBytes() const noexcept {
  std::size_t numbers = 0;
  for (const auto* list : {&token_counts, &code_counts, &tokens, &code_tokens, &codes.word_of,
                           &codes.pieces, &codes.piece_counts}) {
    numbers += list->capacity();
  }
  return numbers * sizeof(std::uint32_t) +
         (codes.signatures.capacity() + codes.stems.capacity()) * sizeof(std::uint64_t);
}

bool TurnEncoder::AppendPlain(std::string_view text, EncodedTurns& turns) {
  if (!plain_.Cut(text)) return false;
  const std::size_t first_code = turns.codes.stems.size();
  if (encoder_->has_window()) {
    AppendFolded(text, turns.codes);
  } else {
    AppendRemembered(text, turns.codes);
  }
  const std::size_t first_token = turns.tokens.size();
  tokenizer_.Append(text, turns.tokens);
  ends_.clear();
  std::uint32_t end = 0;
  for (std::size_t i = first_token; i < turns.tokens.size(); ++i) {
    ends_.push_back(end += static_cast<std::uint32_t>(vocabulary_->Bytes(turns.tokens[i]).size()));
  }
  Place(
      first_token, first_code, [this](std::uint32_t word) { return plain_.surfaces()[word].start; },
      turns);
  return true;
}

void TurnEncoder::AppendRemembered(std::string_view text, EncodedText& codes) {
  const auto& surfaces = plain_.surfaces();
  const auto surface_of = [&](std::size_t i) {
    return text.substr(surfaces[i].start, surfaces[i].length);
  };
  keys_.resize(surfaces.size());
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    if (surfaces[i].length == 0) continue;
    keys_[i] = RowCache::KeyOf(surface_of(i));
    rows_.Prefetch(keys_[i]);
  }
  folded_.resize(1);
  for (std::uint32_t i = 0; i < surfaces.size(); ++i) {
    if (surfaces[i].length == 0) continue;
    const std::string_view surface = surface_of(i);
    if (const RowCache::Slot* slot = rows_.Find(keys_[i], surface)) {
      if (slot->IsStop()) continue;
      rows_.Append(*slot, codes);
      codes.word_of.push_back(i);
      continue;
    }
    FoldPlain(surface, folded_[0]);
    const bool has_row = !folded_[0].text.empty();
    if (has_row) {
      words_.assign(1, {folded_[0].text, folded_[0].stem, i, false});
      if (RowCache::Takes(surface)) {
        encoder_->AppendOnce(words_, codes);
      } else {
        encoder_->Append(words_, codes);
      }
    }
    rows_.Keep(keys_[i], surface, has_row, codes);
  }
}

void TurnEncoder::AppendFolded(std::string_view text, EncodedText& codes) {
  const auto& surfaces = plain_.surfaces();
  if (folded_.size() < surfaces.size()) folded_.resize(surfaces.size());
  words_.clear();
  for (std::uint32_t i = 0; i < surfaces.size(); ++i) {
    if (surfaces[i].length == 0) continue;
    FoldPlain(text.substr(surfaces[i].start, surfaces[i].length), folded_[i]);
    if (!folded_[i].text.empty()) words_.push_back({folded_[i].text, folded_[i].stem, i, false});
  }
  encoder_->Append(words_, codes);
}

void TurnEncoder::Append(std::string_view text, std::string_view joined_words,
                         std::span<const std::uint32_t> starts, EncodedTurns& turns) {
  ParseWords(joined_words, words_);
  const std::size_t first_code = turns.codes.stems.size();
  encoder_->Append(words_, turns.codes);
  const std::size_t first_token = turns.tokens.size();
  tokenizer_.Append(text, turns.tokens);
  ends_.clear();
  decoder_.AppendUtf16Ends(std::span(turns.tokens).subspan(first_token), ends_);
  Place(
      first_token, first_code,
      [starts](std::uint32_t word) {
        return starts.empty() ? 0 : starts[std::min<std::size_t>(word, starts.size() - 1)];
      },
      turns);
}

void TurnEncoder::AppendNothing(EncodedTurns& turns) {
  turns.token_counts.push_back(0);
  turns.code_counts.push_back(0);
}

template <typename StartOf>
void TurnEncoder::Place(std::size_t first_token, std::size_t first_code, const StartOf& start_of,
                        EncodedTurns& turns) {
  std::uint32_t token = 0;
  for (std::size_t i = first_code; i < turns.codes.word_of.size(); ++i) {
    const std::uint32_t start = start_of(turns.codes.word_of[i]);
    while (token < ends_.size() && ends_[token] <= start) ++token;
    turns.code_tokens.push_back(token);
  }
  turns.token_counts.push_back(static_cast<std::uint32_t>(turns.tokens.size() - first_token));
  turns.code_counts.push_back(static_cast<std::uint32_t>(turns.codes.stems.size() - first_code));
}

}  // namespace dentate::signatures
