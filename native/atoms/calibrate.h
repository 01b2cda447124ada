// A threshold for an embedding space, from unlabelled examples of it.
//
// The paper's rule: the 70th percentile of the pairwise cosines of at most 50 examples. Max-member
// clustering is single linkage, and where many pairs lie just above that percentile it chains: one
// atom then holds most of all members. So a limit can be set to the share of the members that the
// largest atom may hold: all examples are clustered at the percentile, then at each higher one by
// hundredths, until the limit is kept.
//
// Cost: one clustering of all examples for each hundredth tried.
//
// Source: Geng, Wang, Yuan, "Compact-Memory LLM Agents via Online Max-Member Clustering and
// Atom-Aware Packing", 2026 (the percentile). The limit is ours.

#ifndef DENTATE_ATOMS_CALIBRATE_H_
#define DENTATE_ATOMS_CALIBRATE_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace dentate::atoms {

struct CalibrateOptions {
  double percentile = 0.7;  // 0 .. 1, between neighbours by linear interpolation
  double most_share = 1;    // of all members, that the largest atom may hold; 1: no limit
};

// The examples whose pairs are looked at; of more, as many that are evenly spread.
inline constexpr std::size_t kCalibrationExamples = 50;

// The threshold for vectors of `dimensions` values each, one after the other. False where there
// are fewer than two, or one has no direction (all zero, not finite). 1 where no percentile keeps
// the limit; an atom of one member keeps every limit.
bool Calibrate(std::span<const float> vectors, std::size_t dimensions,
               const CalibrateOptions& options, double& threshold);
bool Calibrate(std::span<const std::int8_t> rows, std::size_t dimensions,
               const CalibrateOptions& options, double& threshold);

}  // namespace dentate::atoms

#endif  // DENTATE_ATOMS_CALIBRATE_H_
