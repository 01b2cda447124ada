// Internal: the kernel objects, one for each kernel_<isa>.cc.

#ifndef DENTATE_VECTORS_KERNELS_H_
#define DENTATE_VECTORS_KERNELS_H_

#include "vectors/dot.h"

namespace dentate::vectors {

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

}  // namespace dentate::vectors

#endif  // DENTATE_VECTORS_KERNELS_H_
