#include "wavelet/sdsl_matrix.h"

#include <sdsl/wavelet_trees.hpp>

namespace dentate::bench {

struct SdslMatrix::Matrix {
  sdsl::wm_int<sdsl::bit_vector, sdsl::rank_support_v5<>> of;
};

SdslMatrix::SdslMatrix(std::span<const std::uint32_t> text, unsigned symbol_bits)
    : matrix_(std::make_unique<Matrix>()) {
  sdsl::int_vector<> copy(text.size(), 0, static_cast<std::uint8_t>(symbol_bits));
  for (std::size_t i = 0; i < text.size(); ++i) copy[i] = text[i];
  sdsl::construct_im(matrix_->of, copy);
}

SdslMatrix::~SdslMatrix() = default;

std::uint32_t SdslMatrix::Access(std::uint32_t i) const {
  return static_cast<std::uint32_t>(matrix_->of[i]);
}
std::uint32_t SdslMatrix::Rank(std::uint32_t symbol, std::uint32_t i) const {
  return static_cast<std::uint32_t>(matrix_->of.rank(i, symbol));
}
std::uint32_t SdslMatrix::Select(std::uint32_t symbol, std::uint32_t k) const {
  return static_cast<std::uint32_t>(matrix_->of.select(k + 1, symbol));
}
std::size_t SdslMatrix::SizeInBytes() const { return sdsl::size_in_bytes(matrix_->of); }

}  // namespace dentate::bench
