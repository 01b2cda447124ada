#include "napi/turn_encoder_wrap.h"

#include <memory>
#include <utility>

#include "napi/call_task.h"
#include "napi/object_fields.h"
#include "napi/signature_encoder_wrap.h"
#include "napi/turn_list_wrap.h"
#include "napi/type_tags.h"
#include "text/o200k_base.h"

namespace dentate::napi {
namespace {

std::shared_ptr<const text::Vocabulary> LoadedVocabulary(Napi::Env env) {
  auto vocabulary = text::O200kBase();
  if (vocabulary == nullptr) {
    throw ToError(env, Status(ErrorCode::kInternal, "no vocabulary has been loaded"));
  }
  return vocabulary;
}

}  // namespace

TurnEncoderPool::Encoder TurnEncoderPool::Borrow() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Encoder encoder = std::move(idle_.back());
      idle_.pop_back();
      return encoder;
    }
  }
  return make_();
}

void TurnEncoderPool::GiveBack(Encoder encoder) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kIdle) idle_.push_back(std::move(encoder));
}

signatures::EncodedTurns TurnEncoderPool::BorrowTurns() {
  const std::lock_guard lock(mutex_);
  if (idle_turns_.empty()) return {};
  signatures::EncodedTurns turns = std::move(idle_turns_.back());
  idle_turns_.pop_back();
  return turns;
}

void TurnEncoderPool::GiveBackTurns(signatures::EncodedTurns turns) {
  if (turns.SizeInBytes() > kKeptBytes) return;
  turns.Clear();
  const std::lock_guard lock(mutex_);
  if (idle_turns_.size() < kIdleTurns) idle_turns_.push_back(std::move(turns));
}

Napi::Function TurnEncoderWrap::Define(Napi::Env env) {
  return DefineClass(env, "TurnEncoder",
                     {InstanceMethod<&TurnEncoderWrap::Encode>("encode"),
                      InstanceMethod<&TurnEncoderWrap::EncodeAsync>("encodeAsync")});
}

TurnEncoderWrap::TurnEncoderWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<TurnEncoderWrap>(info) {
  TagThis<TurnEncoderWrap>(info);
  OrOutOfMemory(info.Env(), [&] {
    pool_ = std::make_shared<TurnEncoderPool>(
        [vocabulary = LoadedVocabulary(info.Env()), make = SignatureEncoderWrap::Maker(info)] {
          return std::make_unique<signatures::TurnEncoder>(vocabulary, make());
        });
    encoder_ = pool_->Borrow();
  });
}

void TurnEncoderWrap::EncodeOne(Napi::Value text, Napi::Value given,
                                signatures::EncodedTurns& turns) {
  if (text.IsUndefined()) {
    signatures::TurnEncoder::AppendNothing(turns);
  } else if (given.IsUndefined()) {
    if (encoder_->AppendPlain(text_.Read(text), turns)) return;
    throw ToError(text.Env(), Status(ErrorCode::kInternal, "a text without words is not plain"));
  } else {
    if (!given.IsObject()) throw WrongField(text.Env(), "given");
    const auto words = given.As<Napi::Object>();
    encoder_->Append(text_.Read(text), words_.Read(words.Get("joined")),
                     ViewField<std::uint32_t>(words, "starts"), turns);
  }
}

void TurnEncoderWrap::Encode(const Napi::CallbackInfo& info) {
  OrOutOfMemory(info.Env(), [&] {
    signatures::EncodedTurns& turns = WrappedArgument<TurnListWrap>(info, 0, "list").turns();
    const Napi::Array texts = ArrayArgument(info, 1, "texts");
    const Napi::Array given = ArrayArgument(info, 2, "given");
    for (std::uint32_t i = 0; i < texts.Length(); ++i) {
      const Napi::HandleScope scope(info.Env());
      EncodeOne(texts[i], given[i], turns);
    }
    text_.ReleaseLarge();
    words_.ReleaseLarge();
  });
}

signatures::TurnTexts TurnEncoderWrap::ReadTexts(const Napi::Array& texts,
                                                 const Napi::Array& given) {
  signatures::TurnTexts read;
  for (std::uint32_t i = 0; i < texts.Length(); ++i) {
    const Napi::HandleScope scope(texts.Env());
    const Napi::Value text = texts[i];
    if (text.IsUndefined()) {
      read.AddNothing();
    } else if (const Napi::Value words = given[i]; words.IsObject()) {
      const auto object = words.As<Napi::Object>();
      read.AddGiven(text_.Read(text), words_.Read(object.Get("joined")),
                    ViewField<std::uint32_t>(object, "starts"));
    } else {
      read.AddPlain(text_.Read(text));
    }
  }
  text_.ReleaseLarge();
  words_.ReleaseLarge();
  return read;
}

Napi::Value TurnEncoderWrap::EncodeAsync(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&]() -> Napi::Value {
    TurnListWrap& list = WrappedArgument<TurnListWrap>(info, 0, "list");
    struct Encoding {
      signatures::TurnTexts texts;
      signatures::EncodedTurns turns;
    };
    const auto encoding = std::make_shared<Encoding>();
    encoding->texts = ReadTexts(ArrayArgument(info, 1, "texts"), ArrayArgument(info, 2, "given"));
    return CallTask::Start(
        info, "dentate:encode", info[3],
        [encoding, pool = pool_](const std::function<bool()>& cancelled) {
          TurnEncoderPool::Encoder encoder = pool->Borrow();
          Status status;
          for (std::size_t i = 0; i < encoding->texts.size() && status.ok(); ++i) {
            status = cancelled() ? Status(ErrorCode::kAborted, "the encoding was aborted")
                                 : encoding->texts.Encode(i, *encoder, encoding->turns);
          }
          pool->GiveBack(std::move(encoder));
          return status;
        },
        [encoding, &list,
         owner = std::make_shared<Napi::ObjectReference>(
             Napi::Persistent(info[0].As<Napi::Object>()))](Napi::Env env) {
          list.turns() = std::move(encoding->turns);
          return env.Undefined();
        });
  });
}

}  // namespace dentate::napi
