#include "napi/store_wrap.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "napi/addon_data.h"
#include "napi/bank_wrap.h"
#include "napi/call_task.h"
#include "napi/object_fields.h"
#include "storage/manifest.h"
#include "store/new_directory.h"
#include "store/store_reach.h"
#include "store/verify.h"

namespace dentate::napi {
namespace {

storage::Durability ReadDurability(const Napi::Object& config) {
  const std::string name = StringField(config, "durability");
  if (name == "sync") return storage::Durability::kSync;
  if (name == "interval") return storage::Durability::kInterval;
  if (name == "none") return storage::Durability::kNone;
  throw WrongField(config.Env(), "durability");
}

storage::SecretKey ReadKey(const Napi::Value& value) {
  if (value.IsTypedArray() &&
      value.As<Napi::TypedArray>().TypedArrayType() == TypedArrayTag<std::uint8_t>::kValue) {
    auto bytes = value.As<Napi::Uint8Array>();
    if (bytes.ElementLength() == storage::SecretKey::kBytes) {
      return storage::SecretKey(std::span<const std::uint8_t, storage::SecretKey::kBytes>(
          bytes.Data(), bytes.ElementLength()));
    }
  }
  throw WrongField(value.Env(), "key");
}

std::optional<storage::SecretKey> ReadOptionalKey(const Napi::Value& value) {
  if (value.IsUndefined()) return std::nullopt;
  return ReadKey(value);
}

store::StoreOptions ReadOptions(const Napi::Object& config) {
  store::StoreOptions options;
  options.read_only = BooleanField(config, "readOnly");
  options.durability = ReadDurability(config);
  options.interval_milliseconds = Uint32Field(config, "intervalMs");
  options.signature_words = Uint32Field(config, "signatureBits") / 64;
  options.key = ReadOptionalKey(config.Get("key"));
  options.memory_limit = PositionField(config, "memoryLimit");
  options.seal_bytes = PositionField(config, "sealBytes");
  options.poll_milliseconds = Uint32Field(config, "pollMs");
  if (!config.Get("settings").IsObject()) throw WrongField(config.Env(), "settings");
  const auto settings = config.Get("settings").As<Napi::Object>();
  const Napi::Array names = settings.GetPropertyNames();
  for (std::uint32_t i = 0; i < names.Length(); ++i) {
    const std::string name = names.Get(i).As<Napi::String>().Utf8Value();
    options.settings[name] = StringField(settings, name.c_str());
  }
  return options;
}

Napi::Array ToList(Napi::Env env, const std::vector<DamagedPlace>& damage) {
  auto list = Napi::Array::New(env, damage.size());
  std::uint32_t i = 0;
  for (const DamagedPlace& place : damage) {
    auto object = Napi::Object::New(env);
    object["file"] = place.file;
    object["offset"] = ToNumber(env, place.offset);
    object["problem"] = place.problem;
    list[i++] = object;
  }
  return list;
}

// What an opening task has made, when it is done.
struct Opened {
  std::shared_ptr<store::Store> store;
};

}  // namespace

Napi::Function StoreWrap::Define(Napi::Env env) {
  return DefineClass(env, "Store",
                     {
                         StaticMethod<&StoreWrap::Open>("open"),
                         StaticMethod<&StoreWrap::ReadSettings>("readSettings"),
                         StaticMethod<&StoreWrap::LockHolder>("lockHolder"),
                         StaticMethod<&StoreWrap::VerifyFiles>("verifyFiles"),
                         InstanceMethod<&StoreWrap::Bank>("bank"),
                         InstanceMethod<&StoreWrap::Banks>("banks"),
                         InstanceMethod<&StoreWrap::DropBank>("dropBank"),
                         InstanceMethod<&StoreWrap::TakeAppended>("takeAppended"),
                         InstanceMethod<&StoreWrap::DrainAppends>("drainAppends"),
                         InstanceMethod<&StoreWrap::Hold>("hold"),
                         InstanceMethod<&StoreWrap::Flush>("flush"),
                         InstanceMethod<&StoreWrap::Seal>("seal"),
                         InstanceMethod<&StoreWrap::Compact>("compact"),
                         InstanceMethod<&StoreWrap::Purge>("purge"),
                         InstanceMethod<&StoreWrap::Backup>("backup"),
                         InstanceMethod<&StoreWrap::Verify>("verify"),
                         InstanceMethod<&StoreWrap::Adopt>("adopt"),
                         InstanceMethod<&StoreWrap::Rekey>("rekey"),
                         InstanceMethod<&StoreWrap::Refresh>("refresh"),
                         InstanceMethod<&StoreWrap::Stats>("stats"),
                         InstanceMethod<&StoreWrap::Close>("close"),
                     });
}

StoreWrap::StoreWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<StoreWrap>(info) {
  if (!info[0].IsExternal()) throw WrongField(info.Env(), "store");
  open_ = *info[0].As<Napi::External<std::shared_ptr<OpenStore>>>().Data();
}

void StoreWrap::Finalize(Napi::BasicEnv env) {
  if (open_ != nullptr) open_->AccountFor(env, 0);
}

Napi::Value StoreWrap::Open(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const Napi::Object config = ObjectArgument(info, 0, "config");
    if (!info[1].IsFunction()) throw WrongField(info.Env(), "onDurable");
    const auto callback =
        std::make_shared<Napi::FunctionReference>(Napi::Persistent(info[1].As<Napi::Function>()));
    const bool in_memory = config.Get("directory").IsUndefined();
    std::string directory = in_memory ? std::string() : StringField(config, "directory");
    const store::StoreOptions options = ReadOptions(config);
    const auto opened = std::make_shared<Opened>();
    return CallTask::Start(
        info, "dentate:open", info.Env().Undefined(),
        [=](const auto&) {
          if (!in_memory) {
            return store::Store::Open(storage::SystemEnv(), directory, options, opened->store);
          }
          opened->store = store::Store::OpenInMemory(options);
          return Status::Ok();
        },
        [=](Napi::Env env) {
          auto open = std::make_shared<OpenStore>(std::move(opened->store),
                                                  DurableSignal::Make(env, callback->Value()),
                                                  options, in_memory);
          return AddonData::Of(env).store_class.New(
              {Napi::External<std::shared_ptr<OpenStore>>::New(env, &open)});
        });
  });
}

