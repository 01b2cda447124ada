#include "napi/vector_table_wrap.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "accelerate/cosine_search.h"
#include "accelerate/row_sums.h"
#include "accelerate/singular_vectors.h"
#include "hamming/kernels.h"
#include "napi/arguments.h"
#include "napi/call_task.h"
#include "napi/errors.h"
#include "napi/object_fields.h"
#include "napi/type_tags.h"

namespace dentate::napi {
namespace {

using accelerate::VectorTable;

[[noreturn]] void ThrowInternal(Napi::Env env, const char* message) {
  throw ToError(env, Status(ErrorCode::kInternal, message));
}

template <typename T>
std::vector<T> CopyOf(std::span<const T> values) {
  return {values.begin(), values.end()};
}

// Offsets of groups into `count` things: from 0, ascending, to all of them.
std::vector<std::uint32_t> OffsetsArgument(const Napi::CallbackInfo& info, std::size_t at,
                                           std::size_t count) {
  const auto offsets = ViewArgument<std::uint32_t>(info, at, "offsets");
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != count ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    ThrowInternal(info.Env(), "offsets are not those of what they are for");
  }
  return CopyOf<std::uint32_t>(offsets);
}

}  // namespace

Napi::Function VectorTableWrap::Define(Napi::Env env) {
  return DefineClass(
      env, "VectorTable",
      {
          StaticMethod<&VectorTableWrap::SingularVectorsAsync>("singularVectorsAsync"),
          InstanceMethod<&VectorTableWrap::Append>("append"),
          InstanceMethod<&VectorTableWrap::Release>("release"),
          InstanceMethod<&VectorTableWrap::CosineTopKAsync>("cosineTopKAsync"),
          InstanceMethod<&VectorTableWrap::UnitRowSumsAsync>("unitRowSumsAsync"),
          InstanceMethod<&VectorTableWrap::Sum>("sum"),
      });
}

VectorTableWrap::VectorTableWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<VectorTableWrap>(info) {
  TagThis<VectorTableWrap>(info);
  const std::uint32_t rows = Uint32Argument(info, 0, "rows");
  const std::uint32_t dimensions = Uint32Argument(info, 1, "dimensions");
  if (dimensions == 0 || dimensions > VectorTable::kMaxDimensions) {
    ThrowInternal(info.Env(), "dimensions is out of range");
  }
  OrOutOfMemory(info.Env(), [&] { table_ = std::make_shared<VectorTable>(rows, dimensions); });
  Account(info.Env());
}

void VectorTableWrap::Finalize(Napi::BasicEnv env) {
  Napi::MemoryManagement::AdjustExternalMemory(env, -accounted_bytes_);
}

void VectorTableWrap::Account(Napi::BasicEnv env) {
  const auto bytes = table_ == nullptr ? 0 : static_cast<std::int64_t>(table_->SizeInBytes());
  Napi::MemoryManagement::AdjustExternalMemory(env, bytes - accounted_bytes_);
  accounted_bytes_ = bytes;
}

std::shared_ptr<const VectorTable> VectorTableWrap::Full(Napi::Env env) const {
  if (table_ == nullptr) throw ToError(env, Status(ErrorCode::kClosed, "the vectors are disposed"));
  if (table_->size() != table_->capacity()) ThrowInternal(env, "rows are missing");
  return table_;
}

Napi::Value VectorTableWrap::Append(const Napi::CallbackInfo& info) {
  const auto vectors = ViewArgument<float>(info, 0, "vectors");
  if (table_ == nullptr || vectors.size() % table_->dimensions() != 0 ||
      vectors.size() / table_->dimensions() > table_->capacity() - table_->size()) {
    ThrowInternal(info.Env(), "vectors has the wrong length");
  }
  OrOutOfMemory(info.Env(), [&] { table_->Append(vectors); });
  return info.Env().Undefined();
}

Napi::Value VectorTableWrap::Release(const Napi::CallbackInfo& info) {
  table_.reset();
  Account(info.Env());
  return info.Env().Undefined();
}

