// What the CUDA runtime's error numbers mean to us. Plain C++: the numbers are the runtime's ABI
// (driver_types.h, cudaError), so that the mapping is tested where there is no runtime.

#ifndef DENTATE_CUDA_CUDA_STATUS_H_
#define DENTATE_CUDA_CUDA_STATUS_H_

#include "core/status.h"

namespace dentate::cuda {

enum class Trouble {
  kNone,
  kNoDevice,     // there is none that this driver and build can use
  kOutOfMemory,  // an allocation failed: smaller ones may not
  kDeviceLost,   // the context is broken: nothing works from now on
  kOther,
};

Trouble TroubleOf(int cuda_error) noexcept;

// `doing` is what was tried, e.g. "a copy to the device"; `text` is cudaGetErrorString's.
Status ToStatus(int cuda_error, const char* doing, const char* text);

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_CUDA_STATUS_H_
