#include "cuda/cosine_queries.h"

#include <algorithm>
#include <cmath>

#include "cuda/kernels/prepare.h"
#include "cuda/plan.h"

namespace dentate::cuda {
namespace {

// Packs one unit query; its error is the result.
template <Precision kPrecision>
double PackOne(std::span<const float> unit, float scale, std::uint8_t* packed) {
  double lost = 0;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    const double off =
        static_cast<double>(unit[i]) - static_cast<double>(Pack<kPrecision>(
                                           unit[i], scale, packed, static_cast<std::uint32_t>(i)));
    lost += off * off;
  }
  return std::sqrt(lost);
}

}  // namespace

CosineQueries PrepareQueries(std::span<const float> queries, std::uint32_t dimensions,
                             std::uint32_t row_floats, std::uint32_t row_bytes,
                             Precision precision) {
  CosineQueries prepared;
  prepared.count = static_cast<std::uint32_t>(queries.size() / dimensions);
  const std::size_t length = row_bytes / ElementBytes(precision);
  const std::size_t padded = RoundUp(prepared.count, CosineQueries::kPackedQueries);
  prepared.exact.resize(std::size_t{prepared.count} * row_floats);
  prepared.unit.resize(prepared.count * length);
  prepared.packed.resize(padded * row_bytes);
  prepared.scales.resize(padded);
  for (std::uint32_t q = 0; q < prepared.count; ++q) {
    const auto query = queries.subspan(std::size_t{q} * dimensions, dimensions);
    double squares = 0;
    for (const float x : query) squares += static_cast<double>(x) * static_cast<double>(x);
    const double inverse = squares > 0 ? 1 / std::sqrt(squares) : 0;
    float* const unit = prepared.unit.data() + q * length;
    float largest = 0;
    for (std::uint32_t i = 0; i < dimensions; ++i) {
      prepared.exact[std::size_t{q} * row_floats + i] = query[i];
      unit[i] = static_cast<float>(static_cast<double>(query[i]) * inverse);
      largest = std::max(largest, std::fabs(unit[i]));
    }
    const float scale = precision == Precision::kInt8 ? largest / 127 : 1.0F;
    std::uint8_t* const packed = prepared.packed.data() + std::size_t{q} * row_bytes;
    const std::span<const float> all(unit, length);
    const double error =
        precision == Precision::kFp16   ? PackOne<Precision::kFp16>(all, scale, packed)
        : precision == Precision::kBf16 ? PackOne<Precision::kBf16>(all, scale, packed)
                                        : PackOne<Precision::kInt8>(all, scale, packed);
    prepared.scales[q] = scale;
    prepared.lengths.push_back(std::sqrt(squares));
    prepared.errors.push_back(static_cast<float>(error));
  }
  return prepared;
}

double ScoreError(double row_error, double query_error, bool is_zero_query,
                  std::uint32_t dimensions) {
  if (is_zero_query) return 0;
  const double rounding = std::ldexp(static_cast<double>(dimensions) + 8, -23);
  return row_error * (1 + query_error) + query_error +
         rounding * (1 + row_error) * (1 + query_error);
}

}  // namespace dentate::cuda
