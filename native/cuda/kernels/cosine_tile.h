// Many queries against many vectors: a matrix product of which only what is below a limit is kept.
//
//            queries, 16 to 128, all of their bytes, in shared memory for the block's life
//            ┌──────────────┐
//   256 rows │ sums, in     │   a block of 8 warps goes over tiles of 256 rows; 64 bytes of each
//   row at in steps │ registers    │   a time come by asynchronous copies, three steps ahead of
//   their use of 64 B  └──────────────┘
//
//   tile     warps  a warp's part      queries  shared memory for 384 in fp16
//   kNarrow  8 × 1  32 rows × 16          16    76 KiB
//   kMiddle  8 × 1  32 rows × 64          64    112 KiB
//   kWide    4 × 2  64 rows × 64         128    160 KiB, so that it fits an A100's 163
//
// Shared memory is read by ldmatrix, 16 bytes a lane, eight rows at once: their 16-byte pieces are
// permuted (Swizzle) so that the eight lie in different banks. Layouts of fragments are PTX's:
// mma.m16n8k16 for 16-bit elements and m16n8k32 for 8-bit ones have the same bytes in the same
// lanes, so one text serves all.
//
// Limits (H200: 4.3 TB/s; 790 TFLOP/s of bf16 as measured by a large product, by wgmma). For 256
// queries of 384 in fp16: 196,608 operations and 768 bytes a row, 256 operations a byte, where the
// chip balances at 184: arithmetic is the limit. mma.sync reaches about 60% of wgmma's rate, and
// ldmatrix feeds it: a warp of kWide reads 4 KiB for 65,536 multiply-adds, so that 128 bytes a
// clock carry 2,048 of the 4,096 a clock: half of the peak, some 490 TFLOP/s at 1.83 GHz. 50% of
// the measured rate, 395, is four fifths of that. Both query tiles of a block of rows run side by
// side, the second from the L2. For 64 queries and fewer memory is the limit: 64 operations a byte.
//
// The sums of a tile never leave their registers, but for those that a limit lets through.

#ifndef DENTATE_CUDA_KERNELS_COSINE_TILE_H_
#define DENTATE_CUDA_KERNELS_COSINE_TILE_H_

#include "cuda/kernels/sink.h"

namespace dentate::cuda {

// Products that stay far below 2^32 are made in 32 bits, a device's own width.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)

struct TileShape {
  std::uint32_t row_warps, query_warps;
  std::uint32_t row_parts;    // of 16 rows, a warp
  std::uint32_t query_parts;  // of 8 queries, a warp

