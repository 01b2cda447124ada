// HammingIndex for JavaScript: src/native/hamming-binding.ts declares what is here.

#ifndef DENTATE_NAPI_HAMMING_INDEX_WRAP_H_
#define DENTATE_NAPI_HAMMING_INDEX_WRAP_H_

#include <napi.h>

#include <cstdint>
#include <memory>

#include "hamming/hamming_index.h"

namespace dentate::napi {

class HammingIndexWrap : public Napi::ObjectWrap<HammingIndexWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // (words: number) for an empty index, or (bytes: Uint8Array) for a serialized one.
  explicit HammingIndexWrap(const Napi::CallbackInfo& info);

  void Finalize(Napi::BasicEnv env) override;

 private:
  Napi::Value Words(const Napi::CallbackInfo& info);
  Napi::Value Size(const Napi::CallbackInfo& info);
  Napi::Value Hashed(const Napi::CallbackInfo& info);
  Napi::Value SizeInBytes(const Napi::CallbackInfo& info);
  Napi::Value Add(const Napi::CallbackInfo& info);
  Napi::Value Within(const Napi::CallbackInfo& info);
  Napi::Value Nearest(const Napi::CallbackInfo& info);
  Napi::Value WithinAsync(const Napi::CallbackInfo& info);
  Napi::Value NearestAsync(const Napi::CallbackInfo& info);
  Napi::Value Hash(const Napi::CallbackInfo& info);
  Napi::Value HashAsync(const Napi::CallbackInfo& info);
  Napi::Value Release(const Napi::CallbackInfo& info);
  Napi::Value Serialize(const Napi::CallbackInfo& info);
  Napi::Value Sum(const Napi::CallbackInfo& info);

  // Tells V8 what the index takes now, so that it collects unreachable ones in time.
  void Account(Napi::BasicEnv env);

  // Shared with the tasks that search it.
  std::shared_ptr<hamming::HammingIndex> index_;
  std::int64_t accounted_bytes_ = 0;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_HAMMING_INDEX_WRAP_H_