Napi::Value StoreWrap::ReadSettings(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    if (!info[0].IsString()) throw WrongField(info.Env(), "directory");
    const std::string directory = info[0].As<Napi::String>().Utf8Value();
    const std::optional<storage::SecretKey> key = ReadOptionalKey(info[1]);
    struct Found {
      storage::Manifest manifest;
      bool found = false;
    };
    const auto read = std::make_shared<Found>();
    return CallTask::Start(
        info, "dentate:settings", info.Env().Undefined(),
        [=](const auto&) {
          storage::Env& env = storage::SystemEnv();
          const std::string path = directory + "/" + storage::kManifestName;
          const bool has_manifest = env.Exists(path);
          if (!has_manifest && !env.Exists(directory)) return Status::Ok();
          store::StoreReach reach;
          Status status =
              store::StoreReach::Open(env, directory, key, storage::NewStore::kRefuse, reach);
          if (status.ok() && !has_manifest) {
            status = store::CheckNewDirectory(*reach.env, directory);
            // Made, and written to, since we looked for it.
            if (!status.ok() && env.Exists(path)) status = {};
          }
          if (!status.ok()) return status;
          return storage::ReadManifest(*reach.env, directory, read->manifest, read->found);
        },
        [=](Napi::Env env) -> Napi::Value {
          if (!read->found) return env.Undefined();
          auto settings = Napi::Object::New(env);
          for (const auto& [name, value] : read->manifest.settings) settings[name] = value;
          return settings;
        });
  });
}

Napi::Value StoreWrap::LockHolder(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    if (!info[0].IsString()) throw WrongField(info.Env(), "directory");
    const std::string directory = info[0].As<Napi::String>().Utf8Value();
    struct Holder {
      bool held = false;
      std::string note;
    };
    const auto holder = std::make_shared<Holder>();
    return CallTask::Start(
        info, "dentate:lock-holder", info.Env().Undefined(),
        [=](const auto&) {
          return storage::SystemEnv().LockHolder(directory + "/LOCK", holder->held, holder->note);
        },
        [=](Napi::Env env) -> Napi::Value {
          if (!holder->held) return env.Undefined();
          return Napi::String::New(env, holder->note);
        });
  });
}

