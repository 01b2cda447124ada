// A bank of a store, for JavaScript: NativeBank in src/native/store-binding.ts declares it.
//
// Made by StoreWrap alone. What is read goes through views (view_wrap.h).

#ifndef DENTATE_NAPI_BANK_WRAP_H_
#define DENTATE_NAPI_BANK_WRAP_H_

#include <napi.h>

#include <cstdint>
#include <memory>

#include "napi/open_store.h"
#include "store/store.h"

namespace dentate::napi {

// What a bank wrap is made of.
struct NamedBank {
  std::shared_ptr<OpenStore> store;
  store::BankHandle handle;
};

class BankWrap : public Napi::ObjectWrap<BankWrap> {
 public:
  static Napi::Function Define(Napi::Env env);
  static Napi::Object New(Napi::Env env, NamedBank bank);

  // (an External that New makes)
  explicit BankWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value Loaded(const Napi::CallbackInfo& info);
  Napi::Value SizeInBytes(const Napi::CallbackInfo& info);
  Napi::Value Load(const Napi::CallbackInfo& info);
  Napi::Value Append(const Napi::CallbackInfo& info);
  // appendElsewhere(batch, encoder, turns, speakers): on the lane (store.takeAppended).
  void AppendElsewhere(const Napi::CallbackInfo& info);
  Napi::Value Delete(const Napi::CallbackInfo& info);
  void Touch(const Napi::CallbackInfo& info);
  Napi::Value IndexChunks(const Napi::CallbackInfo& info);
  Napi::Value AppendChunks(const Napi::CallbackInfo& info);
  Napi::Value View(const Napi::CallbackInfo& info);

  std::shared_ptr<OpenStore> store_;
  store::BankHandle handle_;
  // Whose names the generation counts: a bank that is loaded anew numbers them anew.
  std::weak_ptr<const bank::Bank> seen_;
  std::uint64_t generation_ = 0;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_BANK_WRAP_H_
