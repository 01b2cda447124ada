#include "napi/bank_wrap.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "napi/addon_data.h"
#include "napi/append_batch.h"
#include "napi/call_task.h"
#include "napi/chunk_calls.h"
#include "napi/object_fields.h"
#include "napi/queued_append.h"
#include "napi/turn_list_wrap.h"
#include "napi/type_tags.h"
#include "napi/view_wrap.h"

namespace dentate::napi {
namespace {

std::int64_t Now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Napi::Function BankWrap::Define(Napi::Env env) {
  return DefineClass(env, "Bank",
                     {
                         InstanceAccessor<&BankWrap::Loaded>("loaded"),
                         InstanceAccessor<&BankWrap::SizeInBytes>("sizeInBytes"),
                         InstanceMethod<&BankWrap::Load>("load"),
                         InstanceMethod<&BankWrap::Append>("append"),
                         InstanceMethod<&BankWrap::AppendElsewhere>("appendElsewhere"),
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
    AppendBatch batch(ObjectArgument(info, 0, "batch"));
    batch.Encoded(WrappedArgument<TurnListWrap>(info, 1, "turns").turns(),
                  WrappedArgument<TurnListWrap>(info, 2, "speakers").turns());
    bank::AppendResult result;
    std::uint64_t sequence = 0;
    ThrowIfFailed(env, handle_.Append(batch.batch(), result, sequence));
    batch.Answer(result);
    store_->Account(env);
    return ToNumber(env, store_->Awaited(sequence));
  });
}

void BankWrap::AppendElsewhere(const Napi::CallbackInfo& info) {
  OrOutOfMemory(info.Env(), [&] {
    const auto append = std::make_shared<QueuedAppend>(info, handle_);
    store_->lane.Add({[append] { append->Encode(); }, [append] { return append->Append(); }});
    store_->Account(info.Env());
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
