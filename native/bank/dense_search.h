// Dense scores: the cosine of the question's vector and an entry's window.
//
//   v(e)  the entry's vector: the sum of its words' and its speaker's name's weighted vectors, at
//         unit length, rounded to int8 (entry_vectors.h keeps it)
//   w(e)  v(e) + 0.5 of each neighbour + 0.25 of the next ones, within the session
//
//   cosine = <q, w(e)> / (|q| |w(e)|), where
//   <q, w>  = sum of c_i <q, v_i>           over the up to five entries of the window, oldest first
//   |w|^2   = sum of c_i c_j <v_i, v_j>
//
// All inner products are of whole numbers, so that they don't depend on the machine, and sums go
// in the session's order, so that they don't depend on how the bank is cut into parts.
//
// Cost of an entry. Its five vectors, where nobody has built them yet, about a microsecond each (13
// codes a turn: reading them from the stream is half of it); then 15 inner products, 0.3 µs.

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
  std::vector<std::int8_t> rows;      // of a window, oldest first
  std::vector<std::int16_t> widened;  // one of them
  std::vector<std::int16_t> query;

  std::size_t SizeInBytes() const noexcept;
};

// The vector of a part's entry, from memory or built and kept. REQUIRES: row.size() is the
// dimensions.
EntryVectors::Head EntryVector(const Part& part, std::uint32_t entry,
                               const signatures::WordVectors& vectors, VectorScratch& scratch,
                               std::span<std::int8_t> row);

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
  static constexpr std::array<double, kSide + 1> kWeights{1, 0.5, 0.25};  // by distance

  struct Window {
    std::array<std::uint32_t, kWindow> slots;  // oldest first
    std::array<double, kWindow> weights;
    std::size_t count = 0;
    void Push(std::uint32_t slot, double weight) {
      slots[count] = slot;
      weights[count++] = weight;
    }
  };
  Window WindowOf(std::uint32_t slot) const;

  const Slots& slots_;
  const signatures::WordVectors& vectors_;
  VectorScratch& scratch_;
  double query_scale_ = 0;  // of the rounded query, over its length
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_DENSE_SEARCH_H_
