// How much at once: rounds of a search, windows of a list, sizes of tiles. Arithmetic alone.

#ifndef DENTATE_CUDA_PLAN_H_
#define DENTATE_CUDA_PLAN_H_

#include <cstdint>
#include <span>
#include <vector>

namespace dentate::cuda {

// Keys in a query's list: what Select sorts in 64 KiB of shared memory.
inline constexpr std::uint32_t kListCapacity = 8192;
// The best that are kept of a list at most; who wants more gets all rows' keys, and sorts on the
// host.
inline constexpr std::uint32_t kMostKept = 2048;
// Queries of one search at a time: 16 MiB of lists.
inline constexpr std::uint32_t kQueriesAtOnce = 256;

// As many as that, or as a smaller tile's rows take.
std::uint32_t ListCapacity(std::uint32_t rows);

// Rows [begin, end) of one launch.
struct Round {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool is_dense = false;  // all of them are listed, from place `dense_at` on
  std::uint32_t dense_at = 0;

  bool operator==(const Round&) const = default;
};

// The rounds of a search for the best `keep` of rows [0, rows) (kernels/sink.h). The first is
// dense; each further one as long as it is expected to fill a quarter of a list's room, were rows
// in random order.
std::vector<Round> PlanRounds(std::uint32_t rows, std::uint32_t keep, std::uint32_t capacity);

// The same in dense rounds alone: slower, and no list can overflow, whatever the order.
std::vector<Round> PlanDenseRounds(std::uint32_t rows, std::uint32_t keep, std::uint32_t capacity);

// A run of chunks whose matches fit in one window, and how many they are.
struct Window {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t matches = 0;
};

// Cuts chunks, by their counts, into windows of at most `room` matches, one chunk at least. Writes
// each chunk's first place in its window to `places`, as many as counts.
std::vector<Window> PlanWindows(std::span<const std::uint32_t> counts, std::uint32_t room,
                                std::span<std::uint32_t> places);

// `value` up to a multiple of `step`.
constexpr std::uint64_t RoundUp(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

// Rows of `row_bytes` that fit in `bytes`: from 1 to `most`.
std::uint32_t RowsIn(std::uint64_t bytes, std::uint64_t row_bytes, std::uint64_t most);

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_PLAN_H_
