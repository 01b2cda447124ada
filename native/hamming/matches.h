// What a search returns, and how it is to be run.

#ifndef DENTATE_HAMMING_MATCHES_H_
#define DENTATE_HAMMING_MATCHES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hamming/scan.h"

namespace dentate::hamming {

// Parallel: the i-th match is row ids[i] at distances[i] bits.
struct Matches {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint16_t> distances;
};

struct SearchOptions {
  unsigned threads = 1;  // at most; a small search uses fewer
  Cancelled cancelled;   // asked from every thread of the search
};

}  // namespace dentate::hamming

#endif  // DENTATE_HAMMING_MATCHES_H_