Napi::Value VectorTableWrap::CosineTopKAsync(const Napi::CallbackInfo& info) {
  const auto queries = ViewArgument<float>(info, 0, "queries");
  const std::uint32_t k = Uint32Argument(info, 1, "k");
  hamming::SearchOptions options;
  options.threads = Uint32Argument(info, 2, "threads");
  const auto table = Full(info.Env());
  if (queries.size() % table->dimensions() != 0 || k == 0) {
    ThrowInternal(info.Env(), "queries or k are of no use");
  }
  return OrOutOfMemory(info.Env(), [&] {
    auto matches = std::make_shared<accelerate::CosineMatches>();
    return CallTask::Start(
        info, "dentate:cosine-top-k", info[3],
        [table, asked = CopyOf<float>(queries), k, options,
         matches](const auto& cancelled) mutable {
          options.cancelled = cancelled;
          return accelerate::CosineTopK(*table, asked, k, options, *matches);
        },
        [matches](Napi::Env env) {
          auto object = Napi::Object::New(env);
          object["k"] = ToNumber(env, matches->k);
          object["ids"] = ToArray(env, matches->ids);
          object["scores"] = ToArray(env, matches->scores);
          return object;
        });
  });
}

Napi::Value VectorTableWrap::UnitRowSumsAsync(const Napi::CallbackInfo& info) {
  const auto table = Full(info.Env());
  const auto ids = ViewArgument<std::uint32_t>(info, 0, "ids");
  hamming::SearchOptions options;
  options.threads = Uint32Argument(info, 2, "threads");
  if (!ids.empty() && *std::max_element(ids.begin(), ids.end()) >= table->size()) {
    ThrowInternal(info.Env(), "ids name rows that are not there");
  }
  return OrOutOfMemory(info.Env(), [&] {
    auto offsets = OffsetsArgument(info, 1, ids.size());
    auto sums = std::make_shared<std::vector<float>>((offsets.size() - 1) * table->dimensions());
    return CallTask::Start(
        info, "dentate:unit-row-sums", info[3],
        [table, own = CopyOf<std::uint32_t>(ids), offsets = std::move(offsets), options,
         sums](const auto& cancelled) mutable {
          options.cancelled = cancelled;
          return accelerate::UnitRowSums(*table, own, offsets, options, *sums);
        },
        [sums](Napi::Env env) { return ToArray(env, *sums); });
  });
}

Napi::Value VectorTableWrap::SingularVectorsAsync(const Napi::CallbackInfo& info) {
  const auto rows = ViewArgument<float>(info, 0, "rows");
  const std::uint32_t dimensions = Uint32Argument(info, 1, "dimensions");
  const std::uint32_t rank = Uint32Argument(info, 3, "rank");
  hamming::SearchOptions options;
  options.threads = Uint32Argument(info, 4, "threads");
  if (dimensions == 0 || rows.size() % dimensions != 0 || rank == 0) {
    ThrowInternal(info.Env(), "rows or rank are of no use");
  }
  return OrOutOfMemory(info.Env(), [&] {
    auto offsets = OffsetsArgument(info, 2, rows.size() / dimensions);
    const std::size_t count = (offsets.size() - 1) * rank;
    auto vectors = std::make_shared<std::vector<float>>(count * dimensions);
    auto values = std::make_shared<std::vector<float>>(count);
    return CallTask::Start(
        info, "dentate:singular-vectors", info[5],
        [own = CopyOf<float>(rows), dimensions, offsets = std::move(offsets), rank, options,
         vectors, values](const auto& cancelled) mutable {
          options.cancelled = cancelled;
          return accelerate::SingularVectors({own, dimensions, offsets}, rank, options, *vectors,
                                             *values);
        },
        [vectors, values](Napi::Env env) {
          auto object = Napi::Object::New(env);
          object["vectors"] = ToArray(env, *vectors);
          object["values"] = ToArray(env, *values);
          return object;
        });
  });
}

Napi::Value VectorTableWrap::Sum(const Napi::CallbackInfo& info) {
  const auto table = Full(info.Env());
  const std::size_t bytes = table->size() * table->stride() * sizeof(float);
  return ToNumber(info.Env(), hamming::ActiveKernels().sum(
                                  reinterpret_cast<const std::uint64_t*>(table->Row(0)),
                                  bytes / sizeof(std::uint64_t)));
}

}  // namespace dentate::napi
