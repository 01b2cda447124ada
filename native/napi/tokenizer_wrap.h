// JavaScript's Tokenizer: o200k_base, its strings read as UTF-16 and written as UTF-8.
//
// One object per environment is enough: it holds scratch buffers, which a call on the JavaScript
// thread has to itself. The vocabulary behind it is the process's.

#ifndef DENTATE_NAPI_TOKENIZER_WRAP_H_
#define DENTATE_NAPI_TOKENIZER_WRAP_H_

#include <napi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "napi/utf8_reader.h"
#include "text/byte_pair_encoder.h"
#include "text/token_decoder.h"

namespace dentate::napi {

class TokenizerWrap : public Napi::ObjectWrap<TokenizerWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // new Tokenizer(rankFile?: Uint8Array); the file is needed unless Tokenizer.isLoaded().
  explicit TokenizerWrap(const Napi::CallbackInfo& info);

 private:
  static Napi::Value IsLoaded(const Napi::CallbackInfo& info);
  Napi::Value VocabularySize(const Napi::CallbackInfo& info);
  Napi::Value SizeInBytes(const Napi::CallbackInfo& info);
  Napi::Value Encode(const Napi::CallbackInfo& info);
  Napi::Value EncodeWithOffsets(const Napi::CallbackInfo& info);
  Napi::Value EncodeMany(const Napi::CallbackInfo& info);
  Napi::Value Count(const Napi::CallbackInfo& info);
  Napi::Value Decode(const Napi::CallbackInfo& info);
  Napi::Value DecodeMany(const Napi::CallbackInfo& info);

  template <typename Work>
  Napi::Value WithBuffers(Napi::Env env, const Work& work);
  void AppendTokens(Napi::Value text);
  std::span<const std::uint32_t> TokensArgument(const Napi::CallbackInfo& info);
  Napi::String ToText(Napi::Env env, std::span<const std::uint32_t> tokens);
  void ReleaseLargeBuffers();

  std::shared_ptr<const text::Vocabulary> vocabulary_;
  std::unique_ptr<text::BytePairEncoder> encoder_;
  std::unique_ptr<text::TokenDecoder> decoder_;
  Utf8Reader reader_;
  std::vector<std::uint32_t> tokens_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_TOKENIZER_WRAP_H_
