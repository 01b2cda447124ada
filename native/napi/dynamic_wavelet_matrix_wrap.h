// DynamicWaveletMatrix for JavaScript: src/native/wavelet-binding.ts declares what is here.

#ifndef DENTATE_NAPI_DYNAMIC_WAVELET_MATRIX_WRAP_H_
#define DENTATE_NAPI_DYNAMIC_WAVELET_MATRIX_WRAP_H_

#include <napi.h>

#include <cstdint>
#include <memory>

#include "succinct/dynamic_wavelet_matrix.h"

namespace dentate::napi {

class DynamicWaveletMatrixWrap : public Napi::ObjectWrap<DynamicWaveletMatrixWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // (symbolBits: number, sealAfter: number) for an empty matrix, or (bytes: Uint8Array, sealAfter:
  // number) for a serialized one.
  explicit DynamicWaveletMatrixWrap(const Napi::CallbackInfo& info);

  void Finalize(Napi::BasicEnv env) override;

 private:
  Napi::Value SymbolBits(const Napi::CallbackInfo& info);
  Napi::Value Size(const Napi::CallbackInfo& info);
  Napi::Value SizeInBytes(const Napi::CallbackInfo& info);
  Napi::Value Append(const Napi::CallbackInfo& info);
  Napi::Value Access(const Napi::CallbackInfo& info);
  Napi::Value AccessMany(const Napi::CallbackInfo& info);
  Napi::Value AccessRange(const Napi::CallbackInfo& info);
  Napi::Value Rank(const Napi::CallbackInfo& info);
  Napi::Value RankMany(const Napi::CallbackInfo& info);
  Napi::Value Select(const Napi::CallbackInfo& info);
  Napi::Value SelectMany(const Napi::CallbackInfo& info);
  Napi::Value Count(const Napi::CallbackInfo& info);
  Napi::Value Occurrences(const Napi::CallbackInfo& info);
  Napi::Value RangeCount(const Napi::CallbackInfo& info);
  Napi::Value RangeQuantile(const Napi::CallbackInfo& info);
  Napi::Value RangeTopK(const Napi::CallbackInfo& info);
  Napi::Value RangeDistinct(const Napi::CallbackInfo& info);
  Napi::Value RangeIntersect(const Napi::CallbackInfo& info);
  void Seal(const Napi::CallbackInfo& info);
  Napi::Value SealedAsync(const Napi::CallbackInfo& info);
  Napi::Value Serialize(const Napi::CallbackInfo& info);

  // The interval of arguments `at` and `at` + 1.
  succinct::Interval IntervalArgument(const Napi::CallbackInfo& info, std::size_t at) const;
  // Tells V8 what the matrix takes now, so that it collects unreachable ones in time.
  void Account(Napi::BasicEnv env);

  // Shared with the task that waits for sealing.
  std::shared_ptr<succinct::DynamicWaveletMatrix> matrix_;
  std::int64_t accounted_bytes_ = 0;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_DYNAMIC_WAVELET_MATRIX_WRAP_H_
