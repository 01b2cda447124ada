#include "napi/hamming_index_wrap.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "hamming/kernels.h"
#include "napi/arguments.h"
#include "napi/async_task.h"
#include "napi/errors.h"
#include "napi/type_tags.h"

namespace dentate::napi {
namespace {

using hamming::HammingIndex;
using hamming::Matches;
using hamming::SearchOptions;

enum class Kind { kWithin, kNearest };

// (queries: BigUint64Array, radius or k: number, threads: number), copied.
struct Request {
  Kind kind;
  std::vector<std::uint64_t> queries;
  std::uint32_t limit;  // the radius, or k
  SearchOptions options;

  Request(Kind which, const Napi::CallbackInfo& info, std::size_t words) : kind(which) {
    const auto view = ViewArgument<std::uint64_t>(info, 0, "queries");
    limit = Uint32Argument(info, 1, "limit");
    options.threads = Uint32Argument(info, 2, "threads");
    if (view.size() % words != 0 || (kind == Kind::kNearest && limit == 0)) {
      throw ToError(info.Env(), Status(ErrorCode::kInternal, "queries or k are of no use"));
    }
    queries.assign(view.begin(), view.end());
  }

  Status Run(const HammingIndex& index, std::vector<Matches>& matches) const {
    return kind == Kind::kWithin ? index.Within(queries, limit, options, matches)
                                 : index.Nearest(queries, limit, options, matches);
  }
};

// { ids, distances, offsets }: the matches of all queries, one after the other.
Napi::Value ToObject(Napi::Env env, const std::vector<Matches>& matches) {
  auto offsets = Napi::TypedArrayOf<std::uint32_t>::New(env, matches.size() + 1);
  std::size_t count = 0;
  for (std::size_t q = 0; q < matches.size(); ++q) {
    offsets[q] = static_cast<std::uint32_t>(count);
    count += matches[q].ids.size();
  }
  if (count > UINT32_MAX) {
    throw ToError(env, Status(ErrorCode::kOutOfMemory, "more than 2^32 - 1 matches in one batch"));
  }
  offsets[matches.size()] = static_cast<std::uint32_t>(count);
  auto ids = Napi::TypedArrayOf<std::uint32_t>::New(env, count);
  auto distances = Napi::TypedArrayOf<std::uint16_t>::New(env, count);
  for (std::size_t q = 0; q < matches.size(); ++q) {
    std::copy(matches[q].ids.begin(), matches[q].ids.end(), ids.Data() + offsets[q]);
    std::copy(matches[q].distances.begin(), matches[q].distances.end(),
              distances.Data() + offsets[q]);
  }
  auto object = Napi::Object::New(env);
  object["ids"] = ids;
  object["distances"] = distances;
  object["offsets"] = offsets;
  return object;
}

class SearchTask final : public AsyncTask {
 public:
  SearchTask(Napi::Env env, std::shared_ptr<const HammingIndex> index, Request request)
      : AsyncTask(env, "dentate:hamming-search"),
        index_(std::move(index)),
        request_(std::move(request)) {}

 protected:
  Status Run() override {
    request_.options.cancelled = [this] { return cancelled(); };
    return request_.Run(*index_, matches_);
  }
  Napi::Value ToResult(Napi::Env env) override { return ToObject(env, matches_); }

 private:
  const std::shared_ptr<const HammingIndex> index_;
  Request request_;
  std::vector<Matches> matches_;
};

class HashTask final : public AsyncTask {
 public:
  // `account` is called where the hashes are there, on the JavaScript thread.
  HashTask(Napi::Env env, std::shared_ptr<HammingIndex> index,
           std::function<void(Napi::Env)> account)
      : AsyncTask(env, "dentate:hamming-hash"),
        index_(std::move(index)),
        account_(std::move(account)) {}

 protected:
  Status Run() override {
    return index_->Hash([this] { return cancelled(); });
  }
  Napi::Value ToResult(Napi::Env env) override {
    account_(env);
    return env.Undefined();
  }

