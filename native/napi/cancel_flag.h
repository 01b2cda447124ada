// Where a task's caller says that it has given up (async_task.h), for code that reads it by itself.

#ifndef DENTATE_NAPI_CANCEL_FLAG_H_
#define DENTATE_NAPI_CANCEL_FLAG_H_

#include <napi.h>

#include <cstdint>

namespace dentate::napi {

class CancelFlag {
 public:
  // An Int32Array of one element, or undefined. The task that is started with the same value keeps
  // it alive.
  explicit CancelFlag(const Napi::Value& cancel)
      : flag_(cancel.IsTypedArray() ? cancel.As<Napi::Int32Array>().Data() : nullptr) {}

  // Null where nobody can give up.
  const std::int32_t* get() const noexcept { return flag_; }

 private:
  const std::int32_t* flag_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_CANCEL_FLAG_H_
