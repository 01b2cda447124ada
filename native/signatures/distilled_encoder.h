// The default encoder: a word's signature is the sign pattern of its distilled vector.
//
// Three kinds of words:
//   known       the table has pieces for it: similar words have similar signatures;
//   unknown     numbers, identifiers, names, other scripts: a vector drawn from the key of the
//   stem,
//               so that it is like itself and like nothing else;
//   with pairs  of a script without spaces (script.h): unknown, and each pair of consecutive
//               characters is a row of its own. A pair has the stem of the word that it is.
//
// A signature doesn't depend on the words around it, so it is computed once and kept in a cache of
// two generations: when the young one is full it becomes the old one, and what is found in the old
// one moves over. At most 2 · kGeneration words are kept, some 300 bytes each; AppendOnce keeps
// none, but of words with pairs.
//
// The mean vector is Σ weight(w)·vector(w) over the rows, pairs too, then scaled to unit length. It
// follows from the rows' pieces and stems alone (word_vectors.h).
//
// Cost: about 0.2 µs for a word in the cache, 4 µs for another.

#ifndef DENTATE_SIGNATURES_DISTILLED_ENCODER_H_
#define DENTATE_SIGNATURES_DISTILLED_ENCODER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "signatures/distilled_table.h"
#include "signatures/encoder.h"
#include "signatures/sign_projection.h"
#include "signatures/vector_sum.h"

namespace dentate::signatures {

class DistilledEncoder final : public Encoder {
 public:
  static constexpr std::size_t kGeneration = 8192;

  DistilledEncoder(std::shared_ptr<const DistilledTable> table, std::size_t bits);

  std::size_t bits() const noexcept override { return projection_.bits(); }
  bool has_window() const noexcept override { return false; }
  std::size_t dimensions() const noexcept override { return projection_.dimensions(); }
  void Append(std::span<const ListedWord> words, EncodedText& encoded) override;
  void AppendOnce(std::span<const ListedWord> words, EncodedText& encoded) override;
  void EncodeQuery(std::span<const ListedWord> words, EncodedText& encoded) override;
  // Words in the cache.
  std::size_t kept() const noexcept { return young_.size() + old_.size(); }

 protected:
  void SetVector(EncodedText& encoded) override;

 private:
  // What is kept of a word.
  struct Form {
    std::uint64_t stem;                     // matters to unknown words alone
    std::vector<std::uint64_t> signatures;  // of the word, then of its pairs
    std::vector<std::uint64_t> pair_stems;
    std::vector<std::uint32_t> pieces;  // none: unknown
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };
  using Forms = std::unordered_map<std::string, Form, TextHash, std::equal_to<>>;

  const Form& FormOf(std::string_view text, std::uint64_t stem);
  Form MakeForm(std::string_view text, std::uint64_t stem);
  void AppendSignature(std::span<const std::uint32_t> pieces, std::uint64_t stem,
                       std::vector<std::uint64_t>& signatures);
  static void Push(const Form& form, std::uint64_t stem, std::uint32_t index, EncodedText& encoded);
  void PushWord(std::string_view text, std::uint64_t stem, std::uint32_t index,
                EncodedText& encoded) {
    Push(FormOf(text, stem), stem, index, encoded);
  }
  void PushJoint(std::string_view before, const ListedWord& word, EncodedText& encoded);

  std::shared_ptr<const DistilledTable> table_;
  SignProjection projection_;
  Forms young_;
  Forms old_;
  std::vector<std::int32_t> vector_;   // of the word at hand
  std::vector<std::int32_t> scratch_;  // of the projection
  std::vector<std::int32_t> turned_;
  std::vector<std::size_t> offsets_;  // of the characters of the word at hand
  VectorSum sum_;
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_DISTILLED_ENCODER_H_
