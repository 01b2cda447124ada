// Dense rows with NEON (arm64), a row at a time: its lanes take four registers, whose additions
// don't depend on each other.
//
//   float    FMUL, FADD         16 lanes in four registers
//   int8     SMULL, SMLAL       16 products, in pairs, as 8 int16: 2 * 127 * 127 fits
//            SADALP             in fours, to the accumulator of 4 int32
//   double   FCVTL, FMUL, FADD  8 lanes in four registers

#if defined(__aarch64__)

#include <arm_neon.h>

#include "vectors/dense_kernels.h"

namespace dentate::vectors {
namespace {

void FloatDots(const float* query, const float* rows, std::size_t stride, std::size_t count,
               float* dots) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    float32x4_t sums[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
    for (std::size_t j = 0; j < stride; j += kFloatLanes) {
      for (std::size_t v = 0; v < 4; ++v) {
        sums[v] =
            vaddq_f32(sums[v], vmulq_f32(vld1q_f32(query + j + 4 * v), vld1q_f32(row + j + 4 * v)));
      }
    }
    const float32x4_t four = vaddq_f32(vaddq_f32(sums[0], sums[2]), vaddq_f32(sums[1], sums[3]));
    const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    dots[i] = vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
  }
}

void ByteDots(const std::int8_t* query, const std::int8_t* rows, std::size_t stride,
              std::size_t count, std::int32_t* dots) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int8_t* row = rows + i * stride;
    int32x4_t sums[2] = {vdupq_n_s32(0), vdupq_n_s32(0)};
    for (std::size_t j = 0; j < stride; j += kByteLanes) {
      for (std::size_t v = 0; v < 4; ++v) {
        const int8x16_t a = vld1q_s8(query + j + 16 * v);
        const int8x16_t b = vld1q_s8(row + j + 16 * v);
        int16x8_t pairs = vmull_s8(vget_low_s8(a), vget_low_s8(b));
        pairs = vmlal_s8(pairs, vget_high_s8(a), vget_high_s8(b));
        sums[v % 2] = vpadalq_s16(sums[v % 2], pairs);
      }
    }
    dots[i] = vaddvq_s32(vaddq_s32(sums[0], sums[1]));
  }
}

void Project(const double* query, const float* rows, std::size_t stride, std::size_t count,
             double* dots) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    float64x2_t sums[4] = {vdupq_n_f64(0), vdupq_n_f64(0), vdupq_n_f64(0), vdupq_n_f64(0)};
    for (std::size_t j = 0; j < stride; j += kDoubleLanes) {
      for (std::size_t v = 0; v < 4; ++v) {
        const float64x2_t values = vcvt_f64_f32(vld1_f32(row + j + 2 * v));
        sums[v] = vaddq_f64(sums[v], vmulq_f64(vld1q_f64(query + j + 2 * v), values));
      }
    }
    const float64x2_t two = vaddq_f64(vaddq_f64(sums[0], sums[2]), vaddq_f64(sums[1], sums[3]));
    dots[i] = vgetq_lane_f64(two, 0) + vgetq_lane_f64(two, 1);
  }
}

void Accumulate(const double* weights, const float* rows, std::size_t stride, std::size_t count,
                double* sum) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* row = rows + i * stride;
    const float64x2_t weight = vdupq_n_f64(weights[i]);
    for (std::size_t j = 0; j < stride; j += 2) {
      const float64x2_t values = vcvt_f64_f32(vld1_f32(row + j));
      vst1q_f64(sum + j, vaddq_f64(vld1q_f64(sum + j), vmulq_f64(weight, values)));
    }
  }
}

}  // namespace

const DenseKernels kNeonDenseKernels = {Isa::kNeon, FloatDots, ByteDots, Project, Accumulate};

}  // namespace dentate::vectors

#endif  // defined(__aarch64__)
