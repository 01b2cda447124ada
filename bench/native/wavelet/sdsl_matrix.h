// sdsl-lite's wm_int<bit_vector, rank_support_v5<>>, behind calls as ours are: its templates are
// compiled in their own file with -O3 -mpopcnt.

#ifndef DENTATE_BENCH_WAVELET_SDSL_MATRIX_H_
#define DENTATE_BENCH_WAVELET_SDSL_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace dentate::bench {

class SdslMatrix {
 public:
  SdslMatrix(std::span<const std::uint32_t> text, unsigned symbol_bits);
  ~SdslMatrix();

  std::uint32_t Access(std::uint32_t i) const;
  std::uint32_t Rank(std::uint32_t symbol, std::uint32_t i) const;
  std::uint32_t Select(std::uint32_t symbol, std::uint32_t k) const;  // k from 0
  std::size_t SizeInBytes() const;

 private:
  struct Matrix;
  std::unique_ptr<Matrix> matrix_;
};

}  // namespace dentate::bench

#endif  // DENTATE_BENCH_WAVELET_SDSL_MATRIX_H_
