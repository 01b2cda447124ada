// Packs vectors for the scan: a warp a row, once when rows are appended.

#ifndef DENTATE_CUDA_KERNELS_PREPARE_H_
#define DENTATE_CUDA_KERNELS_PREPARE_H_

#include "cuda/launches.h"

namespace dentate::cuda {

template <class Thread>
DENTATE_DEVICE double SumOverWarp(Thread& thread, double sum) {
  DENTATE_UNROLL
  for (std::uint32_t mask = kWarp / 2; mask > 0; mask /= 2) sum += thread.ShuffleXor(sum, mask);
  return sum;
}

template <class Thread>
DENTATE_DEVICE float MaxOverWarp(Thread& thread, float most) {
  DENTATE_UNROLL
  for (std::uint32_t mask = kWarp / 2; mask > 0; mask /= 2) {
    most = fmaxf(most, thread.ShuffleXor(most, mask));
  }
  return most;
}

// Writes one element, and returns what it stands for.
template <Precision kPrecision>
DENTATE_DEVICE float Pack(float value, float scale, std::uint8_t* row, std::uint32_t at) {
  if constexpr (kPrecision == Precision::kInt8) {
    const float whole = scale > 0 ? rintf(value / scale) : 0.0F;
    reinterpret_cast<std::int8_t*>(row)[at] = static_cast<std::int8_t>(whole);
    return whole * scale;
  } else {
    const std::uint16_t bits = kPrecision == Precision::kFp16 ? ToFp16(value) : ToBf16(value);
    reinterpret_cast<std::uint16_t*>(row)[at] = bits;
    return kPrecision == Precision::kFp16 ? FromFp16(bits) : FromBf16(bits);
  }
}

template <Precision kPrecision, class Thread>
DENTATE_DEVICE void RunPrepare(Thread& thread, const PrepareVectors& p) {
  const std::uint32_t warps = thread.size() / kWarp;
  const std::uint32_t lane = thread.index() % kWarp;
  const std::uint32_t length = p.row_bytes / ElementBytes(kPrecision);
  const std::uint64_t step = static_cast<std::uint64_t>(thread.blocks()) * warps;
  for (std::uint64_t row = p.begin + thread.block() * warps + thread.index() / kWarp; row < p.end;
       row += step) {
    const float* const from = p.rows + row * p.row_floats;
    std::uint8_t* const to = p.packed + row * p.row_bytes;
    double squares = 0;
    float largest = 0;
    for (std::uint32_t i = lane; i < p.dimensions; i += kWarp) {
      squares += static_cast<double>(from[i]) * static_cast<double>(from[i]);
      largest = fmaxf(largest, fabsf(from[i]));
    }
    squares = SumOverWarp(thread, squares);
    largest = MaxOverWarp(thread, largest);
    const double inverse = squares > 0 ? 1 / sqrt(squares) : 0;
    const auto scale = kPrecision == Precision::kInt8
                           ? static_cast<float>(static_cast<double>(largest) * inverse / 127)
                           : 1.0F;
    double lost = 0;
    for (std::uint32_t i = lane; i < length; i += kWarp) {
      const double exact = i < p.dimensions ? static_cast<double>(from[i]) * inverse : 0;
      const float packed = Pack<kPrecision>(static_cast<float>(exact), scale, to, i);
      lost += (exact - static_cast<double>(packed)) * (exact - static_cast<double>(packed));
    }
    lost = SumOverWarp(thread, lost);
    if (lane == 0) {
      p.scales[row] = scale;
      // Floats that are not negative are in the order of their bits. A little more, for the
      // rounding.
      const auto error = static_cast<float>(sqrt(lost) * 1.000001);
      thread.AtomicMax(p.worst_error, BitsOf(error));
    }
  }
}

template <class Thread>
DENTATE_DEVICE void Run(Thread& thread, const PrepareVectors& p) {
  if (p.precision == Precision::kFp16) return RunPrepare<Precision::kFp16>(thread, p);
  if (p.precision == Precision::kBf16) return RunPrepare<Precision::kBf16>(thread, p);
  RunPrepare<Precision::kInt8>(thread, p);
}

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_KERNELS_PREPARE_H_
