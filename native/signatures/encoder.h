// What every signature encoder does: words in, signatures out.

#ifndef DENTATE_SIGNATURES_ENCODER_H_
#define DENTATE_SIGNATURES_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "signatures/word_list.h"

namespace dentate::signatures {

// Row i of each array belongs together; a word may have several rows. Reused between calls.
struct EncodedText {
  std::vector<std::uint64_t> signatures;    // ceil(bits / 64) words a row, high bits 0
  std::vector<std::uint64_t> stems;         // HashText of the stem: equal stems are the same word
  std::vector<std::uint32_t> word_of;       // ListedWord::index
  std::vector<std::uint32_t> pieces;        // what the row's vector follows from (word_vectors.h):
                                            // those of all rows, concatenated
  std::vector<std::uint32_t> piece_counts;  // one a row
  std::vector<float> vector;                // mean of the rows, unit length; empty without one

  void Clear() {
    signatures.clear();
    stems.clear();
    word_of.clear();
    pieces.clear();
    piece_counts.clear();
    vector.clear();
  }
};

// A row that repeats a stem is dropped: each word of a question counts once. `words` is the number
// of 64-bit words in a row.
void DropRepeatedStems(std::size_t words, EncodedText& encoded);

// Not thread-safe: one instance for each JavaScript thread.
class Encoder {
 public:
  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  virtual std::size_t bits() const noexcept = 0;
  // Whether a word's row in a stored text depends on the words around it.
  virtual bool has_window() const noexcept = 0;
  // Of the mean vector; 0 where there is none.
  virtual std::size_t dimensions() const noexcept = 0;

  // Adds the rows of a text that is stored behind those that are there; not the vector.
  virtual void Append(std::span<const ListedWord> words, EncodedText& encoded) = 0;
  // The same for words that the caller remembers: keeping them here, too, would take room for
  // nothing.
  virtual void AppendOnce(std::span<const ListedWord> words, EncodedText& encoded) {
    Append(words, encoded);
  }
  // Replaces `encoded` by a text that is stored.
  void Encode(std::span<const ListedWord> words, EncodedText& encoded);
  // Replaces `encoded` by a question: each word stands for itself, whatever its neighbours, and
  // counts once.
  virtual void EncodeQuery(std::span<const ListedWord> words, EncodedText& encoded) = 0;

 protected:
  // Makes the mean vector of the rows.
  virtual void SetVector(EncodedText& encoded) = 0;
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_ENCODER_H_
