// TurnEncoder in JavaScript: src/native/turn-encoder-binding.ts has its type.

#ifndef DENTATE_NAPI_TURN_ENCODER_WRAP_H_
#define DENTATE_NAPI_TURN_ENCODER_WRAP_H_

#include <napi.h>

#include "napi/utf8_reader.h"
#include "signatures/turn_encoder.h"

namespace dentate::napi {

class TurnEncoderWrap : public Napi::ObjectWrap<TurnEncoderWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // new TurnEncoder(name, bits, indexDimensions, nonZeros, window), as SignatureEncoder; a
  // tokenizer must have been made.
  explicit TurnEncoderWrap(const Napi::CallbackInfo& info);

 private:
  // encode(list, texts, given): adds the turns of these texts to the list.
  void Encode(const Napi::CallbackInfo& info);
  void EncodeOne(Napi::Value text, Napi::Value given, signatures::EncodedTurns& turns);

  signatures::TurnEncoder encoder_;
  Utf8Reader text_, words_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_TURN_ENCODER_WRAP_H_
