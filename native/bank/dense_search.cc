#include "bank/dense_search.h"

#include <cmath>

#include "vectors/dot.h"

namespace dentate::bank {

std::size_t VectorScratch::SizeInBytes() const noexcept {
  return (codes.capacity() + pieces.capacity()) * sizeof(std::uint32_t) +
         unit.capacity() * sizeof(float) + rows.capacity() +
         (widened.capacity() + query.capacity()) * sizeof(std::int16_t);
}

EntryVectors::Head EntryVector(const Part& part, std::uint32_t entry,
                               const signatures::WordVectors& vectors, VectorScratch& scratch,
                               std::span<std::int8_t> row) {
  EntryVectors::Head head;
  if (part.entry_vectors().Find(entry, row, head)) return head;
  scratch.sum.Begin(row.size());
  const auto add = [&](std::uint64_t stem) { scratch.sum.Add(vectors, scratch.pieces, stem); };
  const Interval32 span = part.CodeSpan(entry);
  scratch.codes.clear();
  part.Codes(span.begin, span.end, scratch.codes, nullptr);
  for (const std::uint32_t code : scratch.codes) {
    scratch.pieces.clear();
    part.Pieces(code, scratch.pieces);
    add(part.Stem(code));
  }
  const std::uint32_t speaker = part.Row(entry).speaker;
  if (speaker != kNone) {
    for (std::uint32_t word = 0; word < part.speaker_word_count(speaker); ++word) {
      scratch.pieces.clear();
      part.SpeakerWordPieces(speaker, word, scratch.pieces);
      add(part.SpeakerWordStem(speaker, word));
    }
  }
  scratch.unit.resize(row.size());
  scratch.sum.Unit(scratch.unit);
  head.scale = vectors::QuantizeRow(scratch.unit, row);
  for (const std::int8_t value : row) head.squared += std::int32_t{value} * std::int32_t{value};
  part.entry_vectors().Keep(entry, row, head);
  return head;
}

DenseSearch::DenseSearch(const Slots& slots, const signatures::WordVectors& vectors,
                         std::span<const float> query, VectorScratch& scratch)
    : slots_(slots), vectors_(vectors), scratch_(scratch) {
  scratch_.query.resize(query.size());
  scratch_.widened.resize(query.size());
  scratch_.rows.resize(kWindow * query.size());
  const double scale = vectors::QuantizeQuery(query, scratch_.query);
  double squared = 0;
  for (const std::int16_t value : scratch_.query) squared += scale * scale * value * value;
  if (squared > 0) query_scale_ = scale / std::sqrt(squared);
}

DenseSearch::Window DenseSearch::WindowOf(std::uint32_t slot) const {
  Window window;
  const Slots::Stretch stretch = slots_.StretchOf(slots_.PartOf(slot), slot, kSide);
  if (stretch.whole) {
    for (std::uint32_t k = stretch.left; k > 0; --k) window.Push(slot - k, kWeights[k]);
    for (std::uint32_t k = 0; k <= stretch.right; ++k) window.Push(slot + k, kWeights[k]);
    return window;
  }
  std::array<std::uint32_t, kSide> before;
  std::size_t count = 0;
  for (std::uint32_t at = slots_.Previous(slot); count < kSide && at != kNone;) {
    before[count++] = at;
    at = slots_.Previous(at);
  }
  for (std::size_t k = count; k > 0; --k) window.Push(before[k - 1], kWeights[k]);
  window.Push(slot, kWeights[0]);
  std::uint32_t at = slots_.Next(slot);
  for (std::size_t k = 1; k <= kSide && at != kNone; ++k) {
    window.Push(at, kWeights[k]);
    at = slots_.Next(at);
  }
  return window;
}

float DenseSearch::Cosine(std::uint32_t slot) {
  const std::size_t dimensions = scratch_.query.size();
  const Window window = WindowOf(slot);
  std::array<EntryVectors::Head, kWindow> heads;
  std::array<double, kWindow> factors;  // weight and scale
  for (std::size_t i = 0; i < window.count; ++i) {
    const Slots::Placed& placed = slots_.PartOf(window.slots[i]);
    heads[i] = EntryVector(*placed.part, window.slots[i] - placed.first_slot, vectors_, scratch_,
                           std::span(scratch_.rows).subspan(i * dimensions, dimensions));
    factors[i] = window.weights[i] * double{heads[i].scale};
  }
  const auto dots = vectors::ActiveKernels().dots;
  std::array<std::int32_t, kWindow> products;
  dots(scratch_.query.data(), scratch_.rows.data(), dimensions, window.count, products.data());
  double inner = 0;
  for (std::size_t i = 0; i < window.count; ++i) inner += factors[i] * products[i];
  double squared = 0;
  for (std::size_t i = 0; i < window.count; ++i) {
    squared += factors[i] * factors[i] * heads[i].squared;
    const std::int8_t* row = scratch_.rows.data() + i * dimensions;
    for (std::size_t k = 0; k < dimensions; ++k) scratch_.widened[k] = row[k];
    dots(scratch_.widened.data(), row + dimensions, dimensions, window.count - 1 - i,
         products.data());
    for (std::size_t j = i + 1; j < window.count; ++j) {
      squared += 2 * factors[i] * factors[j] * products[j - 1 - i];
    }
  }
  // What is left of vectors that cancel out is rounding, and has no direction.
  return squared > 1e-20 ? static_cast<float>(inner * query_scale_ / std::sqrt(squared)) : 0.0F;
}

}  // namespace dentate::bank
