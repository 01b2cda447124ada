// One level of a matrix as quad_view.h draws it: written, and checked.

#ifndef DENTATE_SUCCINCT_QUAD_LEVEL_H_
#define DENTATE_SUCCINCT_QUAD_LEVEL_H_

#include <cstdint>
#include <span>

#include "core/status.h"
#include "succinct/kernels.h"
#include "succinct/quad_view.h"
#include "succinct/wavelet_format.h"

namespace dentate::succinct {

// Where a level of n digits goes: zeroed memory of the sizes that wavelet_format.h derives from n.
struct QuadLevelOut {
  std::uint64_t* lines;
  std::uint32_t* supers;
  std::uint32_t* samples;  // null: none, and nothing can be selected
};

constexpr std::uint32_t LineCountOf(std::uint32_t size) { return size / kLineDigitCount + 1; }
constexpr std::uint32_t SuperCountOf(std::uint32_t size) {
  return size / kLineDigitCount / kLinesPerSuper + 1;
}
constexpr std::uint32_t SampleCountOf(std::uint32_t size) {
  return size / kPositionsPerSample + (size % kPositionsPerSample != 0 ? 1 : 0);
}

// Packs digit (symbol >> shift) & 3 of the symbols, which are in the level's order, into lines, and
// counts them.
void PackLevel(std::span<const std::uint32_t> symbols, std::uint32_t shift,
               const QuadLevelOut& out);
// Fills the samples and, unless it is null, `next` with the symbols in the next level's order:
// sorted stably by the digit. REQUIRES: PackLevel was called.
void SortLevel(std::span<const std::uint32_t> symbols, std::uint32_t shift, const QuadLevelOut& out,
               std::uint32_t* next);

// Whether the counts of a level are those of its digits, and no digit lies past its end.
Status CheckLevel(const QuadView& view, std::uint32_t level, const Kernels& kernels);
// The same for its samples. REQUIRES: CheckLevel passed.
Status CheckSamples(const QuadView& view, std::uint32_t level, const Kernels& kernels);

}  // namespace dentate::succinct

#endif  // DENTATE_SUCCINCT_QUAD_LEVEL_H_
