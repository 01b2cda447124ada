#include "napi/queued_append.h"

#include <new>
#include <utility>

#include "napi/object_fields.h"
#include "napi/type_tags.h"

namespace dentate::napi {
namespace {

// One of the pool's, given back at the end.
class LentEncoder {
 public:
  explicit LentEncoder(TurnEncoderPool& pool) : pool_(pool), encoder_(pool.Borrow()) {}
  LentEncoder(const LentEncoder&) = delete;
  LentEncoder& operator=(const LentEncoder&) = delete;
  ~LentEncoder() { pool_.GiveBack(std::move(encoder_)); }

  signatures::TurnEncoder& operator*() const noexcept { return *encoder_; }

 private:
  TurnEncoderPool& pool_;
  TurnEncoderPool::Encoder encoder_;
};

// { texts, given }
signatures::TurnTexts TextsArgument(const Napi::CallbackInfo& info, std::size_t at,
                                    const char* name, TurnEncoderWrap& encoder) {
  const Napi::Object object = ObjectArgument(info, at, name);
  const Napi::Value texts = object.Get("texts"), given = object.Get("given");
  if (!texts.IsArray() || !given.IsArray()) throw WrongField(info.Env(), name);
  return encoder.ReadTexts(texts.As<Napi::Array>(), given.As<Napi::Array>());
}

Status EncodeAll(const signatures::TurnTexts& texts, signatures::TurnEncoder& encoder,
                 signatures::EncodedTurns& turns) {
  Status status;
  for (std::size_t i = 0; i < texts.size() && status.ok(); ++i) {
    status = texts.Encode(i, encoder, turns);
  }
  return status;
}

}  // namespace

QueuedAppend::QueuedAppend(const Napi::CallbackInfo& info, store::BankHandle bank)
    : bank_(std::move(bank)), batch_(ObjectArgument(info, 0, "batch")) {
  auto& encoder = WrappedArgument<TurnEncoderWrap>(info, 1, "encoder");
  encoders_ = encoder.pool();
  turns_ = TextsArgument(info, 2, "turns", encoder);
  speakers_ = TextsArgument(info, 3, "speakers", encoder);
  if (turns_.size() != batch_.batch().at.size()) throw WrongField(info.Env(), "turns");
  batch_.Own();
}

void QueuedAppend::Encode() {
  try {
    const LentEncoder encoder(*encoders_);
    encoded_turns_ = encoders_->BorrowTurns();
    encoded_speakers_ = encoders_->BorrowTurns();
    status_ = EncodeAll(speakers_, *encoder, encoded_speakers_);
    if (status_.ok()) status_ = EncodeAll(turns_, *encoder, encoded_turns_);
  } catch (const std::bad_alloc&) {
    status_ = {ErrorCode::kOutOfMemory, "not enough memory"};
  }
}

store::Appended QueuedAppend::Append() {
  store::Appended appended;
  if (status_.ok()) {
    try {
      batch_.Encoded(encoded_turns_, encoded_speakers_);
      bank::AppendResult result;
      status_ = bank_.Append(batch_.batch(), result, appended.sequence);
      appended.entries = std::move(result.entries);
      appended.duplicates = std::move(result.duplicates);
    } catch (const std::bad_alloc&) {
      status_ = {ErrorCode::kOutOfMemory, "not enough memory"};
    }
  }
  if (status_.ok()) {
    encoders_->GiveBackTurns(std::move(encoded_turns_));
    encoders_->GiveBackTurns(std::move(encoded_speakers_));
    return appended;
  }
  const std::size_t count = turns_.size();
  appended.entries.assign(count, bank::kNone);
  appended.duplicates.assign(count, 0);
  appended.failures.assign(count, status_);
  for (std::size_t i = 0; count > 1 && i < count; ++i) {
    try {
      appended.failures[i] = AppendOne(i, appended);
    } catch (const std::bad_alloc&) {
      appended.failures[i] = {ErrorCode::kOutOfMemory, "not enough memory"};
    }
  }
  return appended;
}

Status QueuedAppend::AppendOne(std::size_t i, store::Appended& appended) {
  encoded_turns_.Clear();
  encoded_speakers_.Clear();
  {
    const LentEncoder encoder(*encoders_);
    Status status = EncodeAll(speakers_, *encoder, encoded_speakers_);
    if (status.ok()) status = turns_.Encode(i, *encoder, encoded_turns_);
    if (!status.ok()) return status;
  }
  batch_.Encoded(encoded_turns_, encoded_speakers_);
  bank::AppendResult result;
  std::uint64_t sequence = 0;
  Status status = bank_.Append(batch_.One(i), result, sequence);
  if (!status.ok()) return status;
  if (sequence > 0) appended.sequence = sequence;
  appended.entries[i] = result.entries[0];
  appended.duplicates[i] = result.duplicates[0];
  return status;
}

}  // namespace dentate::napi
