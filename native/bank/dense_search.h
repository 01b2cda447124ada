// Dense scores: the cosine of the question's vector and an entry's window.
//
//   v(e)  the entry's vector: the sum of its words' and its speaker's name's weighted vectors, at
//         unit length, rounded to 127ths (entry_vectors.h keeps it)
//   w(e)  v(e) + 0.5 of each neighbour + 0.25 of the next ones, within the session
//
//   cosine = <q, w(e)> / (|q| |w(e)|)
//
// The inner products are of whole numbers (4 w(e), and q in 12 bits), so that they depend neither
// on the kernel nor on how the bank is cut into parts.
//
// Cost of an entry. Its vectors, where nobody has built them yet, one or two microseconds each for
// a turn of 13 codes, half of that for reading them from the stream; then about 0.1 µs.

#ifndef DENTATE_BANK_DENSE_SEARCH_H_
#define DENTATE_BANK_DENSE_SEARCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/slots.h"
#include "signatures/vector_sum.h"
#include "signatures/word_vectors.h"

namespace dentate::bank {

// The working memory of one thread.
struct VectorScratch {
  signatures::VectorSum sum;
  std::vector<std::uint32_t> codes;
  std::vector<std::uint32_t> pieces;
  std::vector<float> unit;
  std::vector<std::int8_t> rows;  // of a window, those that have no other place
  std::vector<std::int16_t> query;

  std::size_t SizeInBytes() const noexcept;
};

// The vector of a part's entry: from memory, or built in `room` and kept. REQUIRES: room.size() is
// the dimensions.
const std::int8_t* EntryVector(const Part& part, std::uint32_t entry,
                               const signatures::WordVectors& vectors, VectorScratch& scratch,
                               std::span<std::int8_t> room);

class DenseSearch {
 public:
  // REQUIRES: query.size() is the dimensions of `vectors`; both outlive this, as does `scratch`.
  DenseSearch(const Slots& slots, const signatures::WordVectors& vectors,
              std::span<const float> query, VectorScratch& scratch);

  // The cosine of the question and the window of a current entry; 0 where either is zero.
  float Cosine(std::uint32_t slot);

 private:
  static constexpr std::size_t kSide = 2;
  static constexpr std::size_t kWindow = 2 * kSide + 1;
  static constexpr std::array<std::int16_t, kSide + 1> kWeights{4, 2, 1};  // by distance

  struct Window {
    std::array<const std::int8_t*, kWindow> rows;
    std::array<std::int16_t, kWindow> weights;
    std::size_t count = 0;
  };
  void Push(const Slots::Placed& placed, std::uint32_t slot, std::size_t distance, Window& window);
  void Push(std::uint32_t slot, std::size_t distance, Window& window) {
    Push(slots_.PartOf(slot), slot, distance, window);
  }

  const Slots& slots_;
  const signatures::WordVectors& vectors_;
  VectorScratch& scratch_;
  double inverse_length_ = 0;  // of the rounded query
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_DENSE_SEARCH_H_
