#include "accelerate/row_sums.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <vector>

#include "hamming/parallel.h"
#include "vectors/dense.h"

namespace dentate::accelerate {
namespace {

void SumOfRows(const VectorTable& table, std::span<const std::uint32_t> ids,
               std::vector<double>& sum, std::span<float> unit) {
  std::fill(sum.begin(), sum.end(), 0.0);
  for (const std::uint32_t id : ids) {
    const double weight = std::ldexp(1.0, table.ExponentOf(id));
    vectors::ActiveDenseKernels().accumulate(&weight, table.Row(id), table.stride(), 1, sum.data());
  }
  double squares = 0;
  for (const double value : sum) squares += value * value;
  const double length = std::sqrt(squares);
  for (std::size_t j = 0; j < unit.size(); ++j) {
    unit[j] = static_cast<float>(length > 0 ? sum[j] / length : 0);
  }
}

}  // namespace

Status UnitRowSums(const VectorTable& table, std::span<const std::uint32_t> ids,
                   std::span<const std::uint32_t> offsets, const hamming::SearchOptions& options,
                   std::span<float> sums) {
  assert(!offsets.empty() && offsets.back() == ids.size());
  const std::size_t groups = offsets.size() - 1;
  const std::size_t bytes = ids.size() * table.stride() * sizeof(float);
  std::atomic<bool> aborted{false};
  hamming::ForEachPart(
      0, groups, hamming::PartCount(bytes, options.threads),
      [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> sum(table.stride());
        for (; begin < end && !aborted; ++begin) {
          if (options.cancelled && options.cancelled()) aborted = true;
          SumOfRows(table, ids.subspan(offsets[begin], offsets[begin + 1] - offsets[begin]), sum,
                    sums.subspan(begin * table.dimensions(), table.dimensions()));
        }
      });
  return aborted ? Status(ErrorCode::kAborted, "the operation was aborted") : Status::Ok();
}

}  // namespace dentate::accelerate
