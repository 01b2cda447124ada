// Texts on their way to a thread that encodes them: copies, laid end to end.
//
//   text := nothing | plain text | text with its words (word_list.h) and where each starts
//
// Threads. One at a time.

#ifndef DENTATE_SIGNATURES_TURN_TEXTS_H_
#define DENTATE_SIGNATURES_TURN_TEXTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "signatures/turn_encoder.h"

namespace dentate::signatures {

class TurnTexts {
 public:
  void AddNothing() { End(kNothing); }
  void AddPlain(std::string_view text);
  void AddGiven(std::string_view text, std::string_view joined_words,
                std::span<const std::uint32_t> starts);

  std::size_t size() const noexcept { return items_.size(); }

  // Adds the turn of text i.
  Status Encode(std::size_t i, TurnEncoder& encoder, EncodedTurns& turns) const;

 private:
  enum Kind : std::uint8_t { kNothing, kPlain, kGiven };
  struct Ends {
    std::size_t text, words, starts;
  };
  struct Item {
    Kind kind;
    Ends ends;
  };

  void End(Kind kind);

  std::vector<Item> items_;
  std::string texts_, words_;
  std::vector<std::uint32_t> starts_;
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_TURN_TEXTS_H_
