#include "old_bank/dense_search.h"

#include <algorithm>
#include <cmath>

#include "vectors/dot.h"

namespace dentate::old_bank {
namespace {

constexpr std::uint32_t kNone = EntryTable::kNone;

void Dots(const DenseStore& dense, std::uint32_t size, float factor, Scratch& scratch) {
  const auto& kernels = vectors::ActiveKernels();
  scratch.integer_dots.resize(size);
  scratch.dots.resize(size);
  for (std::uint32_t entry = 0; entry < size;) {
    const std::size_t count = dense.rows().RunLength(entry, size);
    kernels.dots(scratch.query_vector.data(), dense.rows().Row(entry), dense.dimensions(), count,
                 scratch.integer_dots.data() + entry);
    entry += static_cast<std::uint32_t>(count);
  }
  for (std::uint32_t entry = 0; entry < size;) {
    for (const auto& lengths : dense.LengthsRun(entry, size)) {
      scratch.dots[entry] =
          static_cast<float>(scratch.integer_dots[entry]) * lengths.scale * factor;
      ++entry;
    }
  }
}

// The window of an entry whose session others interrupt nearby.
float WindowByLinks(const EntryTable& entries, const DenseStore& dense, std::uint32_t size,
                    std::uint32_t entry, std::span<const float> dots) {
  float sum = dots[entry];
  std::uint32_t at = entry;
  for (const float weight : {DenseStore::kNear, DenseStore::kFar}) {
    if (at != kNone) at = entries.previous(at);
    if (at != kNone) sum += weight * dots[at];
  }
  at = entry;
  std::size_t followers = 0;
  for (const float weight : {DenseStore::kNear, DenseStore::kFar}) {
    if (at != kNone) at = entries.next(at, size);
    if (at != kNone) {
      sum += weight * dots[at];
      ++followers;
    }
  }
  return sum * dense.lengths(entry).inverse_length[followers];
}

}  // namespace

void DenseScores(const Bank& bank, std::uint32_t size, std::span<const float> query,
                 Scratch& scratch) {
  scratch.dense_scores.assign(size, 0.0F);
  scratch.query_vector.resize(query.size());
  const float scale = vectors::QuantizeQuery(query, scratch.query_vector);
  double squared = 0;
  for (const std::int16_t value : scratch.query_vector)
    squared += double{scale} * scale * value * value;
  if (squared == 0) return;

  const DenseStore& dense = bank.dense();
  const EntryTable& entries = bank.entries();
  Dots(dense, size, static_cast<float>(scale / std::sqrt(squared)), scratch);
  const std::span<const float> dots = scratch.dots;
  for (std::uint32_t begin = 0; begin < size;) {
    std::uint32_t end = begin + 1;
    while (end < size && entries.run_begin(end) == begin) ++end;
    const bool continues = entries.next(end - 1, size) != kNone;
    const bool continued = entries.previous(begin) != kNone;
    for (std::uint32_t entry = begin; entry < end; ++entry) {
      const std::uint32_t before = entry - begin;
      const std::uint32_t after = end - 1 - entry;
      if ((continued && before < 2) || (continues && after < 2)) {
        scratch.dense_scores[entry] = WindowByLinks(entries, dense, size, entry, dots);
        continue;
      }
      float sum = dots[entry];
      if (before > 0) sum += DenseStore::kNear * dots[entry - 1];
      if (before > 1) sum += DenseStore::kFar * dots[entry - 2];
      if (after > 0) sum += DenseStore::kNear * dots[entry + 1];
      if (after > 1) sum += DenseStore::kFar * dots[entry + 2];
      scratch.dense_scores[entry] =
          sum * dense.lengths(entry).inverse_length[std::min<std::uint32_t>(after, 2)];
    }
    begin = end;
  }
}

}  // namespace dentate::old_bank
