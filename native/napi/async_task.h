// Long work off the JavaScript thread, as a Promise.
//
// A task is made of three steps, and the type keeps them apart:
//   constructor   JavaScript thread: reads arguments, copies what it keeps
//   Run           pool thread: no Napi call of any kind
//   ToResult      JavaScript thread: builds the value the Promise resolves to
//
// Cancelling. TypeScript passes an Int32Array of one element, 0, and stores 1 in it when the
// caller's AbortSignal fires. Run polls cancelled() at least every millisecond of work and returns
// ErrorCode::kAborted.

#ifndef DENTATE_NAPI_ASYNC_TASK_H_
#define DENTATE_NAPI_ASYNC_TASK_H_

#include <napi.h>

#include <atomic>
#include <exception>
#include <new>

#include "core/status.h"
#include "napi/arguments.h"
#include "napi/errors.h"

namespace dentate::napi {

class AsyncTask : public Napi::AsyncWorker {
 public:
  // Queues the task, which deletes itself when done. `owner`, the JavaScript object whose native
  // memory the task reads, is kept alive until then. `cancel` is the Int32Array above, or
  // undefined.
  static Napi::Promise Start(AsyncTask* task, Napi::Object owner, Napi::Value cancel) {
    task->owner_ = Napi::Persistent(owner);
    if (cancel.IsTypedArray()) {
      auto flag = cancel.As<Napi::Int32Array>();
      task->cancel_ = flag.Data();
      task->cancel_owner_ = Napi::Persistent(flag.As<Napi::Object>());
    }
    const Napi::Promise promise = task->deferred_.Promise();
    task->Queue();
    return promise;
  }

 protected:
  AsyncTask(Napi::Env env, const char* resource_name)
      : Napi::AsyncWorker(env, resource_name), deferred_(Napi::Promise::Deferred::New(env)) {}

  virtual Status Run() = 0;
  virtual Napi::Value ToResult(Napi::Env env) = 0;

  // Whether the caller has given up. Any thread.
  bool cancelled() const noexcept {
    return cancel_ != nullptr &&
           std::atomic_ref<std::int32_t>(*cancel_).load(std::memory_order_relaxed) != 0;
  }

 private:
  void Execute() final {
    try {
      status_ = cancelled() ? Status(ErrorCode::kAborted, "the operation was aborted") : Run();
    } catch (const std::bad_alloc&) {
      status_ = Status(ErrorCode::kOutOfMemory, "not enough memory");
    } catch (const std::exception& error) {
      // AsyncWorker would keep it for a callback that a Promise doesn't have: it would never
      // settle.
      status_ = Status(ErrorCode::kInternal, error.what());
    }
  }

  void OnOK() final {
    if (!status_.ok()) {
      deferred_.Reject(ToError(Env(), status_).Value());
      return;
    }
    try {
      deferred_.Resolve(ToResult(Env()));
    } catch (const Napi::Error& error) {  // the result itself could not be allocated
      deferred_.Reject(error.Value());
    }
  }

  Napi::Promise::Deferred deferred_;
  Napi::ObjectReference owner_;
  Napi::ObjectReference cancel_owner_;
  std::int32_t* cancel_ = nullptr;
  Status status_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_ASYNC_TASK_H_
