// One moment of a bank, for JavaScript: NativeView in src/native/store-binding.ts declares it.
//
// Made by BankWrap alone. It holds the snapshot until `release`, and its searches hold it, too, so
// that nothing that happens to the bank meanwhile changes an answer.

#ifndef DENTATE_NAPI_VIEW_WRAP_H_
#define DENTATE_NAPI_VIEW_WRAP_H_

#include <napi.h>

#include <cstdint>
#include <memory>
#include <span>

#include "bank/bank.h"
#include "bank/snapshot.h"

namespace dentate::napi {

// What a view is of.
struct Viewed {
  std::shared_ptr<const bank::Bank> bank;
  std::shared_ptr<const bank::Snapshot> snapshot;
  std::uint64_t generation = 0;
};

class ViewWrap : public Napi::ObjectWrap<ViewWrap> {
 public:
  static Napi::Function Define(Napi::Env env);
  static Napi::Object New(Napi::Env env, Viewed viewed);

  // (an External that New makes)
  explicit ViewWrap(const Napi::CallbackInfo& info);

 private:
  Napi::Value Incarnation(const Napi::CallbackInfo& info);
  Napi::Value EntryCount(const Napi::CallbackInfo& info);
  Napi::Value LiveCount(const Napi::CallbackInfo& info);
  Napi::Value Generation(const Napi::CallbackInfo& info);
  Napi::Value Read(const Napi::CallbackInfo& info);
  Napi::Value Extras(const Napi::CallbackInfo& info);
  Napi::Value TokenCounts(const Napi::CallbackInfo& info);
  Napi::Value SpeakerNames(const Napi::CallbackInfo& info);
  Napi::Value Newest(const Napi::CallbackInfo& info);
  Napi::Value Versions(const Napi::CallbackInfo& info);
  Napi::Value Origins(const Napi::CallbackInfo& info);
  Napi::Value Select(const Napi::CallbackInfo& info);
  Napi::Value Latest(const Napi::CallbackInfo& info);
  Napi::Value DayRuns(const Napi::CallbackInfo& info);
  Napi::Value Search(const Napi::CallbackInfo& info);
  Napi::Value SearchAll(const Napi::CallbackInfo& info);
  Napi::Value SearchChunks(const Napi::CallbackInfo& info);
  Napi::Value NearestAtoms(const Napi::CallbackInfo& info);
  Napi::Value AllChunks(const Napi::CallbackInfo& info);
  Napi::Value ChunkTable(const Napi::CallbackInfo& info);
  Napi::Value ChunkVectors(const Napi::CallbackInfo& info);
  Napi::Value Parts(const Napi::CallbackInfo& info);
  Napi::Value Signatures(const Napi::CallbackInfo& info);
  Napi::Value DueChunks(const Napi::CallbackInfo& info);
  Napi::Value OpenChunks(const Napi::CallbackInfo& info);
  Napi::Value CountChunks(const Napi::CallbackInfo& info);
  Napi::Value Sessions(const Napi::CallbackInfo& info);
  Napi::Value Stats(const Napi::CallbackInfo& info);
  void Release(const Napi::CallbackInfo& info);

  // Throws where the view was released.
  const bank::Snapshot& snapshot(const Napi::CallbackInfo& info) const;

  Viewed viewed_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_VIEW_WRAP_H_
