#include "napi/turn_list_wrap.h"

#include "napi/object_fields.h"
#include "napi/type_tags.h"

namespace dentate::napi {

Napi::Function TurnListWrap::Define(Napi::Env env) {
  return DefineClass(
      env, "TurnList",
      {InstanceAccessor<&TurnListWrap::Count>("count"), InstanceMethod<&TurnListWrap::Read>("read"),
       InstanceMethod<&TurnListWrap::Take>("take"), InstanceMethod<&TurnListWrap::Clear>("clear")});
}

TurnListWrap::TurnListWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<TurnListWrap>(info) {
  TagThis<TurnListWrap>(info);
  if (info[0].IsUndefined()) return;
  const Napi::Object columns = ObjectArgument(info, 0, "columns");
  OrOutOfMemory(info.Env(), [&] {
    turns_.tokens = CopyField<std::uint32_t>(columns, "tokens");
    turns_.token_counts = CopyField<std::uint32_t>(columns, "tokenCounts");
    turns_.code_tokens = CopyField<std::uint32_t>(columns, "codeTokens");
    turns_.code_counts = CopyField<std::uint32_t>(columns, "codeCounts");
    turns_.codes.signatures = CopyField<std::uint64_t>(columns, "signatures");
    turns_.codes.stems = CopyField<std::uint64_t>(columns, "stems");
    turns_.codes.pieces = CopyField<std::uint32_t>(columns, "pieces");
    turns_.codes.piece_counts = CopyField<std::uint32_t>(columns, "pieceCounts");
  });
}

Napi::Value TurnListWrap::Count(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(turns_.token_counts.size()));
}

Napi::Value TurnListWrap::Read(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return OrOutOfMemory(env, [&] {
    auto columns = Napi::Object::New(env);
    columns["tokens"] = ToArray(env, turns_.tokens);
    columns["tokenCounts"] = ToArray(env, turns_.token_counts);
    columns["codeTokens"] = ToArray(env, turns_.code_tokens);
    columns["codeCounts"] = ToArray(env, turns_.code_counts);
    columns["signatures"] = ToArray(env, turns_.codes.signatures);
    columns["stems"] = ToArray(env, turns_.codes.stems);
    columns["pieces"] = ToArray(env, turns_.codes.pieces);
    columns["pieceCounts"] = ToArray(env, turns_.codes.piece_counts);
    return columns;
  });
}

void TurnListWrap::Take(const Napi::CallbackInfo& info) {
  OrOutOfMemory(info.Env(), [&] {
    TurnListWrap& other = WrappedArgument<TurnListWrap>(info, 0, "other");
    if (&other == this) return;
    turns_.Append(other.turns_);
    other.turns_ = {};
  });
}

void TurnListWrap::Clear(const Napi::CallbackInfo&) {
  if (turns_.SizeInBytes() > kKeptBytes) {
    turns_ = {};
  } else {
    turns_.Clear();
  }
}

}  // namespace dentate::napi
