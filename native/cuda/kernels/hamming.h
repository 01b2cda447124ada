// Signatures against queries: XOR and count.
//
// Layout: columns, a 64-bit word of all rows after the other. A warp takes 128 rows, lane l rows l,
// 32 + l, 64 + l and 96 + l, so that each load of a warp is 256 bytes in a row, and 4 · words loads
// are under way before the first is used.
//
// Limits (H200: 4.3 TB/s, 132 multiprocessors at 1.8 GHz, 16 counts of 32 bits a clock each). A row
// of 128 bits is 16 bytes: 270e9 rows a second from memory. A query takes 4 counts a row: 950e9
// rows a second. So up to three queries a pass are free, and from there on the count unit is the
// limit; the rows are read once for all queries of a launch, whose words lie in shared memory.

#ifndef DENTATE_CUDA_KERNELS_HAMMING_H_
#define DENTATE_CUDA_KERNELS_HAMMING_H_

#include "cuda/kernels/sink.h"

namespace dentate::cuda {

inline constexpr std::uint32_t kRowsALane = 4;
inline constexpr std::uint32_t kRowsAWarp = kRowsALane * kWarp;

// All queries' words to shared memory.
template <class Thread, class Scan>
DENTATE_DEVICE const std::uint64_t* StageQueries(Thread& thread, const Scan& p) {
  auto* const staged = reinterpret_cast<std::uint64_t*>(thread.shared());
  const std::uint32_t words = p.query_count * p.words;
  for (std::uint32_t i = thread.index(); i < words; i += thread.size()) staged[i] = p.queries[i];
  thread.Sync();
  return staged;
}

// The distances of a lane's rows to each query in turn: `use(query, distances)`, called by whole
// warps. kWords 0: any number of words, which are read again for each query (from the cache).
template <std::uint32_t kWords, class Scan, class Use>
DENTATE_DEVICE void ForEachQuery(const Scan& p, const std::uint64_t* queries, std::uint32_t row,
                                 std::uint32_t end, Use&& use) {
  constexpr std::uint32_t kHeld = kWords == 0 ? 1 : kWords;
  std::uint64_t held[kRowsALane][kHeld] = {};
  if constexpr (kWords != 0) {
    DENTATE_UNROLL
    for (std::uint32_t i = 0; i < kRowsALane; ++i) {
      DENTATE_UNROLL
      for (std::uint32_t w = 0; w < kWords; ++w) {
        if (row + i * kWarp < end) held[i][w] = p.columns[w * p.stride + row + i * kWarp];
      }
    }
  }
  for (std::uint32_t query = 0; query < p.query_count; ++query) {
    const std::uint64_t* const words = queries + static_cast<std::size_t>(query) * p.words;
    std::uint32_t distances[kRowsALane] = {};
    if constexpr (kWords != 0) {
      DENTATE_UNROLL
      for (std::uint32_t w = 0; w < kWords; ++w) {
        DENTATE_UNROLL
        for (std::uint32_t i = 0; i < kRowsALane; ++i) {
          distances[i] += static_cast<std::uint32_t>(Ones(held[i][w] ^ words[w]));
        }
      }
    } else {
      for (std::uint32_t w = 0; w < p.words; ++w) {
        DENTATE_UNROLL
        for (std::uint32_t i = 0; i < kRowsALane; ++i) {
          if (row + i * kWarp >= end) continue;
          const std::uint64_t word = p.columns[w * p.stride + row + i * kWarp];
          distances[i] += static_cast<std::uint32_t>(Ones(word ^ words[w]));
        }
      }
    }
    use(query, distances);
  }
}

template <std::uint32_t kWords, class Thread>
DENTATE_DEVICE void RunWords(Thread& thread, const HammingScan& p) {
  const std::uint64_t* const queries = StageQueries(thread, p);
  const std::uint32_t warps = thread.size() / kWarp;
  const std::uint32_t lane = thread.index() % kWarp;
  const std::uint64_t step = static_cast<std::uint64_t>(thread.blocks()) * warps * kRowsAWarp;
  const std::uint64_t start =
      p.begin +
      static_cast<std::uint64_t>(thread.block() * warps + thread.index() / kWarp) * kRowsAWarp;
  for (std::uint64_t at = start; at < p.end; at += step) {
    const std::uint32_t row = static_cast<std::uint32_t>(at) + lane;
    ForEachQuery<kWords>(
        p, queries, row, p.end, [&](std::uint32_t query, const std::uint32_t* distances) {
          DENTATE_UNROLL
          for (std::uint32_t i = 0; i < kRowsALane; ++i) {
            const std::uint32_t one = row + i * kWarp;
            if (one >= p.end) continue;
            Offer(thread, p.sink, query, p.begin, one, DistanceKey(distances[i], p.first_id + one));
          }
        });
  }
}

// A bit a row, which is 1/128 of what is read, instead of a second pass over the signatures:
// HammingList finds the matches, in order, by the bits alone.
template <std::uint32_t kWords, class Thread>
DENTATE_DEVICE void RunWords(Thread& thread, const HammingMark& p) {
  const std::uint64_t* const queries = StageQueries(thread, p);
  const std::uint32_t warps = thread.size() / kWarp;
  const std::uint32_t lane = thread.index() % kWarp;
  const std::uint64_t all = static_cast<std::uint64_t>(p.chunks) * kChunkRows;
  const std::uint64_t step = static_cast<std::uint64_t>(thread.blocks()) * warps * kRowsAWarp;
  const std::uint64_t start =
      static_cast<std::uint64_t>(thread.block() * warps + thread.index() / kWarp) * kRowsAWarp;
  for (std::uint64_t at = start; at < all; at += step) {
    const std::uint32_t row = static_cast<std::uint32_t>(at) + lane;
    const auto chunk = static_cast<std::uint32_t>(at / kChunkRows);
    const auto word = static_cast<std::uint32_t>(at / kWarp);
    ForEachQuery<kWords>(
        p, queries, row, p.rows, [&](std::uint32_t query, const std::uint32_t* distances) {
          std::uint32_t own = 0;  // lane i keeps the bits of rows 32 i to 32 i + 31
          std::uint32_t count = 0;
          DENTATE_UNROLL
          for (std::uint32_t i = 0; i < kRowsALane; ++i) {
            const bool is_near = row + i * kWarp < p.rows && distances[i] <= p.radius;
            const std::uint32_t bits = thread.Ballot(is_near);
            if (lane == i) own = bits;
            count += static_cast<std::uint32_t>(Ones(bits));
          }
          const std::size_t first = static_cast<std::size_t>(query) * p.chunks;
          if (lane < kRowsALane) p.marks[first * kChunkWords + word + lane] = own;
          if (lane == 0 && count != 0) thread.AtomicAdd(&p.counts[first + chunk], count);
        });
  }
}

// A warp a chunk: lane l has the bits of 32 rows, and the matches before them from the lanes below.
template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const HammingList& p) {
  const std::uint32_t warps = thread.size() / kWarp;
  const std::uint32_t lane = thread.index() % kWarp;
  const std::uint32_t start = thread.block() * warps + thread.index() / kWarp;
  for (std::uint32_t i = start; i < p.count; i += thread.blocks() * warps) {
    const std::uint32_t query = (p.first + i) / p.chunks;
    const std::uint32_t chunk = (p.first + i) % p.chunks;
    std::uint32_t bits = p.marks[static_cast<std::size_t>(p.first + i) * kChunkWords + lane];
    const auto own = static_cast<std::uint32_t>(Ones(bits));
    std::uint32_t before = own;
    for (std::uint32_t by = 1; by < kWarp; by *= 2) {
      const std::uint32_t below = thread.ShuffleUp(before, by);
      if (lane >= by) before += below;
    }
    std::uint32_t place = p.places[i] + before - own;
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t row = chunk * kChunkRows + lane * 32 + LowestOne(bits);
      std::uint32_t distance = 0;
      for (std::uint32_t w = 0; w < p.words; ++w) {
        const std::uint64_t word = p.queries[static_cast<std::size_t>(query) * p.words + w];
        distance += static_cast<std::uint32_t>(Ones(p.columns[w * p.stride + row] ^ word));
      }
      p.ids[place] = p.first_id + row;
      p.distances[place] = static_cast<std::uint16_t>(distance);
      ++place;
    }
  }
}

template <class Thread, class Scan>
DENTATE_DEVICE void RunAnyWords(Thread& thread, const Scan& p) {
  // The same for the whole grid: no warp diverges here.
  if (p.words == 1) return RunWords<1>(thread, p);
  if (p.words == 2) return RunWords<2>(thread, p);
  if (p.words == 4) return RunWords<4>(thread, p);
  RunWords<0>(thread, p);
}

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const HammingScan& p) {
  RunAnyWords(thread, p);
}

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const HammingMark& p) {
  RunAnyWords(thread, p);
}

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_KERNELS_HAMMING_H_
