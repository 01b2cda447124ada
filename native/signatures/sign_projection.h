// Bits of a vector: on which side of d fixed hyperplanes it lies.
//
// For two vectors at angle θ each bit differs with probability θ/π, so the Hamming distance of
// two signatures estimates their angle: cos(π·h/d) estimates the cosine.
//
// The hyperplanes are the rows of a pseudo-random rotation of n dimensions, n a power of two:
//
//   y = H·S2·H·S1·H·S0·x      H: Hadamard matrix (±1), Sk: diagonal of fixed pseudo-random signs
//
//   bit i = y[i] > 0          for i < n; bit n + i comes from a second rotation, and so on
//
// Rows of a rotation are orthogonal, which makes the estimate steadier than independent
// hyperplanes (for 192 dimensions and 128 bits the error of the angle was 0.12 against 0.13), and
// the fast Hadamard transform needs 3·n·log2(n) additions where d·n multiplications were needed.
//
// All is integer arithmetic, so a signature is the same on every machine. Range: a transform
// multiplies the length by √n, so with |x| <= 2^13 and n <= 1024 no component passes
// 2^13 · 32^3 = 2^28; for larger n it has to be shorter.
//
// Sources: M. Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002;
// J. Ji et al., "Super-bit locality-sensitive hashing", NIPS 2012; A. Andoni et al., "Practical and
// optimal LSH for angular distance", NIPS 2015 (the three rounds).

#ifndef DENTATE_SIGNATURES_SIGN_PROJECTION_H_
#define DENTATE_SIGNATURES_SIGN_PROJECTION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dentate::signatures {

// Length of what the encoders project: "1.0" in their fixed-point arithmetic.
inline constexpr std::int32_t kUnit = 8192;
inline constexpr std::size_t kMaxDimensions = 4096;

// Immutable: any thread.
class SignProjection {
 public:
  // REQUIRES: 1 <= dimensions <= kMaxDimensions; bits > 0.
  SignProjection(std::size_t dimensions, std::size_t bits);

  std::size_t dimensions() const noexcept { return dimensions_; }
  std::size_t bits() const noexcept { return bits_; }
  // 64-bit words of a signature; bits past the last one are 0.
  std::size_t words() const noexcept { return (bits_ + 63) / 64; }

  // Writes the first bits() components of the turned vector to `turned`. Linear in `vector`, and
  // exactly so: the image of a sum is the sum of the images. `scratch` is reused between calls.
  // REQUIRES: vector.size() == dimensions(), and its length within the range above.
  void Turn(std::span<const std::int32_t> vector, std::vector<std::int32_t>& scratch,
            std::int32_t* turned) const;

  // Bit i of the signature is turned[i] > 0.
  static void Signs(std::span<const std::int32_t> turned, std::uint64_t* signature) noexcept;

 private:
  static constexpr std::size_t kRounds = 3;

  std::size_t dimensions_;
  std::size_t padded_;  // n
  std::size_t bits_;
  std::vector<std::int32_t> signs_;  // ±1: rotation, round, component
};

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_SIGN_PROJECTION_H_
