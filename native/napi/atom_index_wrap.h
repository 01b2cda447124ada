// AtomIndex for JavaScript: src/native/atoms-binding.ts declares what is here.

#ifndef DENTATE_NAPI_ATOM_INDEX_WRAP_H_
#define DENTATE_NAPI_ATOM_INDEX_WRAP_H_

#include <napi.h>

#include <cstdint>
#include <memory>

#include "atoms/atom_index.h"

namespace dentate::napi {

class AtomIndexWrap : public Napi::ObjectWrap<AtomIndexWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // (options: NativeAtomOptions) for an empty index, or (bytes: Uint8Array) for a serialized one.
  explicit AtomIndexWrap(const Napi::CallbackInfo& info);

  void Finalize(Napi::BasicEnv env) override;

 private:
  static Napi::Value Calibrate(const Napi::CallbackInfo& info);

  Napi::Value Options(const Napi::CallbackInfo& info);
  Napi::Value Size(const Napi::CallbackInfo& info);
  Napi::Value Count(const Napi::CallbackInfo& info);
  Napi::Value SizeInBytes(const Napi::CallbackInfo& info);
  Napi::Value Add(const Napi::CallbackInfo& info);
  Napi::Value AddAsync(const Napi::CallbackInfo& info);
  Napi::Value Remove(const Napi::CallbackInfo& info);
  Napi::Value AtomOf(const Napi::CallbackInfo& info);
  Napi::Value Members(const Napi::CallbackInfo& info);
  Napi::Value Vector(const Napi::CallbackInfo& info);
  Napi::Value Atoms(const Napi::CallbackInfo& info);
  Napi::Value Nearest(const Napi::CallbackInfo& info);
  Napi::Value NearestAsync(const Napi::CallbackInfo& info);
  Napi::Value NearestMembers(const Napi::CallbackInfo& info);
  Napi::Value Similarities(const Napi::CallbackInfo& info);
  Napi::Value Statistics(const Napi::CallbackInfo& info);
  Napi::Value Serialize(const Napi::CallbackInfo& info);
  Napi::Value Sum(const Napi::CallbackInfo& info);

  // Tells V8 what the index takes now, so that it collects unreachable ones in time.
  void Account(Napi::BasicEnv env);

  // Vectors at `at`, one after the other. Throws where they are no whole number of them.
  std::span<const float> VectorsArgument(const Napi::CallbackInfo& info, std::size_t at) const;

  // Shared with the tasks that use it.
  std::shared_ptr<atoms::AtomIndex> index_;
  std::int64_t accounted_bytes_ = 0;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_ATOM_INDEX_WRAP_H_
