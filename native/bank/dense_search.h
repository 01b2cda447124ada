// Dense scores: the cosine of the question's vector and an entry's window.
//
//   v(e)  the entry's vector (vector_builder.h)
//   w(e)  v(e) + 0.5 of each neighbour + 0.25 of the next ones, within the session
//
//   cosine = <q, w(e)> / (|q| |w(e)|)
//
// The inner products are of whole numbers (4 w(e), and q in 12 bits), so that they depend neither
// on the kernel nor on how the bank is cut into parts.
//
// Cost of an entry. Its vectors, where nobody has built them yet; then about 0.1 µs.

#ifndef DENTATE_BANK_DENSE_SEARCH_H_
#define DENTATE_BANK_DENSE_SEARCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/query.h"
#include "bank/slots.h"
#include "bank/vector_builder.h"
#include "signatures/word_vectors.h"

namespace dentate::bank {

// The working memory of one thread.
struct DenseScratch {
  VectorBuilder builder;
  std::vector<std::int16_t> query;
  std::vector<Slots::Stretch> stretches;  // of the slots that are scored
  std::vector<std::uint32_t> missing;     // slots without a vector
  std::vector<std::int8_t> rows;          // of a window, those that have no other place yet

  std::size_t SizeInBytes() const noexcept;
};

class DenseSearch {
 public:
  // REQUIRES: query.size() is the dimensions of `vectors`; all outlive this.
  DenseSearch(const Slots& slots, const signatures::WordVectors& vectors,
              std::span<const float> query, DenseScratch& scratch);

  // Sets cosines[slot], for each of `chosen`, to the cosine of the question and the slot's window;
  // 0 where either is zero. False if given up. REQUIRES: current slots, ascending.
  bool Score(std::span<const std::uint32_t> chosen, const Cancelled& cancelled,
             std::span<float> cosines);

 private:
  static constexpr std::size_t kSide = 2;
  static constexpr std::size_t kWindow = 2 * kSide + 1;
  static constexpr std::array<std::int16_t, kSide + 1> kWeights{4, 2, 1};  // by distance

  struct Window {
    std::array<const std::int8_t*, kWindow> rows;
    std::array<std::int16_t, kWindow> weights;
    std::size_t count = 0;
  };
  void FindMissing(std::span<const std::uint32_t> chosen);
  bool BuildMissing(const Cancelled& cancelled);
  float Cosine(std::uint32_t slot, const Slots::Stretch& stretch);
  void Push(const Slots::Placed& placed, std::uint32_t slot, std::size_t distance, Window& window);
  void Push(std::uint32_t slot, std::size_t distance, Window& window) {
    Push(slots_.PartOf(slot), slot, distance, window);
  }

  const Slots& slots_;
  const signatures::WordVectors& vectors_;
  DenseScratch& scratch_;
  double inverse_length_ = 0;  // of the rounded query
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_DENSE_SEARCH_H_
