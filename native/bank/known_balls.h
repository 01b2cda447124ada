// What another device has found already of the balls of a query's signatures: of some parts, the
// codes below one are known, and FindBall scans the others alone. The answer is the same.
//
//   part 7   below 5000   offsets 0 .. q     codes, distances of signature i: [offsets[i],
//   part 9   below 120    ...                offsets[i + 1])
//
// Parts go by their ids (part.h), which are never given twice: what was found in one that is gone
// says nothing of another.

#ifndef DENTATE_BANK_KNOWN_BALLS_H_
#define DENTATE_BANK_KNOWN_BALLS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/ball.h"

namespace dentate::bank {

struct KnownBalls {
  struct OfPart {
    std::uint64_t part = 0;
    std::uint32_t below = 0;
    std::vector<std::uint32_t> offsets;  // one more than the query has signatures
    std::vector<std::uint32_t> codes;
    std::vector<std::uint16_t> distances;
  };
  std::vector<OfPart> parts;

  // Nothing, where the part is not among them.
  KnownCodes Of(std::uint64_t part, std::size_t signature) const noexcept {
    for (const OfPart& of : parts) {
      if (of.part != part) continue;
      const std::size_t begin = of.offsets[signature];
      const std::size_t count = of.offsets[signature + 1] - begin;
      return {of.below, std::span(of.codes).subspan(begin, count),
              std::span(of.distances).subspan(begin, count)};
    }
    return {};
  }
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_KNOWN_BALLS_H_
