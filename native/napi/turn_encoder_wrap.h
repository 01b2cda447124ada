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
#include "signatures/turn_texts.h"

namespace dentate::napi {

// Any thread.
class TurnEncoderPool {
 public:
  using Encoder = std::unique_ptr<signatures::TurnEncoder>;

  explicit TurnEncoderPool(std::function<Encoder()> make) : make_(std::move(make)) {}

  Encoder Borrow();
  void GiveBack(Encoder encoder);
  // Empty lists whose memory was used before.
  signatures::EncodedTurns BorrowTurns();
  void GiveBackTurns(signatures::EncodedTurns turns);

 private:
  static constexpr std::size_t kIdle = 2;
  static constexpr std::size_t kIdleTurns = 6;
  static constexpr std::size_t kKeptBytes = std::size_t{256} << 10;

  const std::function<Encoder()> make_;
  std::mutex mutex_;
  std::vector<Encoder> idle_;
  std::vector<signatures::EncodedTurns> idle_turns_;
};

class TurnEncoderWrap : public Napi::ObjectWrap<TurnEncoderWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // new TurnEncoder(name, bits, indexDimensions, nonZeros, window), as SignatureEncoder; a
  // tokenizer must have been made.
  explicit TurnEncoderWrap(const Napi::CallbackInfo& info);

  // Copies of texts, and of the words of those that are not plain, for another thread.
  signatures::TurnTexts ReadTexts(const Napi::Array& texts, const Napi::Array& given);
  const std::shared_ptr<TurnEncoderPool>& pool() const noexcept { return pool_; }

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
