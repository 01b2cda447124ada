#include "napi/bank_wrap.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "napi/addon_data.h"
#include "napi/call_task.h"
#include "napi/chunk_calls.h"
#include "napi/object_fields.h"
#include "napi/turn_list_wrap.h"
#include "napi/type_tags.h"
#include "napi/view_wrap.h"

namespace dentate::napi {
namespace {

std::vector<std::string_view> Views(const std::vector<std::string>& strings) {
  return {strings.begin(), strings.end()};
}

std::int64_t Now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A batch whose arrays are JavaScript's and those of encoded turns, and the names that it has to
// hold itself.
struct ReadBatch {
  ReadBatch(const Napi::Object& object, const signatures::EncodedTurns& turns)
      : sessions(StringsField(object, "sessionNames")),
        speakers(StringsField(object, "speakerNames")),
        session_views(Views(sessions)),
        speaker_views(Views(speakers)) {
    batch.extras_lengths = ViewField<std::uint32_t>(object, "extrasLengths");
    batch.sessions = ViewField<std::uint32_t>(object, "sessions");
    batch.speakers = ViewField<std::uint32_t>(object, "speakers");
    batch.roles = ViewField<std::uint8_t>(object, "roles");
    batch.at = ViewField<double>(object, "at");
    batch.ingested = ViewField<double>(object, "ingested");
    batch.expires = ViewField<double>(object, "expires");
    batch.origins = ViewField<std::uint32_t>(object, "origins");
    batch.befores = ViewField<std::uint32_t>(object, "befores");
    batch.extras = ViewField<std::uint8_t>(object, "extras");
    batch.token_counts = turns.token_counts;
    batch.code_counts = turns.code_counts;
    batch.tokens = turns.tokens;
    batch.code_tokens = turns.code_tokens;
    batch.signatures = turns.codes.signatures;
    batch.words = {turns.codes.stems, turns.codes.pieces, turns.codes.piece_counts};
    batch.session_names = session_views;
    batch.speaker_names = speaker_views;
    batch.speaker_words = {ViewField<std::uint64_t>(object, "speakerStems"),
                           ViewField<std::uint32_t>(object, "speakerPieces"),
                           ViewField<std::uint32_t>(object, "speakerPieceCounts")};
    batch.speaker_word_counts = ViewField<std::uint32_t>(object, "speakerWordCounts");
    batch.dedupe = BooleanField(object, "dedupe");
    batch.restore = BooleanField(object, "restore");
  }

  const std::vector<std::string> sessions, speakers;
  const std::vector<std::string_view> session_views, speaker_views;
  bank::Batch batch;
};

}  // namespace

Napi::Function BankWrap::Define(Napi::Env env) {
  return DefineClass(env, "Bank",
                     {
                         InstanceAccessor<&BankWrap::Loaded>("loaded"),
                         InstanceAccessor<&BankWrap::SizeInBytes>("sizeInBytes"),
                         InstanceMethod<&BankWrap::Load>("load"),
                         InstanceMethod<&BankWrap::Append>("append"),
                         InstanceMethod<&BankWrap::Delete>("delete"),
                         InstanceMethod<&BankWrap::Touch>("touch"),
                         InstanceMethod<&BankWrap::IndexChunks>("indexChunks"),
                         InstanceMethod<&BankWrap::AppendChunks>("appendChunks"),
                         InstanceMethod<&BankWrap::View>("view"),
                     });
}

Napi::Object BankWrap::New(Napi::Env env, NamedBank bank) {
  return AddonData::Of(env).bank_class.New({Napi::External<NamedBank>::New(env, &bank)});
}

namespace {

NamedBank& Made(const Napi::CallbackInfo& info) {
  if (!info[0].IsExternal()) throw WrongField(info.Env(), "bank");
  return *info[0].As<Napi::External<NamedBank>>().Data();
}

}  // namespace

BankWrap::BankWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<BankWrap>(info), store_(Made(info).store), handle_(Made(info).handle) {}

Napi::Value BankWrap::Loaded(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), handle_.loaded());
}

Napi::Value BankWrap::SizeInBytes(const Napi::CallbackInfo& info) {
  return ToNumber(info.Env(), handle_.SizeInBytes());
}

Napi::Value BankWrap::Load(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    return CallTask::Start(info, "dentate:load", info.Env().Undefined(),
                           [handle = handle_](const auto&) {
                             std::shared_ptr<const bank::Bank> bank;
                             return handle.Load(bank);
                           });
  });
}

Napi::Value BankWrap::Append(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return OrOutOfMemory(env, [&] {
    const ReadBatch read(ObjectArgument(info, 0, "batch"),
                         WrappedArgument<TurnListWrap>(info, 1, "turns").turns());
    bank::AppendResult result;
    std::uint64_t sequence = 0;
    ThrowIfFailed(env, handle_.Append(read.batch, result, sequence));
    store_->Account(env);
    auto object = Napi::Object::New(env);
    object["sequence"] = ToNumber(env, store_->Awaited(sequence));
    object["entries"] = ToArray(env, result.entries);
    object["duplicates"] = ToArray(env, result.duplicates);
    return object;
  });
}

Napi::Value BankWrap::Delete(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return OrOutOfMemory(env, [&] {
    std::uint32_t deleted = 0;
    std::uint64_t sequence = 0;
    const auto origins = ViewArgument<std::uint32_t>(info, 0, "origins");
    ThrowIfFailed(env, handle_.Delete(origins, deleted, sequence));
    auto object = Napi::Object::New(env);
    object["sequence"] = ToNumber(env, store_->Awaited(sequence));
    object["deleted"] = ToNumber(env, deleted);
    return object;
  });
}

void BankWrap::Touch(const Napi::CallbackInfo& info) {
  OrOutOfMemory(info.Env(), [&] {
    const auto entries = ViewArgument<std::uint32_t>(info, 0, "entries");
    const auto at = static_cast<std::int64_t>(NumberArgument(info, 1, "at"));
    std::uint64_t sequence = 0;
    ThrowIfFailed(info.Env(), handle_.Touch(entries, at, sequence));
  });
}

Napi::Value BankWrap::IndexChunks(const Napi::CallbackInfo& info) {
  return napi::IndexChunks(info, handle_);
}

Napi::Value BankWrap::AppendChunks(const Napi::CallbackInfo& info) {
  return napi::AppendChunks(info, handle_);
}

Napi::Value BankWrap::View(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    Viewed viewed;
    ThrowIfFailed(info.Env(), handle_.Load(viewed.bank));
    if (viewed.bank == nullptr) viewed.bank = store_->nobody;
    viewed.snapshot = info[0].IsUndefined()
                          ? viewed.bank->Read(Now())
                          : viewed.bank->ReadAsOf(
                                Now(), static_cast<std::int64_t>(NumberArgument(info, 0, "asOf")));
    if (seen_.lock() != viewed.bank) {
      seen_ = viewed.bank;
      ++generation_;
    }
    viewed.generation = generation_;
    return ViewWrap::New(info.Env(), std::move(viewed));
  });
}

}  // namespace dentate::napi
