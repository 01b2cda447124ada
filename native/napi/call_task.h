// A native call that takes long, as a Promise: an AsyncTask made of two functions.

#ifndef DENTATE_NAPI_CALL_TASK_H_
#define DENTATE_NAPI_CALL_TASK_H_

#include <napi.h>

#include <functional>
#include <utility>

#include "napi/async_task.h"

namespace dentate::napi {

class CallTask final : public AsyncTask {
 public:
  // Pool thread: no Napi call of any kind.
  using Work = std::function<Status(const std::function<bool()>& cancelled)>;
  // JavaScript thread; undefined where there is none.
  using Result = std::function<Napi::Value(Napi::Env env)>;

  static Napi::Promise Start(const Napi::CallbackInfo& info, const char* name, Napi::Value cancel,
                             Work work, Result result = {}) {
    auto* task = new CallTask(info.Env(), name, std::move(work), std::move(result));
    return AsyncTask::Start(task, info.This().As<Napi::Object>(), cancel);
  }

 protected:
  Status Run() override {
    return work_([this] { return cancelled(); });
  }
  Napi::Value ToResult(Napi::Env env) override { return result_ ? result_(env) : env.Undefined(); }

 private:
  CallTask(Napi::Env env, const char* name, Work work, Result result)
      : AsyncTask(env, name), work_(std::move(work)), result_(std::move(result)) {}

  Work work_;
  const Result result_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_CALL_TASK_H_
