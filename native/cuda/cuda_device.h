// A real device: device.h over the CUDA runtime.
//
// Copies go through pinned memory of each queue, since the device reads pageable memory only by the
// driver's own staging, at half the speed and with the caller waiting:
//
//   | upload, even pieces | upload, odd pieces | download |     4 MiB each, made with the queue's
//   first copy
//
// A piece is copied by the processor while the one before is on its way.

#ifndef DENTATE_CUDA_CUDA_DEVICE_H_
#define DENTATE_CUDA_CUDA_DEVICE_H_

#include <memory>

#include "core/status.h"
#include "cuda/device.h"

namespace dentate::cuda {

// Device `number`, from 0. kUnavailable where there is none, or one below compute capability 8.0.
Status OpenCudaDevice(int number, std::unique_ptr<Device>& device);

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_CUDA_DEVICE_H_
