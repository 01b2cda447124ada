#include "napi/durable_signal.h"

#include "napi/errors.h"

namespace dentate::napi {

std::shared_ptr<DurableSignal> DurableSignal::Make(Napi::Env env, Napi::Function callback) {
  auto signal = std::make_shared<DurableSignal>();
  signal->env_ = env;
  signal->function_ = Function::New(
      env, callback, "dentate:durable", 0, 1, new Context(signal),
      [](Napi::Env, void*, Context* context) { delete context; }, static_cast<void*>(nullptr));
  signal->function_.Unref(env);
  // After the function, which has a hook of its own: they run in reverse order (rule 3).
  napi_add_env_cleanup_hook(env, OnCleanup, signal.get());
  return signal;
}

void DurableSignal::OnCleanup(void* signal) { static_cast<DurableSignal*>(signal)->MarkClosed(); }

bool DurableSignal::MarkClosed() {
  const std::lock_guard lock(mutex_);
  return std::exchange(closed_, true);
}

void DurableSignal::Notify(std::uint64_t sequence, const Status& status) {
  const std::lock_guard lock(mutex_);
  if (sequence > sequence_) sequence_ = sequence;
  if (status_.ok()) status_ = status;
  if (closed_ || calling_) return;
  calling_ = function_.NonBlockingCall() == napi_ok;  // else the environment is about to end
}

void DurableSignal::Call(Napi::Env env, Napi::Function callback, Context* context, void*) {
  if (env == nullptr) return;  // the environment ends
  DurableSignal& signal = **context;
  std::uint64_t sequence = 0;
  Status status;
  {
    const std::lock_guard lock(signal.mutex_);
    signal.calling_ = false;
    sequence = signal.sequence_;
    if (!std::exchange(signal.is_status_told_, !signal.status_.ok())) status = signal.status_;
  }
  callback.Call({Napi::Number::New(env, static_cast<double>(sequence)),
                 status.ok() ? env.Undefined() : ToError(env, status).Value()});
}

void DurableSignal::Hold(bool on) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
  }
  // The JavaScript thread closes, too: it is open until this returns.
  if (on) {
    function_.Ref(env_);
  } else {
    function_.Unref(env_);
  }
}

void DurableSignal::Close() {
  if (MarkClosed()) return;
  napi_remove_env_cleanup_hook(env_, OnCleanup, this);
  function_.Release();
}

}  // namespace dentate::napi
