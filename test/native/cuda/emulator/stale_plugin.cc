// A plugin of another version of the interface.

#include "cuda/plugin.h"

extern "C" __attribute__((visibility("default"))) const DentateCudaApi* dentate_cuda_api() {
  static const DentateCudaApi api = [] {
    DentateCudaApi stale = {};
    stale.abi_version = DENTATE_CUDA_ABI_VERSION + 1;
    stale.struct_bytes = sizeof stale;
    return stale;
  }();
  return &api;
}
