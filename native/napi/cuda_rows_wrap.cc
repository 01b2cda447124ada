#include "napi/cuda_rows_wrap.h"

#include <functional>
#include <utility>
#include <vector>

#include "napi/arguments.h"
#include "napi/call_task.h"
#include "napi/cancel_flag.h"
#include "napi/cuda_engine_wrap.h"
#include "napi/errors.h"
#include "napi/object_fields.h"
#include "napi/type_tags.h"

namespace dentate::napi {
namespace {

[[noreturn]] void ThrowInternal(Napi::Env env, const char* message) {
  throw ToError(env, Status(ErrorCode::kInternal, message));
}

template <typename T>
std::vector<T> Copy(std::span<const T> values) {
  return {values.begin(), values.end()};
}

template <typename Weight>
struct TopMatches {
  std::vector<std::uint32_t> ids;
  std::vector<Weight> weights;
};

// { ids, [weights]: array }.
template <typename Weight>
Napi::Value ToObject(Napi::Env env, const TopMatches<Weight>& matches, const char* weights) {
  const Napi::Object object = Napi::Object::New(env);
  object.Set("ids", ToArray<std::uint32_t>(env, matches.ids));
  object.Set(weights, ToArray<Weight>(env, matches.weights));
  return object;
}

// { offsets, ids, distances }.
Napi::Value ToObject(Napi::Env env, const DentateCudaMatches& found, std::size_t queries) {
  const Napi::Object object = Napi::Object::New(env);
  const std::size_t count = found.offsets[queries];
  object.Set("offsets", ToTypedArray<std::uint32_t>(env, {found.offsets, queries + 1}));
  object.Set("ids", ToTypedArray<std::uint32_t>(env, {found.ids, count}));
  object.Set("distances", ToTypedArray<std::uint16_t>(env, {found.distances, count}));
  return object;
}

}  // namespace

Napi::Function CudaRowsWrap::Define(Napi::Env env) {
  return DefineClass(env, "CudaRows",
                     {
                         InstanceMethod<&CudaRowsWrap::Append>("append"),
                         InstanceMethod<&CudaRowsWrap::Dispose>("dispose"),
                         InstanceMethod<&CudaRowsWrap::CosineTopK>("cosineTopK"),
                         InstanceMethod<&CudaRowsWrap::HammingTopK>("hammingTopK"),
                         InstanceMethod<&CudaRowsWrap::HammingWithin>("hammingWithin"),
                         InstanceMethod<&CudaRowsWrap::Embed>("embed"),
                     });
}

CudaRowsWrap::CudaRowsWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<CudaRowsWrap>(info) {
  const Napi::Env env = info.Env();
  TagThis<CudaRowsWrap>(info);
  OrOutOfMemory(env, [&] {
    const auto& engine = WrappedArgument<CudaEngineWrap>(info, 0, "engine").engine();
    if (engine == nullptr) throw ToError(env, Status(ErrorCode::kClosed, "the device is closed"));
    const std::uint32_t kind = Uint32Argument(info, 1, "kind");
    const std::uint32_t width = Uint32Argument(info, 3, "width");
    if (kind > kDentateCudaSignatures || width == 0) ThrowInternal(env, "no such rows");
    ThrowIfFailed(env, cuda::Rows::Create(engine, static_cast<DentateCudaKind>(kind),
                                          Uint32Argument(info, 2, "count"), width, rows_));
  });
}

Napi::Value CudaRowsWrap::Append(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return OrOutOfMemory(env, [&] {
    if (rows_ == nullptr) RowsOf(env, kDentateCudaVectors);
    auto bytes = std::make_shared<std::vector<std::uint8_t>>();
    std::size_t elements = 0;
    const auto keep = [&](const auto& view) {
      const auto* const data = reinterpret_cast<const std::uint8_t*>(view.data());
      bytes->assign(data, data + view.size_bytes());
      elements = view.size();
    };
    if (rows_->kind() == kDentateCudaVectors) {
      keep(ViewArgument<float>(info, 0, "rows"));
    } else {
      keep(ViewArgument<std::uint64_t>(info, 0, "rows"));
    }
    if (elements % rows_->width() != 0) ThrowInternal(env, "rows are not whole");
    const std::uint64_t count = elements / rows_->width();
    return CallTask::Start(info, "dentate:cuda-append", env.Undefined(),
                           [rows = rows_, bytes, count](const std::function<bool()>&) {
                             return rows->Append(bytes->data(), count);
                           });
  });
}

Napi::Value CudaRowsWrap::Dispose(const Napi::CallbackInfo& info) {
  rows_.reset();
  return info.Env().Undefined();
}

Napi::Value CudaRowsWrap::CosineTopK(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const auto& rows = RowsOf(info.Env(), kDentateCudaVectors);
    auto queries = Copy(Queries<float>(info, *rows));
    const CancelFlag cancel(info[2]);
    auto matches = std::make_shared<TopMatches<float>>();
    return CallTask::Start(
        info, "dentate:cuda-cosine", info[2],
        [rows, queries = std::move(queries), k = K(info, *rows), cancel,
         matches](const std::function<bool()>&) {
          return rows->CosineTopK(queries, k, cancel.get(), matches->ids, matches->weights);
        },
        [matches](Napi::Env env) { return ToObject(env, *matches, "scores"); });
  });
}

