// The vector of a word, from what the bank keeps of it.
//
// A code carries the word's pieces (rows of an encoder's table) and its stem. That is all its
// vector depends on, so that the vector of an entry is a sum over its codes and need not be stored:
//
//   vector(entry) = sum of weight(w) * vector(w) over its words w, at unit length
//
// Sums are of whole numbers: they depend neither on the order nor on the machine (vector_sum.h).
//
// Threads: any.

#ifndef DENTATE_SIGNATURES_WORD_VECTORS_H_
#define DENTATE_SIGNATURES_WORD_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace dentate::signatures {

class WordVectors {
 public:
  // No component of one weighted vector is greater, so that kWordsPerSum of them fit an int32.
  static constexpr std::int32_t kMaxComponent = 1 << 22;
  static constexpr std::size_t kWordsPerSum = 511;

  WordVectors() = default;
  WordVectors(const WordVectors&) = delete;
  WordVectors& operator=(const WordVectors&) = delete;
  virtual ~WordVectors() = default;

  virtual std::size_t dimensions() const noexcept = 0;

  // sum += weight * vector of the word that consists of these pieces; of a word without pieces,
  // what is drawn from its stem. A piece that the table does not have counts as zeros.
  // REQUIRES: sum.size() == dimensions().
  virtual void AddWeighted(std::span<const std::uint32_t> pieces, std::uint64_t stem,
                           std::span<std::int32_t> sum) const = 0;

  // Asks for the memory that AddWeighted of these pieces will read.
  virtual void Prefetch(std::span<const std::uint32_t> pieces) const noexcept = 0;
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_WORD_VECTORS_H_
