#include "napi/turn_encoder_wrap.h"

#include <memory>
#include <string>
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

Napi::Array ArrayArgument(const Napi::CallbackInfo& info, std::size_t at, const char* name) {
  if (!info[at].IsArray()) throw WrongField(info.Env(), name);
  return info[at].As<Napi::Array>();
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

Napi::Function TurnEncoderWrap::Define(Napi::Env env) {
  return DefineClass(env, "TurnEncoder",
                     {InstanceMethod<&TurnEncoderWrap::Encode>("encode"),
                      InstanceMethod<&TurnEncoderWrap::EncodeAsync>("encodeAsync")});
}

TurnEncoderWrap::TurnEncoderWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<TurnEncoderWrap>(info) {
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

namespace {

// Texts on their way to another thread, and what became of them.
struct Encoding {
  struct Item {
    enum Kind : std::uint8_t { kNothing, kPlain, kGiven } kind;
    std::size_t text_end;   // in texts
    std::size_t words_end;  // in words
    std::size_t starts_end;
  };
  std::vector<Item> items;
  std::string texts, words;
  std::vector<std::uint32_t> starts;
  signatures::EncodedTurns turns;

  Status Run(signatures::TurnEncoder& encoder, const std::function<bool()>& cancelled) {
    std::size_t text = 0, word = 0, start = 0;
    for (const Item& item : items) {
      if (cancelled()) return {ErrorCode::kAborted, "the encoding was aborted"};
      const auto content = std::string_view(texts).substr(text, item.text_end - text);
      if (item.kind == Item::kNothing) {
        signatures::TurnEncoder::AppendNothing(turns);
      } else if (item.kind == Item::kGiven) {
        encoder.Append(content, std::string_view(words).substr(word, item.words_end - word),
                       std::span(starts).subspan(start, item.starts_end - start), turns);
      } else if (!encoder.AppendPlain(content, turns)) {
        return {ErrorCode::kInternal, "a text without words is not plain"};
      }
      text = item.text_end;
      word = item.words_end;
      start = item.starts_end;
    }
    return Status::Ok();
  }
};

}  // namespace

Napi::Value TurnEncoderWrap::EncodeAsync(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&]() -> Napi::Value {
    TurnListWrap& list = WrappedArgument<TurnListWrap>(info, 0, "list");
    const Napi::Array texts = ArrayArgument(info, 1, "texts");
    const Napi::Array given = ArrayArgument(info, 2, "given");
    auto encoding = std::make_shared<Encoding>();
    for (std::uint32_t i = 0; i < texts.Length(); ++i) {
      const Napi::HandleScope scope(info.Env());
      auto kind = Encoding::Item::kNothing;
      if (const Napi::Value text = texts[i]; !text.IsUndefined()) {
        encoding->texts += text_.Read(text);
        kind = Encoding::Item::kPlain;
        if (const Napi::Value words = given[i]; words.IsObject()) {
          kind = Encoding::Item::kGiven;
          encoding->words += words_.Read(words.As<Napi::Object>().Get("joined"));
          const auto starts = ViewField<std::uint32_t>(words.As<Napi::Object>(), "starts");
          encoding->starts.insert(encoding->starts.end(), starts.begin(), starts.end());
        }
      }
      encoding->items.push_back(
          {kind, encoding->texts.size(), encoding->words.size(), encoding->starts.size()});
    }
    text_.ReleaseLarge();
    words_.ReleaseLarge();
    return CallTask::Start(
        info, "dentate:encode", info[3],
        [encoding, pool = pool_](const std::function<bool()>& cancelled) {
          TurnEncoderPool::Encoder encoder = pool->Borrow();
          Status status = encoding->Run(*encoder, cancelled);
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