 private:
  const std::shared_ptr<HammingIndex> index_;
  const std::function<void(Napi::Env)> account_;
};

Napi::Value Search(Kind kind, const Napi::CallbackInfo& info, const HammingIndex& index) {
  return OrOutOfMemory(info.Env(), [&] {
    const Request request(kind, info, index.columns().words());
    std::vector<Matches> matches;
    ThrowIfFailed(info.Env(), request.Run(index, matches));
    return ToObject(info.Env(), matches);
  });
}

Napi::Value SearchAsync(Kind kind, const Napi::CallbackInfo& info,
                        std::shared_ptr<const HammingIndex> index) {
  return OrOutOfMemory(info.Env(), [&] {
    Request request(kind, info, index->columns().words());
    auto* task = new SearchTask(info.Env(), std::move(index), std::move(request));
    return AsyncTask::Start(task, info.This().As<Napi::Object>(), info[3]);
  });
}

}  // namespace

Napi::Function HammingIndexWrap::Define(Napi::Env env) {
  return DefineClass(env, "HammingIndex",
                     {
                         InstanceAccessor<&HammingIndexWrap::Words>("words"),
                         InstanceAccessor<&HammingIndexWrap::Size>("size"),
                         InstanceAccessor<&HammingIndexWrap::Hashed>("hashed"),
                         InstanceAccessor<&HammingIndexWrap::SizeInBytes>("sizeInBytes"),
                         InstanceMethod<&HammingIndexWrap::Add>("add"),
                         InstanceMethod<&HammingIndexWrap::Within>("within"),
                         InstanceMethod<&HammingIndexWrap::Nearest>("nearest"),
                         InstanceMethod<&HammingIndexWrap::WithinAsync>("withinAsync"),
                         InstanceMethod<&HammingIndexWrap::NearestAsync>("nearestAsync"),
                         InstanceMethod<&HammingIndexWrap::Hash>("hash"),
                         InstanceMethod<&HammingIndexWrap::HashAsync>("hashAsync"),
                         InstanceMethod<&HammingIndexWrap::Release>("release"),
                         InstanceMethod<&HammingIndexWrap::Serialize>("serialize"),
                         InstanceMethod<&HammingIndexWrap::Sum>("sum"),
                     });
}

HammingIndexWrap::HammingIndexWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<HammingIndexWrap>(info) {
  TagThis<HammingIndexWrap>(info);
  OrOutOfMemory(info.Env(), [&] {
    if (info[0].IsTypedArray()) {
      const auto bytes = ViewArgument<std::uint8_t>(info, 0, "bytes");
      ThrowIfFailed(info.Env(), HammingIndex::Deserialize(bytes, index_));
    } else {
      const std::uint32_t words = Uint32Argument(info, 0, "words");
      if (words == 0 || words > hamming::kMaxWords) {
        throw ToError(info.Env(), Status(ErrorCode::kInternal, "words is out of range"));
      }
      index_ = std::make_shared<HammingIndex>(words);
    }
  });
  Account(info.Env());
}

void HammingIndexWrap::Finalize(Napi::BasicEnv env) {
  Napi::MemoryManagement::AdjustExternalMemory(env, -accounted_bytes_);
}

void HammingIndexWrap::Account(Napi::BasicEnv env) {
  const auto bytes = static_cast<std::int64_t>(index_->SizeInBytes());
  Napi::MemoryManagement::AdjustExternalMemory(env, bytes - accounted_bytes_);
  accounted_bytes_ = bytes;
}

Napi::Value HammingIndexWrap::Words(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(index_->columns().words()));
}

Napi::Value HammingIndexWrap::Size(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(index_->columns().size()));
}

Napi::Value HammingIndexWrap::Hashed(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(index_->hashed_rows()));
}

Napi::Value HammingIndexWrap::SizeInBytes(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(index_->SizeInBytes()));
}

Napi::Value HammingIndexWrap::Add(const Napi::CallbackInfo& info) {
  const auto signatures = ViewArgument<std::uint64_t>(info, 0, "signatures");
  const std::size_t words = index_->columns().words();
  const std::size_t room = hamming::SignatureColumns::kMaxRows - index_->columns().size();
  if (signatures.size() % words != 0 || signatures.size() / words > room) {
    throw ToError(info.Env(), Status(ErrorCode::kInternal, "signatures has the wrong length"));
  }
  OrOutOfMemory(info.Env(), [&] { index_->Append(signatures); });
  Account(info.Env());
  return Size(info);
}

Napi::Value HammingIndexWrap::Within(const Napi::CallbackInfo& info) {
  return Search(Kind::kWithin, info, *index_);
}

Napi::Value HammingIndexWrap::Nearest(const Napi::CallbackInfo& info) {
  return Search(Kind::kNearest, info, *index_);
}

Napi::Value HammingIndexWrap::WithinAsync(const Napi::CallbackInfo& info) {
  return SearchAsync(Kind::kWithin, info, index_);
}

Napi::Value HammingIndexWrap::NearestAsync(const Napi::CallbackInfo& info) {
  return SearchAsync(Kind::kNearest, info, index_);
}

Napi::Value HammingIndexWrap::Hash(const Napi::CallbackInfo& info) {
  OrOutOfMemory(info.Env(), [&] { ThrowIfFailed(info.Env(), index_->Hash({})); });
  Account(info.Env());
  return info.Env().Undefined();
}

Napi::Value HammingIndexWrap::HashAsync(const Napi::CallbackInfo& info) {
  // The task keeps this object alive (AsyncTask::Start).
  auto* task = new HashTask(info.Env(), index_, [this](Napi::Env env) { Account(env); });
  return AsyncTask::Start(task, info.This().As<Napi::Object>(), info[0]);
}

Napi::Value HammingIndexWrap::Release(const Napi::CallbackInfo& info) {
  OrOutOfMemory(info.Env(),
                [&] { index_ = std::make_shared<HammingIndex>(index_->columns().words()); });
  Account(info.Env());
  return info.Env().Undefined();
}

Napi::Value HammingIndexWrap::Serialize(const Napi::CallbackInfo& info) {
  const std::size_t rows = index_->columns().size();
  auto bytes = Napi::TypedArrayOf<std::uint8_t>::New(info.Env(), index_->SerializedBytes(rows));
  index_->SerializeTo(rows, {bytes.Data(), bytes.ElementLength()});
  return bytes;
}

Napi::Value HammingIndexWrap::Sum(const Napi::CallbackInfo& info) {
  const std::uint64_t sum = index_->Sum(Uint32Argument(info, 0, "threads"));
  return Napi::Number::New(info.Env(), static_cast<double>(sum));
}

}  // namespace dentate::napi
