#include "bank/dense_search.h"

#include <cmath>

#include "vectors/dot.h"

namespace dentate::bank {

std::size_t VectorScratch::SizeInBytes() const noexcept {
  return (codes.capacity() + pieces.capacity()) * sizeof(std::uint32_t) +
         unit.capacity() * sizeof(float) + rows.capacity() +
         query.capacity() * sizeof(std::int16_t);
}

const std::int8_t* EntryVector(const Part& part, std::uint32_t entry,
                               const signatures::WordVectors& vectors, VectorScratch& scratch,
                               std::span<std::int8_t> room) {
  const std::int8_t* const kept = part.entry_vectors().Find(entry, room.size());
  if (kept != nullptr) return kept;
  scratch.sum.Begin(room.size());
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
  scratch.unit.resize(room.size());
  scratch.sum.Unit(scratch.unit);
  for (std::size_t k = 0; k < room.size(); ++k) {
    // Half away from zero: what a conversion does after half has been added needs no rounding mode.
    const float scaled = scratch.unit[k] * EntryVectors::kScale;
    room[k] = static_cast<std::int8_t>(scaled < 0 ? scaled - 0.5F : scaled + 0.5F);
  }
  part.entry_vectors().Keep(entry, room);
  return room.data();
}

DenseSearch::DenseSearch(const Slots& slots, const signatures::WordVectors& vectors,
                         std::span<const float> query, VectorScratch& scratch)
    : slots_(slots), vectors_(vectors), scratch_(scratch) {
  scratch_.query.resize(query.size());
  scratch_.rows.resize(kWindow * query.size());
  vectors::QuantizeQuery(query, scratch_.query);
  double squared = 0;
  for (const double value : scratch_.query) squared += value * value;
  if (squared > 0) inverse_length_ = 1 / std::sqrt(squared);
}

void DenseSearch::Push(const Slots::Placed& placed, std::uint32_t slot, std::size_t distance,
                       Window& window) {
  const std::size_t dimensions = scratch_.query.size();
  const auto room = std::span(scratch_.rows).subspan(window.count * dimensions, dimensions);
  window.rows[window.count] =
      EntryVector(*placed.part, slot - placed.first_slot, vectors_, scratch_, room);
  window.weights[window.count++] = kWeights[distance];
}

float DenseSearch::Cosine(std::uint32_t slot) {
  Window window;
  const Slots::Placed& placed = slots_.PartOf(slot);
  const Slots::Stretch stretch = slots_.StretchOf(placed, slot, kSide);
  Push(placed, slot, 0, window);
  if (stretch.whole) {
    for (std::uint32_t k = 1; k <= stretch.left; ++k) Push(placed, slot - k, k, window);
    for (std::uint32_t k = 1; k <= stretch.right; ++k) Push(placed, slot + k, k, window);
  } else {
    std::uint32_t at = slots_.Previous(slot);
    for (std::size_t k = 1; k <= kSide && at != kNone; ++k, at = slots_.Previous(at)) {
      Push(at, k, window);
    }
    at = slots_.Next(slot);
    for (std::size_t k = 1; k <= kSide && at != kNone; ++k, at = slots_.Next(at)) {
      Push(at, k, window);
    }
  }
  std::int32_t inner = 0;
  std::int32_t squared = 0;
  vectors::ActiveKernels().window(scratch_.query.data(), window.rows.data(), window.weights.data(),
                                  window.count, scratch_.query.size(), &inner, &squared);
  if (squared == 0) return 0;
  return static_cast<float>(inner * inverse_length_ / std::sqrt(static_cast<double>(squared)));
}

}  // namespace dentate::bank
