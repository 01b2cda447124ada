// Internal: the kernel objects, one for each dense_<isa>.cc.

#ifndef DENTATE_VECTORS_DENSE_KERNELS_H_
#define DENTATE_VECTORS_DENSE_KERNELS_H_

#include "vectors/dense.h"

namespace dentate::vectors {

extern const DenseKernels kScalarDenseKernels;
#if defined(__x86_64__)
extern const DenseKernels kAvx2DenseKernels;
extern const DenseKernels kAvx512DenseKernels;
#elif defined(__aarch64__)
extern const DenseKernels kNeonDenseKernels;
#endif

}  // namespace dentate::vectors

#endif  // DENTATE_VECTORS_DENSE_KERNELS_H_
