#include "napi/tokenizer_wrap.h"

#include <string>

#include "napi/arguments.h"
#include "text/o200k_base.h"
#include "text/utf8.h"

namespace dentate::napi {
namespace {

constexpr std::size_t kKeptTokens = 1 << 18;  // of the buffer between calls

Napi::Object Lists(Napi::Env env, std::span<const std::uint32_t> tokens, const char* name,
                   std::span<const std::uint32_t> values) {
  auto lists = Napi::Object::New(env);
  lists["tokens"] = ToTypedArray<std::uint32_t>(env, tokens);
  lists[name] = ToTypedArray<std::uint32_t>(env, values);
  return lists;
}

}  // namespace

Napi::Function TokenizerWrap::Define(Napi::Env env) {
  return DefineClass(env, "Tokenizer",
                     {
                         StaticMethod<&TokenizerWrap::IsLoaded>("isLoaded"),
                         InstanceAccessor<&TokenizerWrap::VocabularySize>("vocabularySize"),
                         InstanceAccessor<&TokenizerWrap::SizeInBytes>("sizeInBytes"),
                         InstanceMethod<&TokenizerWrap::Encode>("encode"),
                         InstanceMethod<&TokenizerWrap::EncodeWithOffsets>("encodeWithOffsets"),
                         InstanceMethod<&TokenizerWrap::EncodeMany>("encodeMany"),
                         InstanceMethod<&TokenizerWrap::Count>("count"),
                         InstanceMethod<&TokenizerWrap::Decode>("decode"),
                         InstanceMethod<&TokenizerWrap::DecodeMany>("decodeMany"),
                     });
}

TokenizerWrap::TokenizerWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<TokenizerWrap>(info), vocabulary_(text::O200kBase()) {
  OrOutOfMemory(info.Env(), [&] {
    if (vocabulary_ == nullptr) {
      const auto file = ViewArgument<std::uint8_t>(info, 0, "rankFile");
      ThrowIfFailed(info.Env(),
                    text::LoadO200kBase({reinterpret_cast<const char*>(file.data()), file.size()}));
      vocabulary_ = text::O200kBase();
    }
    encoder_ = std::make_unique<text::BytePairEncoder>(vocabulary_);
    decoder_ = std::make_unique<text::TokenDecoder>(vocabulary_);
  });
}

Napi::Value TokenizerWrap::IsLoaded(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), text::O200kBase() != nullptr);
}

Napi::Value TokenizerWrap::VocabularySize(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), vocabulary_->size());
}

Napi::Value TokenizerWrap::SizeInBytes(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(vocabulary_->SizeInBytes()));
}

// Appends the tokens of a JavaScript string to tokens_.
void TokenizerWrap::AppendTokens(Napi::Value text) {
  encoder_->Append(reader_.Read(text), tokens_);
}

// Runs work that uses the buffers, and gives large ones back however it ends.
template <typename Work>
Napi::Value TokenizerWrap::WithBuffers(Napi::Env env, const Work& work) {
  struct Release {
    TokenizerWrap& wrap;
    ~Release() { wrap.ReleaseLargeBuffers(); }
  };
  const Release release{*this};
  tokens_.clear();
  return OrOutOfMemory(env, work);
}

Napi::Value TokenizerWrap::Encode(const Napi::CallbackInfo& info) {
  return WithBuffers(info.Env(), [&]() -> Napi::Value {
    AppendTokens(info[0]);
    return ToTypedArray<std::uint32_t>(info.Env(), tokens_);
  });
}

Napi::Value TokenizerWrap::Count(const Napi::CallbackInfo& info) {
  return WithBuffers(info.Env(), [&]() -> Napi::Value {
    AppendTokens(info[0]);
    return Napi::Number::New(info.Env(), static_cast<double>(tokens_.size()));
  });
}

Napi::Value TokenizerWrap::EncodeWithOffsets(const Napi::CallbackInfo& info) {
  return WithBuffers(info.Env(), [&]() -> Napi::Value {
    AppendTokens(info[0]);
    std::vector<std::uint32_t> ends;
    decoder_->AppendUtf16Ends(tokens_, ends);
    return Lists(info.Env(), tokens_, "ends", ends);
  });
}

Napi::Value TokenizerWrap::EncodeMany(const Napi::CallbackInfo& info) {
  if (!info[0].IsArray()) {
    throw ToError(info.Env(), Status(ErrorCode::kInternal, "texts is not an array"));
  }
  return WithBuffers(info.Env(), [&]() -> Napi::Value {
    const auto texts = info[0].As<Napi::Array>();
    std::vector<std::uint32_t> offsets{0};
    for (std::uint32_t i = 0; i < texts.Length(); ++i) {
      const Napi::HandleScope scope(info.Env());
      AppendTokens(texts[i]);
      offsets.push_back(static_cast<std::uint32_t>(tokens_.size()));
    }
    return Lists(info.Env(), tokens_, "offsets", offsets);
  });
}

// The tokens of the first argument, copied: it may be shared memory that another thread writes to,
// and an id must not change between its check and its use.
std::span<const std::uint32_t> TokenizerWrap::TokensArgument(const Napi::CallbackInfo& info) {
  const auto view = ViewArgument<std::uint32_t>(info, 0, "tokens");
  tokens_.assign(view.begin(), view.end());
  const std::size_t unknown = decoder_->FirstUnknown(tokens_);
  if (unknown < tokens_.size()) {
    throw Napi::RangeError::New(
        info.Env(), "token " + std::to_string(tokens_[unknown]) + " is not in the vocabulary");
  }
  return tokens_;
}

Napi::String TokenizerWrap::ToText(Napi::Env env, std::span<const std::uint32_t> tokens) {
  const std::string_view bytes = decoder_->Decode(tokens);
  napi_value result = nullptr;
  const napi_status status =
      text::IsAscii(bytes) ? napi_create_string_latin1(env, bytes.data(), bytes.size(), &result)
                           : napi_create_string_utf8(env, bytes.data(), bytes.size(), &result);
  NAPI_THROW_IF_FAILED(env, status, Napi::String());
  return {env, result};
}

Napi::Value TokenizerWrap::Decode(const Napi::CallbackInfo& info) {
  return WithBuffers(info.Env(),
                     [&]() -> Napi::Value { return ToText(info.Env(), TokensArgument(info)); });
}

Napi::Value TokenizerWrap::DecodeMany(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return WithBuffers(env, [&]() -> Napi::Value {
    const auto tokens = TokensArgument(info);
    const auto view = ViewArgument<std::uint32_t>(info, 1, "offsets");
    const std::vector<std::uint32_t> offsets(view.begin(), view.end());
    const std::size_t count = offsets.empty() ? 0 : offsets.size() - 1;
    auto texts = Napi::Array::New(env, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (offsets[i] > offsets[i + 1] || offsets[i + 1] > tokens.size()) {
        throw Napi::RangeError::New(env, "offsets do not ascend within the tokens");
      }
      const Napi::HandleScope scope(env);
      texts[i] = ToText(env, tokens.subspan(offsets[i], offsets[i + 1] - offsets[i]));
    }
    return texts;
  });
}

void TokenizerWrap::ReleaseLargeBuffers() {
  reader_.ReleaseLarge();
  if (tokens_.capacity() > kKeptTokens) tokens_ = {};
}

}  // namespace dentate::napi
