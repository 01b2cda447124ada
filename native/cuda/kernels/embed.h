// Pools rows of a table: a block a group, a thread a component, neighbours side by side.
//
// Gathers are whole rows, so that the limit is memory: ids · dimensions · 4 bytes. Sums are
// float64, one after the other, as the reference's.

#ifndef DENTATE_CUDA_KERNELS_EMBED_H_
#define DENTATE_CUDA_KERNELS_EMBED_H_

#include "cuda/kernels/singular.h"

namespace dentate::cuda {

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const EmbedSum& p) {
  for (std::uint32_t group = thread.block(); group < p.group_count; group += thread.blocks()) {
    for (std::uint32_t i = thread.index(); i < p.dimensions; i += thread.size()) {
      double sum = 0;
      for (std::uint32_t at = p.offsets[group]; at < p.offsets[group + 1]; ++at) {
        const std::uint32_t row =
            p.ids[at] - p.first_row;  // past the count, too, where it is before
        if (row >= p.row_count) continue;
        sum += static_cast<double>(p.rows[static_cast<std::size_t>(row) * p.row_floats + i]);
      }
      p.sums[static_cast<std::size_t>(group) * p.dimensions + i] += sum;
    }
  }
}

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const EmbedFinish& p) {
  auto* const sums = reinterpret_cast<double*>(thread.shared());
  for (std::uint32_t group = thread.block(); group < p.group_count; group += thread.blocks()) {
    const double* const from = p.sums + static_cast<std::size_t>(group) * p.dimensions;
    const double squares = DotOverBlock(thread, sums, from, from, p.dimensions);
    const double scale = squares > 0 ? 1 / sqrt(squares) : 0;
    for (std::uint32_t i = thread.index(); i < p.dimensions; i += thread.size()) {
      p.embedded[static_cast<std::size_t>(group) * p.dimensions + i] =
          static_cast<float>(from[i] * scale);
    }
  }
}

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_KERNELS_EMBED_H_
