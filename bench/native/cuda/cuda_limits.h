// What a CUDA device can do at most, measured in the same run as what is compared with it.

#ifndef DENTATE_BENCH_CUDA_LIMITS_H_
#define DENTATE_BENCH_CUDA_LIMITS_H_

namespace dentate::cuda {

// Bytes read and written by a copy within the device, a second; 0 where it fails.
double CopyBytesPerSecond();

// Operations a second of a product of 8,192 × 8,192 matrices of random bf16 by cuBLAS, where that
// is found (libcublas.so.13 or .12, or what DENTATE_CUBLAS names); else 0.
double Bf16OperationsPerSecond();

}  // namespace dentate::cuda

#endif  // DENTATE_BENCH_CUDA_LIMITS_H_
