// VectorTable, and singular vectors, for JavaScript: src/native/vector-table-binding.ts declares
// what is here.

#ifndef DENTATE_NAPI_VECTOR_TABLE_WRAP_H_
#define DENTATE_NAPI_VECTOR_TABLE_WRAP_H_

#include <napi.h>

#include <cstdint>
#include <memory>

#include "accelerate/vector_table.h"

namespace dentate::napi {

class VectorTableWrap : public Napi::ObjectWrap<VectorTableWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // (rows: number, dimensions: number): room for them.
  explicit VectorTableWrap(const Napi::CallbackInfo& info);

  void Finalize(Napi::BasicEnv env) override;

 private:
  static Napi::Value SingularVectorsAsync(const Napi::CallbackInfo& info);

  Napi::Value Append(const Napi::CallbackInfo& info);
  Napi::Value Release(const Napi::CallbackInfo& info);
  Napi::Value CosineTopKAsync(const Napi::CallbackInfo& info);
  Napi::Value UnitRowSumsAsync(const Napi::CallbackInfo& info);
  Napi::Value Sum(const Napi::CallbackInfo& info);

  // The table, all of whose rows are there. Throws where they aren't, or it was released.
  std::shared_ptr<const accelerate::VectorTable> Full(Napi::Env env) const;

  void Account(Napi::BasicEnv env);

  // Shared with the tasks that search it; none once it was released.
  std::shared_ptr<accelerate::VectorTable> table_;
  std::int64_t accounted_bytes_ = 0;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_VECTOR_TABLE_WRAP_H_
