#include "napi/cuda_engine_wrap.h"

#include <string>
#include <utility>
#include <vector>

#include "napi/arguments.h"
#include "napi/call_task.h"
#include "napi/cancel_flag.h"
#include "napi/errors.h"
#include "napi/object_fields.h"
#include "napi/type_tags.h"

namespace dentate::napi {
namespace {

// What a task of `subspaces` reads and writes.
struct Groups {
  std::vector<float> rows;
  std::vector<std::uint32_t> offsets;
  std::vector<float> vectors;
  std::vector<float> values;
};

void CheckGroups(Napi::Env env, const Groups& groups, std::uint32_t dimensions) {
  bool fits = dimensions > 0 && !groups.offsets.empty() && groups.offsets.front() == 0 &&
              groups.rows.size() == std::size_t{groups.offsets.back()} * dimensions;
  for (std::size_t i = 1; fits && i < groups.offsets.size(); ++i) {
    fits = groups.offsets[i - 1] <= groups.offsets[i];
  }
  if (!fits) throw ToError(env, Status(ErrorCode::kInternal, "the groups do not fit their rows"));
}

}  // namespace

Napi::Function CudaEngineWrap::Define(Napi::Env env) {
  return DefineClass(env, "CudaEngine",
                     {
                         InstanceMethod<&CudaEngineWrap::Open>("open"),
                         InstanceMethod<&CudaEngineWrap::Close>("close"),
                         InstanceMethod<&CudaEngineWrap::Memory>("memory"),
                         InstanceMethod<&CudaEngineWrap::Subspaces>("subspaces"),
                     });
}

CudaEngineWrap::CudaEngineWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<CudaEngineWrap>(info),
      engine_(std::make_shared<std::shared_ptr<cuda::Engine>>()) {
  TagThis<CudaEngineWrap>(info);
  if (!info[0].IsString()) throw WrongField(info.Env(), "path");
  options_.device = static_cast<std::int32_t>(Uint32Argument(info, 1, "device"));
  options_.precision = static_cast<std::int32_t>(Uint32Argument(info, 2, "precision"));
  options_.memory_cap = PositionArgument(info, 3, "memoryCap");
  ThrowIfFailed(info.Env(), cuda::LoadPlugin(info[0].As<Napi::String>().Utf8Value(), api_));
}

Napi::Value CudaEngineWrap::Open(const Napi::CallbackInfo& info) {
  auto words = std::make_shared<std::string>();
  auto opened = std::make_shared<std::shared_ptr<cuda::Engine>>();
  return CallTask::Start(
      info, "dentate:cuda-open", info[0],
      [api = api_, options = options_, opened, words](const std::function<bool()>&) {
        Status status = cuda::Engine::Open(api, options, *opened);
        if (status.ok()) *words = (*opened)->Describe();
        return status;
      },
      [engine = engine_, opened, words](Napi::Env env) -> Napi::Value {
        *engine = std::move(*opened);
        return Napi::String::New(env, *words);
      });
}

Napi::Value CudaEngineWrap::Close(const Napi::CallbackInfo& info) {
  // The last owner gives the device's memory back, which waits for what runs: not on this thread.
  auto closed = std::make_shared<std::shared_ptr<cuda::Engine>>(std::move(*engine_));
  engine_->reset();
  return CallTask::Start(info, "dentate:cuda-close", info.Env().Undefined(),
                         [closed](const std::function<bool()>&) {
                           closed->reset();
                           return Status::Ok();
                         });
}

Napi::Value CudaEngineWrap::Memory(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const DentateCudaUse use = engine() == nullptr ? DentateCudaUse{} : engine()->Memory();
  const Napi::Object object = Napi::Object::New(env);
  object.Set("held", ToNumber(env, use.held));
  object.Set("cached", ToNumber(env, use.cached));
  object.Set("cap", ToNumber(env, use.cap));
  return object;
}

Napi::Value CudaEngineWrap::Subspaces(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return OrOutOfMemory(env, [&] {
    if (engine() == nullptr) throw ToError(env, Status(ErrorCode::kClosed, "the device is closed"));
    const auto rows = ViewArgument<float>(info, 0, "rows");
    const std::uint32_t dimensions = Uint32Argument(info, 1, "dimensions");
    const auto offsets = ViewArgument<std::uint32_t>(info, 2, "offsets");
    const std::uint32_t rank = Uint32Argument(info, 3, "rank");
    auto groups = std::make_shared<Groups>();
    groups->rows.assign(rows.begin(), rows.end());
    groups->offsets.assign(offsets.begin(), offsets.end());
    CheckGroups(env, *groups, dimensions);
    const std::size_t count = offsets.size() - 1;
    groups->vectors.resize(count * rank * dimensions);
    groups->values.resize(count * rank);
    const CancelFlag cancel(info[4]);
    return CallTask::Start(
        info, "dentate:cuda-subspaces", info[4],
        [engine = engine(), groups, dimensions, rank, cancel](const std::function<bool()>&) {
          return engine->Subspaces(groups->rows, dimensions, groups->offsets, rank, cancel.get(),
                                   groups->vectors, groups->values);
        },
        [groups](Napi::Env to) -> Napi::Value {
          const Napi::Object object = Napi::Object::New(to);
          object.Set("vectors", ToArray<float>(to, groups->vectors));
          object.Set("values", ToArray<float>(to, groups->values));
          return object;
        });
  });
}

}  // namespace dentate::napi
