// dentate_cuda.so's one function.

#include "cuda/cuda_device.h"
#include "cuda/plugin_api.h"

extern "C" __attribute__((visibility("default"))) const DentateCudaApi* dentate_cuda_api() {
  return dentate::cuda::PluginApi(&dentate::cuda::OpenCudaDevice);
}
