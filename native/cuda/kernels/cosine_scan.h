// Few queries against many vectors: memory is the limit, and the kernel is loads.
//
//   warp    lanes 0-7   lanes 8-15  lanes 16-23 lanes 24-31      a row each
//   load 0  [128 bytes] [128 bytes] [128 bytes] [128 bytes]      16 bytes a lane, whole cache lines
//   load 1  [next 128 ] ...
//
// Six loads a lane are under way before the first is used: a row of 384 in fp16 is just that, and
// 1,024 threads a multiprocessor then ask for 96 KiB, four times what 4.3 TB/s at 600 ns need. The
// arithmetic is 8 conversions and 8 multiply-adds a load and query, a tenth of what the units do
// meanwhile; queries are read from shared memory, where the four rows of a warp ask for the same
// words.
//
// Floor: rows · row_bytes / bandwidth; for 1e6 × 384 in fp16 at 4.3 TB/s 0.18 ms, as many queries
// as kScanQueries at once.
//
// ExactScan and Rescore read float32 rows and add in float64 (of full speed on such devices): their
// cosines are those of the reference but for the last rounding.

#ifndef DENTATE_CUDA_KERNELS_COSINE_SCAN_H_
#define DENTATE_CUDA_KERNELS_COSINE_SCAN_H_

#include "cuda/kernels/sink.h"

namespace dentate::cuda {

// Products that stay far below 2^32 are made in 32 bits, a device's own width.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)

inline constexpr std::uint32_t kRowLanes = 8;
inline constexpr std::uint32_t kRowsAtOnce = kWarp / kRowLanes;
inline constexpr std::uint32_t kLoadsAtOnce = 6;

// The sum over the lanes of one row, in all of them.
template <class Thread, class Number>
DENTATE_DEVICE Number SumOverRow(Thread& thread, Number sum) {
  DENTATE_UNROLL
  for (std::uint32_t mask = kRowLanes / 2; mask > 0; mask /= 2) {
    sum += thread.ShuffleXor(sum, mask);
  }
  return sum;
}

// Rows [begin, end), kRowsAtOnce a warp: `use(row, is_one)` with all lanes of a row alike, and
// false for those past the end, whose row is the first.
template <class Thread, class Use>
DENTATE_DEVICE void ForEachRow(Thread& thread, std::uint32_t begin, std::uint32_t end, Use&& use) {
  const std::uint32_t warps = thread.size() / kWarp;
  const std::uint64_t step = static_cast<std::uint64_t>(thread.blocks()) * warps * kRowsAtOnce;
  const std::uint64_t start =
      begin +
      static_cast<std::uint64_t>(thread.block() * warps + thread.index() / kWarp) * kRowsAtOnce;
  for (std::uint64_t at = start; at < end; at += step) {
    const std::uint64_t row = at + thread.index() % kWarp / kRowLanes;
    const bool is_one = row < end;
    use(is_one ? static_cast<std::uint32_t>(row) : begin, is_one);
  }
}

template <Precision kPrecision, std::uint32_t kQueries, class Thread>
DENTATE_DEVICE void RunScan(Thread& thread, const CosineScan& p) {
  constexpr std::uint32_t kElements = 16 / ElementBytes(kPrecision);
  const std::uint32_t length = p.row_bytes / ElementBytes(kPrecision);
  const float* queries = p.queries;
  if (p.stage_queries != 0) {
    auto* const staged = reinterpret_cast<float*>(thread.shared());
    for (std::uint32_t i = thread.index(); i < p.query_count * length; i += thread.size()) {
      staged[i] = p.queries[i];
    }
    thread.Sync();
    queries = staged;
  }
  const std::uint32_t lane = thread.index() % kRowLanes;
  const std::uint32_t loads = p.row_bytes / 16;  // a multiple of kRowLanes
  ForEachRow(thread, p.begin, p.end, [&](std::uint32_t row, bool is_one) {
    const std::uint8_t* const from = p.rows + static_cast<std::size_t>(row) * p.row_bytes;
    float sums[kQueries] = {};
    for (std::uint32_t first = lane; first < loads; first += kRowLanes * kLoadsAtOnce) {
      Vector16 loaded[kLoadsAtOnce] = {};
      DENTATE_UNROLL
      for (std::uint32_t i = 0; i < kLoadsAtOnce; ++i) {
        const std::uint32_t load = first + i * kRowLanes;
        if (load < loads) loaded[i] = reinterpret_cast<const Vector16*>(from)[load];
      }
      DENTATE_UNROLL
      for (std::uint32_t i = 0; i < kLoadsAtOnce; ++i) {
        const std::uint32_t load = first + i * kRowLanes;
        if (load >= loads) continue;
        float values[kElements];
        Unpack<kPrecision>(loaded[i], values);
        DENTATE_UNROLL
        for (std::uint32_t query = 0; query < kQueries; ++query) {
          if (query >= p.query_count) continue;
          const float* const other =
              queries + static_cast<std::size_t>(query) * length + load * kElements;
          DENTATE_UNROLL
          for (std::uint32_t e = 0; e < kElements; ++e) sums[query] += values[e] * other[e];
        }
      }
    }
    const float scale = kPrecision == Precision::kInt8 ? p.scales[row] : 1.0F;
    DENTATE_UNROLL
    for (std::uint32_t query = 0; query < kQueries; ++query) {
      const float score = SumOverRow(thread, sums[query]) * scale;
      if (is_one && lane == 0 && query < p.query_count) {
        Offer(thread, p.sink, query, p.begin, row, ScoreKey(score, p.first_id + row));
      }
    }
  });
}

template <Precision kPrecision, class Thread>
DENTATE_DEVICE void RunScanOf(Thread& thread, const CosineScan& p) {
  if (p.query_count == 1) return RunScan<kPrecision, 1>(thread, p);
  RunScan<kPrecision, kScanQueries>(thread, p);
}

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const CosineScan& p) {
  if (p.precision == Precision::kFp16) return RunScanOf<Precision::kFp16>(thread, p);
  if (p.precision == Precision::kBf16) return RunScanOf<Precision::kBf16>(thread, p);
  RunScanOf<Precision::kInt8>(thread, p);
}

