#include "signatures/sign_projection.h"

#include <algorithm>
#include <bit>

#include "signatures/hash.h"

namespace dentate::signatures {
namespace {

constexpr std::uint64_t kSeed = 0x64656e7461746531U;  // "dentate1"

// x := H·x, where H is the Hadamard matrix of size n. In place; n a power of two.
void Hadamard(std::int32_t* x, std::size_t n) {
  for (std::size_t half = 1; half < n; half *= 2) {
    for (std::size_t start = 0; start < n; start += 2 * half) {
      for (std::size_t i = start; i < start + half; ++i) {
        const std::int32_t a = x[i];
        const std::int32_t b = x[i + half];
        x[i] = a + b;
        x[i + half] = a - b;
      }
    }
  }
}

}  // namespace

SignProjection::SignProjection(std::size_t dimensions, std::size_t bits)
    : dimensions_(dimensions), padded_(std::bit_ceil(dimensions)), bits_(bits) {
  const std::size_t rotations = (bits + padded_ - 1) / padded_;
  signs_.resize(rotations * kRounds * padded_);
  SplitMix64 random(kSeed);
  for (auto& sign : signs_) sign = (random.Next() >> 63) != 0 ? -1 : 1;
}

void SignProjection::Turn(std::span<const std::int32_t> vector, std::vector<std::int32_t>& scratch,
                          std::int32_t* turned) const {
  scratch.resize(padded_);
  for (std::size_t first = 0, at = 0; first < bits_; first += padded_) {
    std::fill(std::copy(vector.begin(), vector.end(), scratch.begin()), scratch.end(), 0);
    for (std::size_t round = 0; round < kRounds; ++round, at += padded_) {
      for (std::size_t i = 0; i < padded_; ++i) scratch[i] *= signs_[at + i];
      Hadamard(scratch.data(), padded_);
    }
    std::copy_n(scratch.begin(), std::min(padded_, bits_ - first), turned + first);
  }
}

void SignProjection::Signs(std::span<const std::int32_t> turned,
                           std::uint64_t* signature) noexcept {
  std::fill_n(signature, (turned.size() + 63) / 64, 0);
  for (std::size_t i = 0; i < turned.size(); ++i) {
    signature[i / 64] |= static_cast<std::uint64_t>(turned[i] > 0) << (i % 64);
  }
}

}  // namespace dentate::signatures
