#include "accelerate/query_set.h"

#include <algorithm>
#include <cmath>

namespace dentate::accelerate {

QuerySet::QuerySet(std::span<const float> queries, std::size_t dimensions)
    : table_(queries.size() / dimensions, dimensions) {
  table_.Append(queries);
  units_.resize(size() * table_.stride());
  for (std::size_t q = 0; q < size(); ++q) {
    squares_.push_back(SquaresOf(table_.Row(q), table_.stride()));
    if (IsZero(q)) continue;
    const double length = std::sqrt(squares_[q]);
    for (std::size_t j = 0; j < dimensions; ++j) {
      units_[q * table_.stride() + j] =
          static_cast<float>(static_cast<double>(table_.Row(q)[j]) / length);
    }
  }
  if (size() == 1) return;
  for (std::size_t q = 0; q < size(); q += kPanelQueries) panels_.push_back(MakePanel(q));
}

Panel QuerySet::MakePanel(std::size_t first) const {
  const std::size_t count = std::min(kPanelQueries, size() - first);
  const std::size_t width = (count + kPanelLanes - 1) / kPanelLanes * kPanelLanes;
  const std::size_t stride = table_.stride();
  Panel panel{first, count, width, hamming::MakeHugeArray<float>(stride * width)};
  std::fill_n(panel.values.get(), stride * width, 0.0F);
  for (std::size_t q = 0; q < count; ++q) {
    for (std::size_t j = 0; j < stride; ++j) panel.values[j * width + q] = Unit(first + q)[j];
  }
  return panel;
}

}  // namespace dentate::accelerate
