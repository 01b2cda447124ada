#include <algorithm>
#include <cassert>
#include <cmath>

#include "vectors/dot.h"

namespace dentate::vectors {
namespace {

template <typename T>
float Quantize(std::span<const float> values, std::span<T> out, std::int32_t limit) noexcept {
  assert(values.size() == out.size());
  float largest = 0;
  for (const float value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  const float scale = largest / static_cast<float>(limit);
  if (scale == 0) {  // zeros, or so small that their scale underflows
    std::fill(out.begin(), out.end(), T{0});
    return 0;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float steps = std::isfinite(values[i]) ? values[i] / scale : 0.0F;
    // The division may round to just past the limit.
    out[i] =
        static_cast<T>(std::clamp(static_cast<std::int32_t>(std::lrintf(steps)), -limit, limit));
  }
  return scale;
}

}  // namespace

float QuantizeRow(std::span<const float> values, std::span<std::int8_t> row) noexcept {
  return Quantize(values, row, kRowLimit);
}

float QuantizeQuery(std::span<const float> values, std::span<std::int16_t> query) noexcept {
  return Quantize(values, query, kQueryLimit);
}

}  // namespace dentate::vectors