Napi::Value CudaRowsWrap::HammingTopK(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const auto& rows = RowsOf(info.Env(), kDentateCudaSignatures);
    auto queries = Copy(Queries<std::uint64_t>(info, *rows));
    const CancelFlag cancel(info[2]);
    auto matches = std::make_shared<TopMatches<std::uint16_t>>();
    return CallTask::Start(
        info, "dentate:cuda-hamming", info[2],
        [rows, queries = std::move(queries), k = K(info, *rows), cancel,
         matches](const std::function<bool()>&) {
          return rows->HammingTopK(queries, k, cancel.get(), matches->ids, matches->weights);
        },
        [matches](Napi::Env env) { return ToObject(env, *matches, "distances"); });
  });
}

Napi::Value CudaRowsWrap::HammingWithin(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const auto& rows = RowsOf(info.Env(), kDentateCudaSignatures);
    auto queries = Copy(Queries<std::uint64_t>(info, *rows));
    const std::size_t count = queries.size() / rows->width();
    const CancelFlag cancel(info[2]);
    auto matches = std::make_shared<cuda::Matches>(rows->engine()->api());
    return CallTask::Start(
        info, "dentate:cuda-within", info[2],
        [rows, queries = std::move(queries), radius = Uint32Argument(info, 1, "radius"), cancel,
         matches](const std::function<bool()>&) {
          return rows->HammingWithin(queries, radius, cancel.get(), *matches);
        },
        [matches, count](Napi::Env env) { return ToObject(env, matches->found, count); });
  });
}

Napi::Value CudaRowsWrap::Embed(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const Napi::Env env = info.Env();
    const auto& rows = RowsOf(env, kDentateCudaVectors);
    auto ids = Copy<std::uint32_t>(ViewArgument<std::uint32_t>(info, 0, "ids"));
    auto offsets = Copy<std::uint32_t>(ViewArgument<std::uint32_t>(info, 1, "offsets"));
    bool fits = !offsets.empty() && offsets.front() == 0 && offsets.back() == ids.size();
    for (std::size_t i = 1; fits && i < offsets.size(); ++i) fits = offsets[i - 1] <= offsets[i];
    for (std::size_t i = 0; fits && i < ids.size(); ++i) fits = ids[i] < rows->count();
    if (!fits) ThrowInternal(env, "the groups do not fit their ids");
    const CancelFlag cancel(info[2]);
    auto embedded = std::make_shared<std::vector<float>>();
    return CallTask::Start(
        info, "dentate:cuda-embed", info[2],
        [rows, ids = std::move(ids), offsets = std::move(offsets), cancel,
         embedded](const std::function<bool()>&) {
          return rows->Embed(ids, offsets, cancel.get(), *embedded);
        },
        [embedded](Napi::Env to) -> Napi::Value { return ToArray<float>(to, *embedded); });
  });
}

const std::shared_ptr<cuda::Rows>& CudaRowsWrap::RowsOf(Napi::Env env, DentateCudaKind kind) const {
  if (rows_ == nullptr) throw ToError(env, Status(ErrorCode::kClosed, "the rows are disposed of"));
  if (rows_->kind() != kind) ThrowInternal(env, "the rows are of another kind");
  return rows_;
}

template <typename T>
std::span<const T> CudaRowsWrap::Queries(const Napi::CallbackInfo& info,
                                         const cuda::Rows& rows) const {
  const std::span<const T> queries = ViewArgument<T>(info, 0, "queries");
  if (queries.size() % rows.width() != 0 || queries.size() / rows.width() > UINT32_MAX) {
    ThrowInternal(info.Env(), "queries are not whole");
  }
  return queries;
}

std::uint32_t CudaRowsWrap::K(const Napi::CallbackInfo& info, const cuda::Rows& rows) const {
  const std::uint32_t k = Uint32Argument(info, 1, "k");
  if (k > rows.count()) ThrowInternal(info.Env(), "k is more than there are rows");
  return k;
}

}  // namespace dentate::napi
