// Encoded turns, for JavaScript: NativeTurnList in src/native/turn-encoder-binding.ts declares it.
//
// What a TurnEncoder makes of turns stays in native memory until a bank takes it from there.

#ifndef DENTATE_NAPI_TURN_LIST_WRAP_H_
#define DENTATE_NAPI_TURN_LIST_WRAP_H_

#include <napi.h>

#include "signatures/turn_encoder.h"

namespace dentate::napi {

class TurnListWrap : public Napi::ObjectWrap<TurnListWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // new TurnList(columns?): a list that holds these, or nothing.
  explicit TurnListWrap(const Napi::CallbackInfo& info);

  signatures::EncodedTurns& turns() noexcept { return turns_; }

 private:
  static constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

  Napi::Value Count(const Napi::CallbackInfo& info);
  // read(): a copy of all columns.
  Napi::Value Read(const Napi::CallbackInfo& info);
  // take(other): adds what the other list has, and clears that.
  void Take(const Napi::CallbackInfo& info);
  // clear(): of a large list the memory goes, too.
  void Clear(const Napi::CallbackInfo& info);

  signatures::EncodedTurns turns_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_TURN_LIST_WRAP_H_