OpenStore& StoreWrap::open(const Napi::CallbackInfo& info) const {
  if (open_ == nullptr) {
    throw ToError(info.Env(), Status(ErrorCode::kClosed, "the memory is closed"));
  }
  return *open_;
}

Napi::Value StoreWrap::Bank(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    if (!info[0].IsString()) throw WrongField(info.Env(), "name");
    const std::string name = info[0].As<Napi::String>().Utf8Value();
    return BankWrap::New(info.Env(), {open_, open(info).store->Bank(name)});
  });
}

Napi::Value StoreWrap::Banks(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(),
                       [&] { return ToStrings(info.Env(), open(info).store->BankNames()); });
}

Napi::Value StoreWrap::DropBank(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return OrOutOfMemory(env, [&] {
    if (!info[0].IsString()) throw WrongField(env, "name");
    bool existed = false;
    std::uint64_t sequence = 0;
    ThrowIfFailed(
        env, open(info).store->DropBank(info[0].As<Napi::String>().Utf8Value(), existed, sequence));
    auto object = Napi::Object::New(env);
    object["sequence"] = ToNumber(env, open(info).Awaited(sequence));
    object["existed"] = Napi::Boolean::New(env, existed);
    return object;
  });
}

Napi::Value StoreWrap::TakeAppended(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return OrOutOfMemory(env, [&]() -> Napi::Value {
    if (!info[0].IsTypedArray()) throw WrongField(env, "answers");
    auto answers = info[0].As<Napi::Uint32Array>();
    store::Appended appended;
    if (!open(info).lane.Take(info[1].ToBoolean(), appended)) return env.Undefined();
    if (appended.out_of_memory) {
      throw ToError(env, Status(ErrorCode::kOutOfMemory, "not enough memory"));
    }
    const std::size_t count = appended.entries.size();
    if (answers.TypedArrayType() != napi_uint32_array || answers.ElementLength() <= 2 * count) {
      throw WrongField(env, "answers");
    }
    std::copy(appended.entries.begin(), appended.entries.end(), answers.Data());
    std::copy(appended.duplicates.begin(), appended.duplicates.end(), answers.Data() + count);
    const auto since = std::chrono::steady_clock::now() - appended.finished;
    answers[2 * count] = static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(since).count());
    if (appended.failures.empty()) return ToNumber(env, appended.sequence);
    auto failures = Napi::Array::New(env, count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Status& status = appended.failures[i];
      failures[i] = status.ok() ? env.Undefined() : ToError(env, status).Value();
    }
    return failures;
  });
}

void StoreWrap::DrainAppends(const Napi::CallbackInfo&) {
  if (open_ != nullptr) open_->lane.Drain();
}

void StoreWrap::Hold(const Napi::CallbackInfo& info) {
  if (open_ != nullptr) open_->signal->Hold(info[0].ToBoolean());
}

Napi::Value StoreWrap::Flush(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    return CallTask::Start(info, "dentate:flush", info.Env().Undefined(),
                           [store = open(info).store](const auto&) { return store->Flush(); });
  });
}

Napi::Value StoreWrap::Seal(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    return CallTask::Start(info, "dentate:seal", info.Env().Undefined(),
                           [store = open(info).store](const auto&) { return store->Seal(); });
  });
}

Napi::Value StoreWrap::Compact(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    return CallTask::Start(
        info, "dentate:compact", info[0],
        [store = open(info).store](const auto& cancelled) { return store->Compact(cancelled); });
  });
}

Napi::Value StoreWrap::Purge(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const auto receipt = std::make_shared<store::PurgeReceipt>();
    return CallTask::Start(
        info, "dentate:purge", info[0],
        [=, store = open(info).store](const auto& cancelled) {
          return store->Purge(cancelled, *receipt);
        },
        [=](Napi::Env env) {
          auto object = Napi::Object::New(env);
          object["entries"] = ToNumber(env, receipt->entries);
          object["segmentsRewritten"] = ToNumber(env, receipt->segments_rewritten);
          object["bytesFreed"] = ToNumber(env, receipt->bytes_freed);
          object["unreached"] = ToStrings(env, receipt->unreached);
          return object;
        });
  });
}

