// The C table (plugin.h) over the engine, whatever its device is: the plugin's own, or a test's.

#ifndef DENTATE_CUDA_PLUGIN_API_H_
#define DENTATE_CUDA_PLUGIN_API_H_

#include <memory>

#include "core/status.h"
#include "cuda/device.h"
#include "cuda/plugin.h"

namespace dentate::cuda {

// Opens device `number`. kUnavailable where there is none.
using OpenDevice = Status (*)(int number, std::unique_ptr<Device>& device);

// The table whose `open` opens devices so. One a library.
const DentateCudaApi* PluginApi(OpenDevice open_device);

}  // namespace dentate::cuda

#endif  // DENTATE_CUDA_PLUGIN_API_H_
