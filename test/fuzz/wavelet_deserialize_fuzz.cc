// WaveletMatrix::Deserialize on any bytes: it refuses them, or every query on the result stays
// inside them and agrees with the text they hold.
//
// Random bytes rarely get past the header, so most inputs are recipes: a text, and bytes to change
// in the matrix built from it. What is built is asked through every table of kernels.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "succinct/wavelet_matrix.h"

namespace {

using dentate::succinct::Interval;
using dentate::succinct::Kernels;
using dentate::succinct::WaveletMatrix;

void Require(bool holds) {
  if (!holds) std::abort();
}

void Query(const WaveletMatrix& matrix) {
  const std::uint32_t n = matrix.size();
  Require(matrix.Validate().ok());
  std::vector<std::uint32_t> text(n);
  matrix.AccessRange(0, n, text.data());
  const std::uint32_t step = 1 + n / 64;
  for (std::uint32_t i = 0; i < n; i += step) {
    const std::uint32_t symbol = text[i];
    Require(matrix.symbol_bits() == 32 || symbol >> matrix.symbol_bits() == 0);
    Require(matrix.Access(i) == symbol);
    const std::uint32_t rank = matrix.Rank(symbol, i);
    Require(matrix.Select(symbol, rank) == i);
    Require(rank < matrix.Count(symbol));
    Require(matrix.Select(symbol, matrix.Count(symbol)) == WaveletMatrix::kNotFound);
    std::vector<std::uint32_t> found(4);
    Require(matrix.Occurrences(symbol, rank, found) >= 1 && found[0] == i);
    static_cast<void>(matrix.Rank(symbol ^ 1, n));
    static_cast<void>(matrix.Select(symbol ^ 1, rank));
  }
  Require(!matrix.RangeQuantile(0, n, n));
  static_cast<void>(matrix.RangeTopK(n / 3, n, 5));
  static_cast<void>(matrix.RangeCount(0, n / 2, 1, 7));
  const std::vector<Interval> ranges = {{0, n / 2}, {n / 2, n}};
  static_cast<void>(matrix.RangeIntersect(ranges));
}

void TryBytes(std::span<const std::byte> bytes) {
  WaveletMatrix matrix;
  if (WaveletMatrix::Deserialize(bytes, matrix).ok()) Query(matrix);
}

class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> data) : data_(data) {}
  bool empty() const { return data_.empty(); }
  std::uint32_t Next(std::size_t bytes) {
    std::uint32_t value = 0;
    for (; bytes > 0 && !data_.empty(); --bytes) {
      value = value << 8 | data_.front();
      data_ = data_.subspan(1);
    }
    return value;
  }

 private:
  std::span<const std::uint8_t> data_;
};

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  TryBytes(std::as_bytes(std::span(data, size)));

  Reader reader(std::span(data, size));
  const unsigned symbol_bits = 1 + reader.Next(1) % 32;
  const std::uint32_t runs = reader.Next(1) % 32;
  std::vector<std::uint32_t> text;
  for (std::uint32_t run = 0; run < runs && !reader.empty(); ++run) {
    const std::uint32_t symbol = reader.Next(4) & (0xffffffff >> (32 - symbol_bits));
    const std::uint32_t step = reader.Next(1) % 4;
    for (std::uint32_t i = reader.Next(1) * 3; i > 0; --i) {
      text.push_back((symbol + i * step) & (0xffffffff >> (32 - symbol_bits)));
    }
  }
  const WaveletMatrix built = WaveletMatrix::Build(text, symbol_bits);
  for (const Kernels* kernels : dentate::succinct::SupportedKernels()) Query(built.With(*kernels));
  std::vector<std::byte> bytes(built.bytes().begin(), built.bytes().end());
  while (!reader.empty()) {
    // A position may count from the end: the tables past the lines are small.
    const std::uint32_t where = reader.Next(2) % bytes.size();
    const bool from_end = (reader.Next(1) & 1) != 0;
    bytes[from_end ? bytes.size() - 1 - where : where] ^= static_cast<std::byte>(reader.Next(1));
  }
  TryBytes(bytes);
  return 0;
}
