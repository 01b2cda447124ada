// A plugin whose device is emulated: everything between JavaScript and the kernels, without a GPU.

#include "cuda/emulator/emulated_device.h"
#include "cuda/plugin_api.h"

extern "C" __attribute__((visibility("default"))) const DentateCudaApi* dentate_cuda_api() {
  return dentate::cuda::PluginApi([](int number, std::unique_ptr<dentate::cuda::Device>& device) {
    if (number != 0) {
      return dentate::Status(dentate::ErrorCode::kUnavailable,
                             "no CUDA device: there is one emulated device, number 0");
    }
    device = dentate::cuda::NewEmulatedDevice(std::make_shared<dentate::cuda::EmulatedSettings>());
    return dentate::Status::Ok();
  });
}
