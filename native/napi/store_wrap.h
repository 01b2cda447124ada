// A store, for JavaScript: NativeStore in src/native/store-binding.ts declares it.
//
// An object is one opening of a store by one environment. Openings of one directory, in any threads
// of the process, share what is behind it (store/store.h).

#ifndef DENTATE_NAPI_STORE_WRAP_H_
#define DENTATE_NAPI_STORE_WRAP_H_

#include <napi.h>

#include <memory>

#include "napi/open_store.h"

namespace dentate::napi {

class StoreWrap : public Napi::ObjectWrap<StoreWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // (an External that Open makes)
  explicit StoreWrap(const Napi::CallbackInfo& info);

  void Finalize(Napi::BasicEnv env) override;

 private:
  // open(config, onDurable): Promise of a store.
  static Napi::Value Open(const Napi::CallbackInfo& info);
  static Napi::Value ReadSettings(const Napi::CallbackInfo& info);
  static Napi::Value LockHolder(const Napi::CallbackInfo& info);
  static Napi::Value VerifyFiles(const Napi::CallbackInfo& info);

  Napi::Value Bank(const Napi::CallbackInfo& info);
  Napi::Value Banks(const Napi::CallbackInfo& info);
  Napi::Value DropBank(const Napi::CallbackInfo& info);
  // takeAppended(answers, broken): what became of the first append that bank.appendElsewhere was
  // given and that was not taken: entries and duplicates in `answers`; undefined: not ready.
  Napi::Value TakeAppended(const Napi::CallbackInfo& info);
  void DrainAppends(const Napi::CallbackInfo& info);
  void Hold(const Napi::CallbackInfo& info);
  Napi::Value Flush(const Napi::CallbackInfo& info);
  Napi::Value Seal(const Napi::CallbackInfo& info);
  Napi::Value Compact(const Napi::CallbackInfo& info);
  Napi::Value Purge(const Napi::CallbackInfo& info);
  Napi::Value Backup(const Napi::CallbackInfo& info);
  Napi::Value Verify(const Napi::CallbackInfo& info);
  Napi::Value Adopt(const Napi::CallbackInfo& info);
  Napi::Value Rekey(const Napi::CallbackInfo& info);
  Napi::Value Refresh(const Napi::CallbackInfo& info);
  Napi::Value Stats(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  // Throws kClosed after Close.
  OpenStore& open(const Napi::CallbackInfo& info) const;

  std::shared_ptr<OpenStore> open_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_STORE_WRAP_H_
