// Turns as a bank takes them: tokens, and codes co-indexed with them.
//
//   text ─┬► byte pairs ─► tokens ─────────────────────────┐
//         └► words ─► stems ─► signatures, pieces ─► rows ─┴► the token that each row's word is in
//
// Words of plain text are cut here (text/plain_words.h); of other text they are given, made by
// TypeScript. Where a row depends on its word alone, those of plain text are remembered
// (row_cache.h).
//
// Cost: 5 µs for a plain turn of 200 characters, two of them for the byte pairs.
//
// Threads. One object a thread; the vocabulary and the table behind it are shared.

#ifndef DENTATE_SIGNATURES_TURN_ENCODER_H_
#define DENTATE_SIGNATURES_TURN_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "signatures/encoder.h"
#include "signatures/row_cache.h"
#include "text/byte_pair_encoder.h"
#include "text/plain_words.h"
#include "text/token_decoder.h"
#include "text/vocabulary.h"

namespace dentate::signatures {

// Parallel arrays over turns, and over their tokens and codes, concatenated: bank/batch.h.
struct EncodedTurns {
  std::vector<std::uint32_t> token_counts, code_counts;
  std::vector<std::uint32_t> tokens, code_tokens;
  EncodedText codes;  // without vector

  void Clear();
  // Adds all of `other`.
  void Append(const EncodedTurns& other);
  std::size_t SizeInBytes() const noexcept;
};

class TurnEncoder {
 public:
  TurnEncoder(std::shared_ptr<const text::Vocabulary> vocabulary, std::unique_ptr<Encoder> encoder)
      : vocabulary_(std::move(vocabulary)),
        tokenizer_(vocabulary_),
        decoder_(vocabulary_),
        encoder_(std::move(encoder)),
        rows_((encoder_->bits() + 63) / 64) {}

  // Adds a turn. False where the text, UTF-8, is not plain: nothing is added.
  bool AppendPlain(std::string_view text, EncodedTurns& turns);
  // Adds a turn whose words are given (word_list.h), with where each of them starts, in UTF-16
  // units; a word past the last start counts as there.
  void Append(std::string_view text, std::string_view joined_words,
              std::span<const std::uint32_t> starts, EncodedTurns& turns);
  // Adds a turn without text.
  static void AppendNothing(EncodedTurns& turns);

 private:
  void AppendRemembered(std::string_view text, EncodedText& codes);
  void AppendFolded(std::string_view text, EncodedText& codes);
  // Adds, of each code from `first_code` on, the first token that ends after its word's start,
  // and the counts of the turn. Starts ascend, in the same unit as ends_.
  template <typename StartOf>
  void Place(std::size_t first_token, std::size_t first_code, const StartOf& start_of,
             EncodedTurns& turns);

  std::shared_ptr<const text::Vocabulary> vocabulary_;
  text::BytePairEncoder tokenizer_;
  text::TokenDecoder decoder_;
  std::unique_ptr<Encoder> encoder_;
  RowCache rows_;
  std::vector<RowCache::Key> keys_;
  text::PlainWords plain_;
  std::vector<text::PlainWord> folded_;
  std::vector<ListedWord> words_;
  std::vector<std::uint32_t> ends_;  // of the turn's tokens
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_TURN_ENCODER_H_