  DENTATE_ANYWHERE std::uint32_t rows() const { return row_warps * row_parts * 16; }
  DENTATE_ANYWHERE std::uint32_t queries() const { return query_warps * query_parts * 8; }
};

// By number, as CosineTile has it.
inline constexpr TileShape kTileShapes[] = {{8, 1, 2, 2}, {8, 1, 2, 8}, {4, 2, 4, 8}};
inline constexpr std::uint32_t kNarrow = 0;
inline constexpr std::uint32_t kMiddle = 1;
inline constexpr std::uint32_t kWide = 2;
inline constexpr std::uint32_t kTileThreads = 256;
inline constexpr std::uint32_t kTileRows = 256;
static_assert(kTileShapes[kNarrow].rows() == kTileRows &&
              kTileShapes[kMiddle].rows() == kTileRows && kTileShapes[kWide].rows() == kTileRows);

inline constexpr std::uint32_t kStages = 4;
inline constexpr std::uint32_t kStepBytes = 64;  // of each row
inline constexpr std::uint32_t kStageBytes = kTileRows * kStepBytes;

// Queries, stages, limits, scales.
constexpr std::uint32_t TileSharedBytes(std::uint32_t tile, std::uint32_t row_bytes) {
  const std::uint32_t queries = kTileShapes[tile].queries();
  return queries * row_bytes + kStages * kStageBytes + queries * 2 * 4;
}

// Where a stage has piece `piece` of 16 bytes of a row: rows of 64 bytes, two to a line of all
// banks.
DENTATE_DEVICE std::uint32_t StagePlace(std::uint32_t row, std::uint32_t piece) {
  return row * kStepBytes + ((piece ^ ((row >> 1) & 3)) * 16);
}

// And of a query: rows are multiples of 128 bytes, so that the same piece of all is in the same
// banks.
DENTATE_DEVICE std::uint32_t QueryPlace(std::uint32_t query, std::uint32_t piece,
                                        std::uint32_t row_bytes) {
  return query * row_bytes + (((piece & ~7U) | ((piece ^ query) & 7)) * 16);
}

template <Precision kPrecision>
struct SumOf {
  using Type = float;
};
template <>
struct SumOf<Precision::kInt8> {
  using Type = std::int32_t;  // 127² · 2^17 dimensions fit
};

template <std::uint32_t kTile, Precision kPrecision, class Thread>
DENTATE_DEVICE void RunTile(Thread& thread, const CosineTile& p) {
  constexpr TileShape kShape = kTileShapes[kTile];
  constexpr std::uint32_t kQueries = kShape.queries();
  using Sum = typename SumOf<kPrecision>::Type;

  std::uint8_t* const queries = reinterpret_cast<std::uint8_t*>(thread.shared());
  std::uint8_t* const stages = queries + kQueries * p.row_bytes;
  float* const limits = reinterpret_cast<float*>(stages + kStages * kStageBytes);
  float* const query_scales = limits + kQueries;

  // Blocks side by side have the same rows and different queries.
  const std::uint32_t query_tile = thread.block() % p.query_tiles;
  const std::uint32_t first_query = query_tile * kQueries;
  const std::uint32_t start = thread.block() / p.query_tiles;
  const std::uint32_t step = thread.blocks() / p.query_tiles;
  const std::uint32_t tiles = (p.end - p.begin + kTileRows - 1) / kTileRows;
  const std::uint32_t pieces = p.row_bytes / 16;

  for (std::uint32_t i = thread.index(); i < kQueries * pieces; i += thread.size()) {
    const std::uint32_t query = i / pieces;
    const std::uint32_t piece = i % pieces;
    const auto* const from = reinterpret_cast<const Vector16*>(
        p.queries + static_cast<std::size_t>(first_query + query) * p.row_bytes);
    *reinterpret_cast<Vector16*>(queries + QueryPlace(query, piece, p.row_bytes)) = from[piece];
  }
  for (std::uint32_t i = thread.index(); i < kQueries; i += thread.size()) {
    const bool is_one = first_query + i < p.query_count;
    const bool takes_all = p.sink.dense != 0;
    limits[i] = !is_one     ? INFINITY
                : takes_all ? -INFINITY
                            : LimitScore(p.sink.limits[first_query + i]);
    query_scales[i] = is_one ? p.query_scales[first_query + i] : 0;
  }

  const std::uint32_t lane = thread.index() % kWarp;
  const std::uint32_t warp = thread.index() / kWarp;
  const std::uint32_t warp_row = warp / kShape.query_warps * (kShape.row_parts * 16);
  const std::uint32_t warp_query = warp % kShape.query_warps * (kShape.query_parts * 8);
  const std::uint32_t steps = p.row_bytes / kStepBytes;  // of one tile
  const std::uint32_t own = start < tiles ? (tiles - start + step - 1) / step : 0;
  const std::uint32_t all = own * steps;

  // The copies of one step, kStages - 1 ahead; past the last an empty group, so that waiting counts
  // on.
  std::uint32_t ahead = 0, ahead_tile = start, ahead_step = 0;
  const auto copy_ahead = [&] {
    if (ahead < all) {
      std::uint8_t* const stage = stages + ahead % kStages * kStageBytes;
      for (std::uint32_t i = thread.index(); i < kTileRows * (kStepBytes / 16);
           i += thread.size()) {
        const std::uint32_t row = i / (kStepBytes / 16);
        const std::uint32_t piece = i % (kStepBytes / 16);
        const std::uint64_t wanted =
            p.begin + static_cast<std::uint64_t>(ahead_tile) * kTileRows + row;
        const std::size_t from = wanted < p.end ? wanted : p.end - 1;
        thread.CopyAsync16(stage + StagePlace(row, piece),
                           p.rows + from * p.row_bytes + ahead_step * kStepBytes + piece * 16);
      }
      if (++ahead_step == steps) {
        ahead_step = 0;
        ahead_tile += step;
      }
    }
    ++ahead;
    thread.CommitCopies();
  };
  for (std::uint32_t i = 0; i + 1 < kStages; ++i) copy_ahead();

  Sum sums[kShape.row_parts][kShape.query_parts][4] = {};
  std::uint32_t tile = start;
  std::uint32_t at = 0;  // the step within the tile
  for (std::uint32_t done = 0; done < all; ++done) {
    thread.template WaitCopies<kStages - 2>();
    thread.Sync();  // this step's bytes are there, and nobody reads those of the step before
    copy_ahead();
    const std::uint8_t* const stage = stages + done % kStages * kStageBytes;
    DENTATE_UNROLL
    for (std::uint32_t half = 0; half < kStepBytes / 32; ++half) {
      std::uint32_t a[kShape.row_parts][4];
      DENTATE_UNROLL
      for (std::uint32_t m = 0; m < kShape.row_parts; ++m) {
        // Lanes 0-15 point at 16 rows' first 16 bytes, 16-31 at their second.
        const std::uint32_t row = warp_row + m * 16 + lane % 16;
        thread.LoadMatrices(a[m], stage + StagePlace(row, half * 2 + lane / 16));
      }
      DENTATE_UNROLL
      for (std::uint32_t n = 0; n < kShape.query_parts; n += 2) {
        // Of 16 queries: the first eight's two pieces, then the others'.
        std::uint32_t b[4];
        const std::uint32_t query = warp_query + n * 8 + lane % 8 + lane / 16 * 8;
        const std::uint32_t piece = at * (kStepBytes / 16) + half * 2 + lane / 8 % 2;
        thread.LoadMatrices(b, queries + QueryPlace(query, piece, p.row_bytes));
        DENTATE_UNROLL
        for (std::uint32_t m = 0; m < kShape.row_parts; ++m) {
          thread.template MultiplyAdd<kPrecision>(sums[m][n], a[m], b);
          thread.template MultiplyAdd<kPrecision>(sums[m][n + 1], a[m], b + 2);
        }
      }
    }
    if (++at < steps) continue;

    // The tile's sums are whole: lane l has rows l / 4 and 8 more, queries 2 (l % 4) and the next.
    const std::uint64_t first_row =
        p.begin + static_cast<std::uint64_t>(tile) * kTileRows + warp_row + lane / 4;
    DENTATE_UNROLL
    for (std::uint32_t m = 0; m < kShape.row_parts; ++m) {
      DENTATE_UNROLL
      for (std::uint32_t i = 0; i < 2; ++i) {
        const std::uint64_t row = first_row + m * 16 + i * 8;
        const bool is_one = row < p.end;
        const float scale = kPrecision == Precision::kInt8 && is_one ? p.scales[row] : 1.0F;
        DENTATE_UNROLL
        for (std::uint32_t n = 0; n < kShape.query_parts; ++n) {
          DENTATE_UNROLL
          for (std::uint32_t j = 0; j < 2; ++j) {
            const std::uint32_t query = warp_query + n * 8 + lane % 4 * 2 + j;
            float score = static_cast<float>(sums[m][n][2 * i + j]);
            if constexpr (kPrecision == Precision::kInt8) score *= scale * query_scales[query];
            if (is_one && score >= limits[query]) {
              const auto found = static_cast<std::uint32_t>(row);
              Offer(thread, p.sink, first_query + query, p.begin, found,
                    ScoreKey(score, p.first_id + found));
            }
            sums[m][n][2 * i + j] = 0;
          }
        }
      }
    }
    at = 0;
    tile += step;
  }
}

template <std::uint32_t kTile, class Thread>
DENTATE_DEVICE void RunTileOf(Thread& thread, const CosineTile& p) {
  if (p.precision == Precision::kFp16) return RunTile<kTile, Precision::kFp16>(thread, p);
  if (p.precision == Precision::kBf16) return RunTile<kTile, Precision::kBf16>(thread, p);
  RunTile<kTile, Precision::kInt8>(thread, p);
}

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const CosineTile& p) {
  if (p.tile == kNarrow) return RunTileOf<kNarrow>(thread, p);
  if (p.tile == kMiddle) return RunTileOf<kMiddle>(thread, p);
  RunTileOf<kWide>(thread, p);
}

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_KERNELS_COSINE_TILE_H_
