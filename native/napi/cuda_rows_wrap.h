// Vectors or signatures on a CUDA device, for JavaScript: src/native/cuda-binding.ts declares what
// is here.

#ifndef DENTATE_NAPI_CUDA_ROWS_WRAP_H_
#define DENTATE_NAPI_CUDA_ROWS_WRAP_H_

#include <napi.h>

#include <memory>
#include <span>

#include "cuda/loader.h"

namespace dentate::napi {

class CudaRowsWrap : public Napi::ObjectWrap<CudaRowsWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // (engine: CudaEngine, kind: 0 vectors, 1 signatures; count: number, width: number).
  explicit CudaRowsWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value Append(const Napi::CallbackInfo& info);
  Napi::Value Dispose(const Napi::CallbackInfo& info);
  Napi::Value CosineTopK(const Napi::CallbackInfo& info);
  Napi::Value HammingTopK(const Napi::CallbackInfo& info);
  Napi::Value HammingWithin(const Napi::CallbackInfo& info);
  Napi::Value Embed(const Napi::CallbackInfo& info);

  // What a task keeps. Throws where they are disposed of, or of another kind.
  const std::shared_ptr<cuda::Rows>& RowsOf(Napi::Env env, DentateCudaKind kind) const;
  // The queries of a search: whole rows.
  template <typename T>
  std::span<const T> Queries(const Napi::CallbackInfo& info, const cuda::Rows& rows) const;
  // At most the number of rows.
  std::uint32_t K(const Napi::CallbackInfo& info, const cuda::Rows& rows) const;

  std::shared_ptr<cuda::Rows> rows_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_CUDA_ROWS_WRAP_H_
