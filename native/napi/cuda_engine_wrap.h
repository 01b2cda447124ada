// The CUDA plugin's engine for JavaScript: src/native/cuda-binding.ts declares what is here.
//
// The constructor only opens the plugin's library; `open` starts the device, which takes long, on
// another thread. What is created of a closed engine's rows goes on living until it is disposed of.

#ifndef DENTATE_NAPI_CUDA_ENGINE_WRAP_H_
#define DENTATE_NAPI_CUDA_ENGINE_WRAP_H_

#include <napi.h>

#include <memory>

#include "cuda/loader.h"

namespace dentate::napi {

class CudaEngineWrap : public Napi::ObjectWrap<CudaEngineWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // (path: string, device: number, precision: number, memoryCap: number).
  explicit CudaEngineWrap(const Napi::CallbackInfo& info);

  // Null until it is opened, and after it is closed.
  const std::shared_ptr<cuda::Engine>& engine() const noexcept { return *engine_; }

 private:
  Napi::Value Open(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);
  Napi::Value Memory(const Napi::CallbackInfo& info);
  Napi::Value Subspaces(const Napi::CallbackInfo& info);

  const DentateCudaApi* api_ = nullptr;
  DentateCudaOptions options_ = {};
  // Behind a pointer of its own, so that a task that opens it needs not this object.
  std::shared_ptr<std::shared_ptr<cuda::Engine>> engine_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_CUDA_ENGINE_WRAP_H_
