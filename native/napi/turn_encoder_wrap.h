// TurnEncoder in JavaScript: src/native/turn-encoder-binding.ts has its type.
//
// The JavaScript thread has an encoder to itself. Threads of the pool borrow one of those that are
// kept for them, so that each has its memory of words; no more than kIdle of these wait for work.

#ifndef DENTATE_NAPI_TURN_ENCODER_WRAP_H_
#define DENTATE_NAPI_TURN_ENCODER_WRAP_H_

#include <napi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "napi/utf8_reader.h"
#include "signatures/turn_encoder.h"

namespace dentate::napi {

// Any thread.
class TurnEncoderPool {
 public:
  using Encoder = std::unique_ptr<signatures::TurnEncoder>;

  explicit TurnEncoderPool(std::function<Encoder()> make) : make_(std::move(make)) {}

  Encoder Borrow();
  void GiveBack(Encoder encoder);

 private:
  static constexpr std::size_t kIdle = 2;

  const std::function<Encoder()> make_;
  std::mutex mutex_;
  std::vector<Encoder> idle_;
};

class TurnEncoderWrap : public Napi::ObjectWrap<TurnEncoderWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // new TurnEncoder(name, bits, indexDimensions, nonZeros, window), as SignatureEncoder; a
  // tokenizer must have been made.
  explicit TurnEncoderWrap(const Napi::CallbackInfo& info);

 private:
  // encode(list, texts, given): adds the turns of these texts to the list.
  void Encode(const Napi::CallbackInfo& info);
  // encodeAsync(list, texts, given): the same on a thread of the pool. Promise.
  Napi::Value EncodeAsync(const Napi::CallbackInfo& info);
  void EncodeOne(Napi::Value text, Napi::Value given, signatures::EncodedTurns& turns);

  std::shared_ptr<TurnEncoderPool> pool_;
  TurnEncoderPool::Encoder encoder_;
  Utf8Reader text_, words_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_TURN_ENCODER_WRAP_H_
