// The paper's encoder: no model, a word is what stands around it.
//
// Each word v has a fixed sparse ternary vector r_v of D dimensions: t components are not zero,
// half of them +1 and half -1, at places drawn from the hash of its stem. The vector of the word at
// position i sums those of its window, itself included:
//
//   e_i = Σ r_{w(j)},  |j − i| <= window, j within the text
//
// Two ways to make bits of it:
//   hyperplanes   signs of a fixed rotation of e_i (sign_projection.h): what Appendix G of the
//                 paper proves, and what is used by default;
//   literal       section 3.3 as written: I_i are the d components with the largest |e_i|, in
//                 descending order, and bit k says whether e_i[I_i[k]] > 0. I_i differs from word
//                 to word, so that equal bit numbers stand for different dimensions. For
//                 comparison.
//
// With hyperplanes the rotation of a sum is the sum of the rotations, and those of the words are
// cached: a word costs (2·window + 1)·d additions. Stop words are not in the text any more when it
// gets here. A question's words are encoded without their neighbours.
//
// Sources: Y. Li et al., "Hippocampus", MLSys 2026, section 3.3; P. Kanerva, J. Kristofersson and
// A. Holst, "Random indexing of text samples for latent semantic analysis", CogSci 2000.

#ifndef DENTATE_SIGNATURES_RANDOM_INDEXING_H_
#define DENTATE_SIGNATURES_RANDOM_INDEXING_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "signatures/encoder.h"
#include "signatures/sign_projection.h"

namespace dentate::signatures {

struct RandomIndexingOptions {
  std::size_t bits = 128;
  std::size_t index_dimensions = 1024;  // D, at most kMaxDimensions and at least bits
  std::size_t non_zeros = 10;           // t, even, at most kMaxNonZeros
  std::size_t window = 1;               // words on each side, at most kMaxWindow
  bool literal = false;
};
inline constexpr std::size_t kMaxNonZeros = 64;
inline constexpr std::size_t kMaxWindow = 16;

// The paper's literal rule for one vector e: see above. Ties in |e| go to the lower dimension.
// `order` is scratch. REQUIRES: bits <= e.size().
void LiteralSignature(std::span<const std::int32_t> e, std::size_t bits,
                      std::vector<std::uint32_t>& order, std::uint64_t* signature);

class RandomIndexingEncoder final : public Encoder {
 public:
  explicit RandomIndexingEncoder(const RandomIndexingOptions& options);

  std::size_t bits() const noexcept override { return options_.bits; }
  bool has_window() const noexcept override { return options_.window > 0; }
  std::size_t dimensions() const noexcept override { return 0; }
  void Append(std::span<const ListedWord> words, EncodedText& encoded) override;
  void EncodeQuery(std::span<const ListedWord> words, EncodedText& encoded) override;

  // Adds sign · r_v of the word with this stem hash to `e`, D long.
  void AddIndexVector(std::uint64_t stem, std::int32_t sign, std::span<std::int32_t> e) const;

 protected:
  void SetVector(EncodedText&) override {}

 private:
  static constexpr std::size_t kMaxCached = 16384;

  void AppendWindowed(std::span<const ListedWord> words, std::size_t window, EncodedText& encoded);
  const std::vector<std::int32_t>& TurnedOf(std::uint64_t stem);
  void Add(std::uint64_t stem, std::int32_t sign);

  RandomIndexingOptions options_;
  SignProjection projection_;
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> turned_;  // by stem
  std::vector<std::int32_t> sum_;                                        // e_i, or its rotation
  std::vector<std::int32_t> index_;  // scratch: one index vector
  std::vector<std::int32_t> scratch_;
  std::vector<std::uint32_t> order_;
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_RANDOM_INDEXING_H_
