// What the engine asks a device to run: one struct a kernel, plain data, and all of them as one
// variant.
//
// Pointers are the device's. A tile's rows are numbered from 0; `first_id` is the id of its row 0.
// The struct is the kernel's argument as it is; kernels/ has the code, and says of each what it
// costs.

#ifndef DENTATE_CUDA_LAUNCHES_H_
#define DENTATE_CUDA_LAUNCHES_H_

#include <cstdint>
#include <variant>

#include "cuda/precision.h"

namespace dentate::cuda {

// How many threads, and the shared memory of each block.
struct Shape {
  std::uint32_t blocks = 1;
  std::uint32_t threads = 1;
  std::uint32_t shared_bytes = 0;
};

// Where a scan puts its matches (kernels/sink.h): a list of keys a query.
struct Sink {
  std::uint64_t* keys;          // query q's: [q * capacity, (q + 1) * capacity)
  std::uint32_t* counts;        // a query; what did not fit counts too
  const std::uint64_t* limits;  // a query: what is not below it is no match
  std::uint32_t capacity;
  std::uint32_t dense;     // not 0: every row is a match, in the place of its number
  std::uint32_t dense_at;  // where row `begin` goes then
};

// Of each list the best `keep` keys, in order; `limits` is the last of them, once there are so
// many.
struct Select {
  std::uint64_t* keys;
  std::uint32_t* counts;
  std::uint64_t* limits;
  std::uint32_t* overflow;  // becomes 1 where a list had more keys than room
  std::uint32_t capacity;
  std::uint32_t keep;
  std::uint32_t filled;  // keys in each list, where a dense scan wrote it; else kCounted
  std::uint32_t lists;
};
inline constexpr std::uint32_t kCounted = ~std::uint32_t{0};

// Signatures lie in columns: word w of row i is columns[w * stride + i].
struct HammingScan {
  const std::uint64_t* columns;
  const std::uint64_t* queries;  // row-major
  std::uint64_t stride;
  std::uint32_t words;
  std::uint32_t begin, end;  // rows
  std::uint32_t first_id;
  std::uint32_t query_count;
  Sink sink;
};

// Which rows are in a ball: a bit a row, and a count a chunk of kChunkRows.
struct HammingMark {
  const std::uint64_t* columns;
  const std::uint64_t* queries;
  std::uint64_t stride;
  std::uint32_t words;
  std::uint32_t rows;
  std::uint32_t query_count;
  std::uint32_t radius;
  std::uint32_t chunks;   // a query
  std::uint32_t* marks;   // query q's: [q * chunks * kChunkWords, ...)
  std::uint32_t* counts;  // query q's chunk c: counts[q * chunks + c]; zeros before
};
inline constexpr std::uint32_t kChunkRows = 1024;
inline constexpr std::uint32_t kChunkWords = kChunkRows / 32;

// The marked rows of chunks [first, first + count) of all queries' chunks, in order.
struct HammingList {
  const std::uint64_t* columns;
  const std::uint64_t* queries;
  std::uint64_t stride;
  std::uint32_t words;
  std::uint32_t first_id;
  std::uint32_t chunks;
  std::uint32_t first, count;
  const std::uint32_t* marks;
  const std::uint32_t* places;  // of chunk first + i its first match's place in ids
  std::uint32_t* ids;
  std::uint16_t* distances;
};

// Packs rows of unit length, and measures what that loses.
struct PrepareVectors {
  const float* rows;
  std::uint32_t row_floats;  // from one row to the next
  std::uint32_t dimensions;
  std::uint32_t begin, end;
  Precision precision;
  std::uint32_t row_bytes;  // packed: a multiple of kPackedAlignment; zeros behind the dimensions
  std::uint8_t* packed;
  float* scales;  // int8's; 1 for the others
  std::uint32_t*
      worst_error;  // bits of a float: the longest difference of a row from its packed one
};
inline constexpr std::uint32_t kPackedAlignment = 128;

// Packed rows and up to kScanQueries queries of float32, by rows of memory: the bus is the limit.
struct CosineScan {
  const std::uint8_t* rows;
  const float* scales;
  const float* queries;  // of unit length, row_bytes / ElementBytes floats each
  std::uint32_t row_bytes;
  Precision precision;
  std::uint32_t begin, end;
  std::uint32_t first_id;
  std::uint32_t query_count;
  std::uint32_t stage_queries;  // not 0: they fit in shared memory
  Sink sink;
};
inline constexpr std::uint32_t kScanQueries = 4;

// Packed rows and packed queries, by the matrix units.
struct CosineTile {
  const std::uint8_t* rows;
  const float* scales;
  const std::uint8_t* queries;  // a multiple of the tile's queries; zeros behind the last
  const float* query_scales;
  std::uint32_t row_bytes;
  Precision precision;
  std::uint32_t begin, end;
  std::uint32_t first_id;
  std::uint32_t query_count;
  std::uint32_t query_tiles;
  std::uint32_t tile;  // a number of kernels/cosine_tile.h's tiles
  Sink sink;
};

// float32 rows, in float64: where the candidates of a packed scan can't be proven to be enough.
struct ExactScan {
  const float* rows;
  const float* queries;  // row_floats floats each, not of unit length
  const double* query_lengths;
  std::uint32_t row_floats;  // a multiple of 4; zeros behind the dimensions
  std::uint32_t begin, end;
  std::uint32_t first_id;
  std::uint32_t query_count;
  Sink sink;
};

// The exact cosines of listed candidates, in their keys' place.
struct Rescore {
  std::uint64_t* keys;
  const std::uint32_t* counts;
  std::uint32_t capacity;
  std::uint32_t keep;  // of each list
  const float* rows;
  const float* queries;
  const double* query_lengths;
  std::uint32_t row_floats;
  std::uint32_t first_id;
  std::uint32_t query_count;
};

// A group of rows whose singular vectors are wanted (kernels/singular.h).
struct Group {
  std::uint64_t first_row;
  std::uint32_t rows;
  std::uint32_t size;   // of its Gram matrix: the smaller of rows and dimensions
  std::uint32_t basis;  // vectors that are iterated: `size` where that is small
  std::uint64_t work;   // where its part of `work` begins
};

struct Gram {
  const float* rows;
  const Group* groups;
  double* work;
  std::uint32_t dimensions;
  std::uint32_t group_count;
  std::uint32_t tiles;  // a side, of the largest group
};

// The second matrix of each group's work becomes the square of its first, in units of its trace
// squared.
struct Square {
  const Group* groups;
  double* work;
  std::uint32_t group_count;
  std::uint32_t tiles;
  std::uint32_t again;  // not 0: of the second matrix itself, by way of the third
};

struct Singular {
  const float* rows;
  const Group* groups;
  double* work;
  float* vectors;  // groups * rank * dimensions
  float* values;   // groups * rank
  std::uint32_t dimensions;
  std::uint32_t group_count;
  std::uint32_t rank;
  std::uint32_t is_squared;
};

// Adds rows of a table, of those ids of each group that are in the tile.
struct EmbedSum {
  const float* rows;
  std::uint32_t row_floats;
  std::uint32_t dimensions;
  std::uint32_t first_row, row_count;
  const std::uint32_t* ids;
  const std::uint32_t* offsets;
  double* sums;  // groups * dimensions
  std::uint32_t group_count;
};

struct EmbedFinish {
  const double* sums;
  float* embedded;
  std::uint32_t dimensions;
  std::uint32_t group_count;
};

using Launch =
    std::variant<Select, HammingScan, HammingMark, HammingList, PrepareVectors, CosineScan,
                 CosineTile, ExactScan, Rescore, Gram, Square, Singular, EmbedSum, EmbedFinish>;

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_LAUNCHES_H_
