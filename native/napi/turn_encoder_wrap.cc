#include "napi/turn_encoder_wrap.h"

#include <memory>

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

Napi::Array ArrayArgument(const Napi::CallbackInfo& info, std::size_t at, const char* name) {
  if (!info[at].IsArray()) throw WrongField(info.Env(), name);
  return info[at].As<Napi::Array>();
}

}  // namespace

Napi::Function TurnEncoderWrap::Define(Napi::Env env) {
  return DefineClass(env, "TurnEncoder", {InstanceMethod<&TurnEncoderWrap::Encode>("encode")});
}

TurnEncoderWrap::TurnEncoderWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<TurnEncoderWrap>(info),
      encoder_(LoadedVocabulary(info.Env()), SignatureEncoderWrap::Make(info)) {}

void TurnEncoderWrap::EncodeOne(Napi::Value text, Napi::Value given,
                                signatures::EncodedTurns& turns) {
  if (text.IsUndefined()) {
    signatures::TurnEncoder::AppendNothing(turns);
  } else if (given.IsUndefined()) {
    if (encoder_.AppendPlain(text_.Read(text), turns)) return;
    throw ToError(text.Env(), Status(ErrorCode::kInternal, "a text without words is not plain"));
  } else {
    if (!given.IsObject()) throw WrongField(text.Env(), "given");
    const auto words = given.As<Napi::Object>();
    encoder_.Append(text_.Read(text), words_.Read(words.Get("joined")),
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

}  // namespace dentate::napi