// The cosine of a row and a query, by the lanes of one row; 0 where either is all zeros.
template <class Thread>
DENTATE_DEVICE float ExactCosine(Thread& thread, const float* row, const float* query,
                                 double query_length, std::uint32_t row_floats) {
  double product = 0;
  double squares = 0;
  const std::uint32_t loads = row_floats / 4;
  for (std::uint32_t load = thread.index() % kRowLanes; load < loads; load += kRowLanes) {
    const Vector16 a = reinterpret_cast<const Vector16*>(row)[load];
    const Vector16 b = reinterpret_cast<const Vector16*>(query)[load];
    DENTATE_UNROLL
    for (int i = 0; i < 4; ++i) {
      const auto x = static_cast<double>(FloatOf(a.words[i]));
      product += x * static_cast<double>(FloatOf(b.words[i]));
      squares += x * x;
    }
  }
  product = SumOverRow(thread, product);
  squares = SumOverRow(thread, squares);
  if (squares == 0 || query_length == 0) return 0;
  return static_cast<float>(product / (sqrt(squares) * query_length));
}

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const ExactScan& p) {
  ForEachRow(thread, p.begin, p.end, [&](std::uint32_t row, bool is_one) {
    const float* const from = p.rows + static_cast<std::size_t>(row) * p.row_floats;
    for (std::uint32_t query = 0; query < p.query_count; ++query) {
      const float score =
          ExactCosine(thread, from, p.queries + static_cast<std::size_t>(query) * p.row_floats,
                      p.query_lengths[query], p.row_floats);
      if (is_one && thread.index() % kRowLanes == 0) {
        Offer(thread, p.sink, query, p.begin, row, ScoreKey(score, p.first_id + row));
      }
    }
  });
}

// The candidates of all queries, one after the other, are the rows.
template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const Rescore& p) {
  ForEachRow(thread, 0, p.query_count * p.keep, [&](std::uint32_t item, bool is_one) {
    const std::uint32_t query = item / p.keep;
    const std::uint32_t place = item % p.keep;
    const bool is_listed = place < p.counts[query];
    std::uint64_t* const key = p.keys + static_cast<std::size_t>(query) * p.capacity + place;
    // Lanes without a candidate go along, with the tile's first row: a shuffle needs all of a warp.
    const std::uint32_t row = is_listed ? KeyId(*key) - p.first_id : 0;
    const float score = ExactCosine(thread, p.rows + static_cast<std::size_t>(row) * p.row_floats,
                                    p.queries + static_cast<std::size_t>(query) * p.row_floats,
                                    p.query_lengths[query], p.row_floats);
    if (is_one && is_listed && thread.index() % kRowLanes == 0) {
      *key = ScoreKey(score, p.first_id + row);
    }
  });
}

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_KERNELS_COSINE_SCAN_H_
