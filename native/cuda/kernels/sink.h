// How a scan hands on its matches without ever writing all scores: a limit, and a list a query.
//
// A search of the best k runs in rounds over ever more rows. The first round takes every row
// ("dense": row i has place i, no counting). After each round Select (select.h) keeps the best k of
// each list and makes the last of them the limit; in the next round only what is below it is
// appended, by an atomic count. Over rows in random order a round from n to g·n rows appends about
// k·(g - 1) keys a query, so that a dozen of a million rows cost a write; whatever the order, a
// list that overflows is noticed, and the round is done again in pieces that can't
// (top_k_rounds.h).
//
// Why this and not a heap in each block: the scan then has no barrier, no shared state but two
// words a query, and runs at the speed of its loads. The limit never changes within a launch, so
// that what is appended depends on the data alone.

#ifndef DENTATE_CUDA_KERNELS_SINK_H_
#define DENTATE_CUDA_KERNELS_SINK_H_

#include "cuda/keys.h"
#include "cuda/launches.h"

namespace dentate::cuda {

// `row` is that of the tile, from `begin` on.
template <class Thread>
DENTATE_DEVICE void Offer(Thread& thread, const Sink& sink, std::uint32_t query,
                          std::uint32_t begin, std::uint32_t row, std::uint64_t key) {
  const std::size_t list = static_cast<std::size_t>(query) * sink.capacity;
  if (sink.dense != 0) {
    sink.keys[list + sink.dense_at + (row - begin)] = key;
  } else if (key < sink.limits[query]) {
    const std::uint32_t place = thread.AtomicAdd(&sink.counts[query], 1);
    if (place < sink.capacity) sink.keys[list + place] = key;
  }
}

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_KERNELS_SINK_H_
