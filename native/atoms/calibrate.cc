#include "atoms/calibrate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "atoms/atom_index.h"

namespace dentate::atoms {
namespace {

Options OptionsOf(std::size_t dimensions, double threshold) {
  Options options;
  options.dimensions = dimensions;
  options.policy.threshold = threshold;
  return options;
}

double Percentile(const std::vector<double>& ascending, double percentile) {
  const double at = percentile * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, ascending.size() - 1);
  return ascending[below] + (at - std::floor(at)) * (ascending[above] - ascending[below]);
}

// The largest atom's members when all vectors are clustered at `threshold`.
std::size_t LargestAt(std::span<const float> vectors, std::size_t dimensions, double threshold) {
  AtomIndex index(OptionsOf(dimensions, threshold));
  for (std::size_t at = 0; at < vectors.size(); at += dimensions) {
    Added added;
    index.Add(vectors.subspan(at, dimensions), added);
  }
  return index.Largest();
}

// The cosines of all pairs of examples, ascending; none where one has no direction.
std::vector<double> PairCosines(std::span<const float> vectors, std::size_t dimensions) {
  const std::size_t count = vectors.size() / dimensions;
  const std::size_t examples = std::min(count, kCalibrationExamples);
  MemberRows rows(dimensions, Storage::kFloat32);
  std::vector<double> all;
  for (std::size_t i = 0; i < examples; ++i) {
    Probe probe;
    const std::size_t at = i * count / examples * dimensions;
    if (!rows.ToProbe(vectors.subspan(at, dimensions), probe)) return {};
    rows.ForEachCosine(probe, 0, i, [&](std::size_t, double cosine) { all.push_back(cosine); });
    rows.Add(probe);
  }
  std::sort(all.begin(), all.end());
  return all;
}

bool HaveDirections(std::span<const float> vectors, std::size_t dimensions) {
  const MemberRows rows(dimensions, Storage::kFloat32);
  Probe probe;
  for (std::size_t at = 0; at < vectors.size(); at += dimensions) {
    if (!rows.ToProbe(vectors.subspan(at, dimensions), probe)) return false;
  }
  return true;
}

}  // namespace

bool Calibrate(std::span<const float> vectors, std::size_t dimensions,
               const CalibrateOptions& options, double& threshold) {
  assert(vectors.size() % dimensions == 0);
  if (!HaveDirections(vectors, dimensions)) return false;
  const std::vector<double> cosines = PairCosines(vectors, dimensions);
  if (cosines.empty()) return false;
  const std::size_t count = vectors.size() / dimensions;
  const double share = std::floor(options.most_share * static_cast<double>(count));
  const std::size_t most = std::max<std::size_t>(1, static_cast<std::size_t>(share));
  for (int step = 0; options.percentile + step / 100.0 < 1.01; ++step) {
    threshold = Percentile(cosines, std::min(1.0, options.percentile + step / 100.0));
    if (most >= count || LargestAt(vectors, dimensions, threshold) <= most) return true;
  }
  threshold = 1;
  return true;
}

bool Calibrate(std::span<const std::int8_t> rows, std::size_t dimensions,
               const CalibrateOptions& options, double& threshold) {
  const std::vector<float> vectors(rows.begin(), rows.end());
  return Calibrate(vectors, dimensions, options, threshold);
}

}  // namespace dentate::atoms
