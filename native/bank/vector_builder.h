// Builds the vectors of entries from their codes.
//
//   v(e)  the sum of the weighted vectors of e's codes and of the words of its speaker's name, at
//         unit length, in whole numbers (entry_vectors.h keeps it)
//
// Entries that follow each other are built together: their codes come out of the stream in one
// piece, and the pieces of all are known before the first row of the table is read, so that the
// rows can be asked for ahead.
//
// Cost. About 0.1 µs a code, most of it waiting for memory.
//
// Threads. One builder a thread; several may build the same entry, and get the same.

#ifndef DENTATE_BANK_VECTOR_BUILDER_H_
#define DENTATE_BANK_VECTOR_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/part.h"
#include "signatures/vector_sum.h"
#include "signatures/word_vectors.h"

namespace dentate::bank {

class VectorBuilder {
 public:
  // Entries of a part that are built together, at most.
  static constexpr std::uint32_t kMostEntries = 32;

  // Builds entries [begin, end) of the part and keeps them there: afterwards each is in
  // part.entry_vectors(), or another thread is about to put it there. Their rows are also in
  // rows(), until the next call. REQUIRES: end - begin <= kMostEntries.
  void Build(const Part& part, std::uint32_t begin, std::uint32_t end,
             const signatures::WordVectors& vectors);

  // Of the last call: one row after another, of the vectors' dimensions each.
  std::span<const std::int8_t> rows() const noexcept { return rows_; }

  std::size_t SizeInBytes() const noexcept;

 private:
  // A word and where its pieces end in pieces_; they begin where those of the word before end.
  struct Word {
    std::uint64_t stem;
    std::uint32_t pieces_end;
  };
  // Adds a word whose pieces are word_pieces_.
  void PushWord(std::uint64_t stem);
  std::span<const std::uint32_t> PiecesOf(std::size_t word) const noexcept;

  signatures::VectorSum sum_;
  std::vector<std::uint32_t> codes_;
  std::vector<Word> words_;
  std::vector<std::uint32_t> pieces_;
  std::vector<std::uint32_t> word_pieces_;
  std::vector<std::size_t> word_ends_;  // by entry
  std::vector<float> unit_;
  std::vector<std::int8_t> rows_;
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_VECTOR_BUILDER_H_
