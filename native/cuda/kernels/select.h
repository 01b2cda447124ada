// The best keys of each list, in order: a block a list, which sorts it in shared memory.
//
// Bitonic (Batcher, AFIPS 1968): log²(n)/2 steps, each a compare-exchange of n/2 pairs and a
// barrier; for a full list of 8,192 keys 91 steps. Lists are mostly a few hundred keys long.

#ifndef DENTATE_CUDA_KERNELS_SELECT_H_
#define DENTATE_CUDA_KERNELS_SELECT_H_

#include "cuda/keys.h"
#include "cuda/launches.h"

namespace dentate::cuda {

// REQUIRES: count is a power of two. Ends with a barrier.
template <class Thread>
DENTATE_DEVICE void SortAscending(Thread& thread, std::uint64_t* keys, std::uint32_t count) {
  for (std::uint32_t run = 2; run <= count; run *= 2) {
    for (std::uint32_t stride = run / 2; stride > 0; stride /= 2) {
      for (std::uint32_t i = thread.index(); i < count / 2; i += thread.size()) {
        const std::uint32_t low = 2 * i - (i & (stride - 1));
        const std::uint64_t a = keys[low];
        const std::uint64_t b = keys[low + stride];
        if ((a > b) == ((low & run) == 0)) {
          keys[low] = b;
          keys[low + stride] = a;
        }
      }
      thread.Sync();
    }
  }
}

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const Select& p) {
  auto* const sorted = reinterpret_cast<std::uint64_t*>(thread.shared());
  for (std::uint32_t list = thread.block(); list < p.lists; list += thread.blocks()) {
    const std::uint32_t wanted = p.filled == kCounted ? p.counts[list] : p.filled;
    const std::uint32_t count = wanted < p.capacity ? wanted : p.capacity;
    std::uint32_t padded = 1;
    while (padded < count) padded *= 2;
    std::uint64_t* const keys = p.keys + static_cast<std::size_t>(list) * p.capacity;
    for (std::uint32_t i = thread.index(); i < padded; i += thread.size()) {
      sorted[i] = i < count ? keys[i] : kNoKey;
    }
    thread.Sync();
    SortAscending(thread, sorted, padded);
    const std::uint32_t kept = count < p.keep ? count : p.keep;
    for (std::uint32_t i = thread.index(); i < kept; i += thread.size()) keys[i] = sorted[i];
    if (thread.index() == 0) {
      if (wanted > p.capacity) *p.overflow = 1;
      p.counts[list] = kept;
      p.limits[list] = count >= p.keep && p.keep > 0 ? sorted[p.keep - 1] : kNoKey;
    }
    thread.Sync();  // the next list takes the same memory
  }
}

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_KERNELS_SELECT_H_
