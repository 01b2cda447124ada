// An append on its way to the lane (store/append_lane.h): copies of all that it needs.
//
// Where the whole fails, it is made again turn by turn, so that it is the turn at fault whose
// caller is told.
//
// Threads. Made on the JavaScript thread; Encode, then Append: any.

#ifndef DENTATE_NAPI_QUEUED_APPEND_H_
#define DENTATE_NAPI_QUEUED_APPEND_H_

#include <napi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "napi/append_batch.h"
#include "napi/turn_encoder_wrap.h"
#include "signatures/turn_texts.h"
#include "store/append_lane.h"
#include "store/store.h"

namespace dentate::napi {

class QueuedAppend {
 public:
  // Of BankWrap's appendElsewhere(batch, encoder, turns, speakers).
  QueuedAppend(const Napi::CallbackInfo& info, store::BankHandle bank);

  void Encode();
  store::Appended Append();

 private:
  Status AppendOne(std::size_t i, store::Appended& appended);

  const store::BankHandle bank_;
  AppendBatch batch_;
  std::shared_ptr<TurnEncoderPool> encoders_;
  signatures::TurnTexts turns_, speakers_;
  signatures::EncodedTurns encoded_turns_, encoded_speakers_;
  Status status_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_QUEUED_APPEND_H_