Napi::Value StoreWrap::Backup(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    if (!info[0].IsString()) throw WrongField(info.Env(), "directory");
    return CallTask::Start(
        info, "dentate:backup", info[1],
        [store = open(info).store, directory = info[0].As<Napi::String>().Utf8Value()](
            const auto& cancelled) { return store->Backup(directory, cancelled); });
  });
}

Napi::Value StoreWrap::Verify(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const auto damage = std::make_shared<std::vector<DamagedPlace>>();
    return CallTask::Start(
        info, "dentate:verify", info[0],
        [=, store = open(info).store](const auto& cancelled) {
          return store->Verify(cancelled, *damage);
        },
        [=](Napi::Env env) { return ToList(env, *damage); });
  });
}

Napi::Value StoreWrap::VerifyFiles(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    if (!info[0].IsString()) throw WrongField(info.Env(), "directory");
    const std::string directory = info[0].As<Napi::String>().Utf8Value();
    const std::optional<storage::SecretKey> key = ReadOptionalKey(info[1]);
    const auto damage = std::make_shared<std::vector<DamagedPlace>>();
    return CallTask::Start(
        info, "dentate:verify", info[2],
        [=](const auto& cancelled) {
          store::StoreReach reach;
          Status status = store::StoreReach::Open(storage::SystemEnv(), directory, key,
                                                  storage::NewStore::kRefuse, reach);
          if (!status.ok()) return status;
          return store::VerifyStore(*reach.env, directory, cancelled, *damage);
        },
        [=](Napi::Env env) { return ToList(env, *damage); });
  });
}

Napi::Value StoreWrap::Adopt(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    if (!info[0].IsString()) throw WrongField(info.Env(), "directory");
    return CallTask::Start(
        info, "dentate:adopt", info[3],
        [store = open(info).store, directory = info[0].As<Napi::String>().Utf8Value(),
         key = ReadOptionalKey(info[1]),
         sequence = info[2].ToNumber().Int64Value()](const auto& cancelled) {
          return store->Adopt(directory, key ? &*key : nullptr,
                              static_cast<std::uint64_t>(sequence), cancelled);
        });
  });
}

Napi::Value StoreWrap::Rekey(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    return CallTask::Start(info, "dentate:rekey", info.Env().Undefined(),
                           [store = open(info).store, key = ReadKey(info[0])](const auto&) {
                             return store->Rekey(key);
                           });
  });
}

Napi::Value StoreWrap::Refresh(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    return CallTask::Start(info, "dentate:refresh", info.Env().Undefined(),
                           [store = open(info).store](const auto&) { return store->Refresh(); });
  });
}

Napi::Value StoreWrap::Stats(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return OrOutOfMemory(env, [&] {
    const store::StoreStats stats = open(info).store->Stats();
    auto object = Napi::Object::New(env);
    object["banks"] = ToNumber(env, stats.banks);
    object["files"] = ToNumber(env, stats.files);
    object["fileBytes"] = ToNumber(env, stats.file_bytes);
    object["logBytes"] = ToNumber(env, stats.log_bytes);
    object["segments"] = ToNumber(env, stats.segments);
    object["memoryBytes"] = ToNumber(env, stats.memory_bytes);
    object["loadedBanks"] = ToNumber(env, stats.loaded_banks);
    object["sequence"] = ToNumber(env, stats.sequence);
    object["sealedThrough"] = ToNumber(env, stats.sealed_through);
    return object;
  });
}

Napi::Value StoreWrap::Close(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const std::shared_ptr<OpenStore> open = std::exchange(open_, nullptr);
    if (open != nullptr) {
      open->signal->Close();
      open->AccountFor(info.Env(), 0);
    }
    return CallTask::Start(info, "dentate:close", info.Env().Undefined(), [open](const auto&) {
      return open == nullptr ? Status::Ok() : open->store->Close();
    });
  });
}

}  // namespace dentate::napi
