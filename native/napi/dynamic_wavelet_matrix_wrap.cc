#include "napi/dynamic_wavelet_matrix_wrap.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "napi/arguments.h"
#include "napi/async_task.h"
#include "napi/errors.h"
#include "napi/type_tags.h"

namespace dentate::napi {
namespace {

using succinct::DynamicOptions;
using succinct::DynamicWaveletMatrix;
using succinct::Interval;
using succinct::SymbolCount;
using Uint32Array = Napi::TypedArrayOf<std::uint32_t>;

// Holds its pool thread until all is sealed: TypeScript has one at a time for a matrix.
class SealTask final : public AsyncTask {
 public:
  SealTask(Napi::Env env, std::shared_ptr<const DynamicWaveletMatrix> matrix)
      : AsyncTask(env, "dentate:wavelet-seal"), matrix_(std::move(matrix)) {}

 protected:
  Status Run() override {
    matrix_->WaitUntilSealed();
    return Status::Ok();
  }
  Napi::Value ToResult(Napi::Env env) override { return env.Undefined(); }

 private:
  const std::shared_ptr<const DynamicWaveletMatrix> matrix_;
};

[[noreturn]] void ThrowInternal(Napi::Env env, const char* message) {
  throw ToError(env, Status(ErrorCode::kInternal, message));
}

// Positions, each at most `last`.
std::span<std::uint32_t> PositionsArgument(const Napi::CallbackInfo& info, std::size_t at,
                                           std::uint64_t end) {
  const auto positions = ViewArgument<std::uint32_t>(info, at, "positions");
  std::uint32_t largest = 0;
  for (const std::uint32_t position : positions) largest = std::max(largest, position);
  if (!positions.empty() && largest >= end) ThrowInternal(info.Env(), "a position is too large");
  return positions;
}

// { symbols, counts }
Napi::Value ToObject(Napi::Env env, const std::vector<SymbolCount>& found) {
  auto symbols = Uint32Array::New(env, found.size());
  auto counts = Uint32Array::New(env, found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    symbols.Data()[i] = found[i].symbol;
    counts.Data()[i] = found[i].count;
  }
  auto object = Napi::Object::New(env);
  object["symbols"] = symbols;
  object["counts"] = counts;
  return object;
}

}  // namespace

Napi::Function DynamicWaveletMatrixWrap::Define(Napi::Env env) {
  using Wrap = DynamicWaveletMatrixWrap;
  return DefineClass(env, "DynamicWaveletMatrix",
                     {
                         InstanceAccessor<&Wrap::SymbolBits>("symbolBits"),
                         InstanceAccessor<&Wrap::Size>("size"),
                         InstanceAccessor<&Wrap::SizeInBytes>("sizeInBytes"),
                         InstanceMethod<&Wrap::Append>("append"),
                         InstanceMethod<&Wrap::Access>("access"),
                         InstanceMethod<&Wrap::AccessMany>("accessMany"),
                         InstanceMethod<&Wrap::AccessRange>("accessRange"),
                         InstanceMethod<&Wrap::Rank>("rank"),
                         InstanceMethod<&Wrap::RankMany>("rankMany"),
                         InstanceMethod<&Wrap::Select>("select"),
                         InstanceMethod<&Wrap::SelectMany>("selectMany"),
                         InstanceMethod<&Wrap::Count>("count"),
                         InstanceMethod<&Wrap::Occurrences>("occurrences"),
                         InstanceMethod<&Wrap::RangeCount>("rangeCount"),
                         InstanceMethod<&Wrap::RangeQuantile>("rangeQuantile"),
                         InstanceMethod<&Wrap::RangeTopK>("rangeTopK"),
                         InstanceMethod<&Wrap::RangeDistinct>("rangeDistinct"),
                         InstanceMethod<&Wrap::RangeIntersect>("rangeIntersect"),
                         InstanceMethod<&Wrap::Seal>("seal"),
                         InstanceMethod<&Wrap::SealedAsync>("sealedAsync"),
                         InstanceMethod<&Wrap::Serialize>("serialize"),
                     });
}

DynamicWaveletMatrixWrap::DynamicWaveletMatrixWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<DynamicWaveletMatrixWrap>(info) {
  TagThis<DynamicWaveletMatrixWrap>(info);
  OrOutOfMemory(info.Env(), [&] {
    DynamicOptions options;
    options.seal_after = Uint32Argument(info, 1, "sealAfter");
    if (info[0].IsTypedArray()) {
      const auto bytes = ViewArgument<std::uint8_t>(info, 0, "bytes");
      std::unique_ptr<DynamicWaveletMatrix> matrix;
      ThrowIfFailed(info.Env(),
                    DynamicWaveletMatrix::Deserialize(std::as_bytes(bytes), options, matrix));
      matrix_ = std::move(matrix);
    } else {
      const std::uint32_t symbol_bits = Uint32Argument(info, 0, "symbolBits");
      if (symbol_bits < 1 || symbol_bits > 32) {
        ThrowInternal(info.Env(), "symbolBits is out of range");
      }
      matrix_ = std::make_shared<DynamicWaveletMatrix>(symbol_bits, options);
    }
  });
  Account(info.Env());
}

void DynamicWaveletMatrixWrap::Finalize(Napi::BasicEnv env) {
  Napi::MemoryManagement::AdjustExternalMemory(env, -accounted_bytes_);
}

void DynamicWaveletMatrixWrap::Account(Napi::BasicEnv env) {
  const auto bytes = static_cast<std::int64_t>(matrix_->SizeInBytes());
  if (bytes == accounted_bytes_) return;
  Napi::MemoryManagement::AdjustExternalMemory(env, bytes - accounted_bytes_);
  accounted_bytes_ = bytes;
}

Interval DynamicWaveletMatrixWrap::IntervalArgument(const Napi::CallbackInfo& info,
                                                    std::size_t at) const {
  const Interval interval{Uint32Argument(info, at, "start"), Uint32Argument(info, at + 1, "end")};
  if (interval.start > interval.end || interval.end > matrix_->size()) {
    ThrowInternal(info.Env(), "the interval is not one of the sequence");
  }
  return interval;
}

Napi::Value DynamicWaveletMatrixWrap::SymbolBits(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), matrix_->symbol_bits());
}

Napi::Value DynamicWaveletMatrixWrap::Size(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), matrix_->size());
}

Napi::Value DynamicWaveletMatrixWrap::SizeInBytes(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(matrix_->SizeInBytes()));
}

Napi::Value DynamicWaveletMatrixWrap::Append(const Napi::CallbackInfo& info) {
  const auto symbols = ViewArgument<std::uint32_t>(info, 0, "symbols");
  if (symbols.size() > DynamicWaveletMatrix::kMaxSize - matrix_->size()) {
    ThrowInternal(info.Env(), "symbols are too many");
  }
  const std::uint32_t size = OrOutOfMemory(info.Env(), [&] { return matrix_->Append(symbols); });
  Account(info.Env());
  return Napi::Number::New(info.Env(), size);
}

Napi::Value DynamicWaveletMatrixWrap::Access(const Napi::CallbackInfo& info) {
  const std::uint32_t position = Uint32Argument(info, 0, "position");
  if (position >= matrix_->size()) ThrowInternal(info.Env(), "position is too large");
  return Napi::Number::New(info.Env(), matrix_->Access(position));
}

Napi::Value DynamicWaveletMatrixWrap::AccessMany(const Napi::CallbackInfo& info) {
  const auto positions = PositionsArgument(info, 0, matrix_->size());
  auto out = Uint32Array::New(info.Env(), positions.size());
  OrOutOfMemory(info.Env(), [&] { matrix_->AccessMany(positions, out.Data()); });
  return out;
}

Napi::Value DynamicWaveletMatrixWrap::AccessRange(const Napi::CallbackInfo& info) {
  const Interval interval = IntervalArgument(info, 0);
  auto out = Uint32Array::New(info.Env(), interval.size());
  OrOutOfMemory(info.Env(),
                [&] { matrix_->AccessRange(interval.start, interval.end, out.Data()); });
  return out;
}

Napi::Value DynamicWaveletMatrixWrap::Rank(const Napi::CallbackInfo& info) {
  const std::uint32_t symbol = Uint32Argument(info, 0, "symbol");
  const std::uint32_t position = Uint32Argument(info, 1, "position");
  if (position > matrix_->size()) ThrowInternal(info.Env(), "position is too large");
  return Napi::Number::New(info.Env(), matrix_->Rank(symbol, position));
}

Napi::Value DynamicWaveletMatrixWrap::RankMany(const Napi::CallbackInfo& info) {
  const auto symbols = ViewArgument<std::uint32_t>(info, 0, "symbols");
  const auto positions = PositionsArgument(info, 1, std::uint64_t{matrix_->size()} + 1);
  if (symbols.size() != positions.size()) ThrowInternal(info.Env(), "lengths differ");
  auto out = Uint32Array::New(info.Env(), symbols.size());
  OrOutOfMemory(info.Env(), [&] { matrix_->RankMany(symbols, positions, out.Data()); });
  return out;
}

Napi::Value DynamicWaveletMatrixWrap::Select(const Napi::CallbackInfo& info) {
  const std::uint32_t position =
      matrix_->Select(Uint32Argument(info, 0, "symbol"), Uint32Argument(info, 1, "k"));
  return Napi::Number::New(info.Env(), position);
}

Napi::Value DynamicWaveletMatrixWrap::SelectMany(const Napi::CallbackInfo& info) {
  const auto symbols = ViewArgument<std::uint32_t>(info, 0, "symbols");
  const auto ks = ViewArgument<std::uint32_t>(info, 1, "ks");
  if (symbols.size() != ks.size()) ThrowInternal(info.Env(), "lengths differ");
  auto out = Uint32Array::New(info.Env(), symbols.size());
  OrOutOfMemory(info.Env(), [&] { matrix_->SelectMany(symbols, ks, out.Data()); });
  return out;
}

Napi::Value DynamicWaveletMatrixWrap::Count(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), matrix_->Count(Uint32Argument(info, 0, "symbol")));
}

Napi::Value DynamicWaveletMatrixWrap::Occurrences(const Napi::CallbackInfo& info) {
  const std::uint32_t symbol = Uint32Argument(info, 0, "symbol");
  const std::uint32_t from = Uint32Argument(info, 1, "from");
  const std::uint32_t limit = Uint32Argument(info, 2, "limit");
  const std::uint32_t count = matrix_->Count(symbol);
  auto out = Uint32Array::New(info.Env(), from < count ? std::min(count - from, limit) : 0);
  matrix_->Occurrences(symbol, from, {out.Data(), out.ElementLength()});
  return out;
}

Napi::Value DynamicWaveletMatrixWrap::RangeCount(const Napi::CallbackInfo& info) {
  const Interval interval = IntervalArgument(info, 0);
  const std::uint64_t low = PositionArgument(info, 2, "low");
  const std::uint64_t high = PositionArgument(info, 3, "high");
  return OrOutOfMemory(info.Env(), [&] {
    return Napi::Number::New(info.Env(),
                             matrix_->RangeCount(interval.start, interval.end, low, high));
  });
}

Napi::Value DynamicWaveletMatrixWrap::RangeQuantile(const Napi::CallbackInfo& info) {
  const Interval interval = IntervalArgument(info, 0);
  const std::uint32_t k = Uint32Argument(info, 2, "k");
  const auto symbol = OrOutOfMemory(
      info.Env(), [&] { return matrix_->RangeQuantile(interval.start, interval.end, k); });
  if (!symbol.has_value()) return info.Env().Undefined();
  return Napi::Number::New(info.Env(), *symbol);
}

Napi::Value DynamicWaveletMatrixWrap::RangeTopK(const Napi::CallbackInfo& info) {
  const Interval interval = IntervalArgument(info, 0);
  const std::uint32_t k = Uint32Argument(info, 2, "k");
  return OrOutOfMemory(info.Env(), [&] {
    return ToObject(info.Env(), matrix_->RangeTopK(interval.start, interval.end, k));
  });
}

Napi::Value DynamicWaveletMatrixWrap::RangeDistinct(const Napi::CallbackInfo& info) {
  const Interval interval = IntervalArgument(info, 0);
  return OrOutOfMemory(info.Env(), [&] {
    return ToObject(info.Env(), matrix_->RangeDistinct(interval.start, interval.end));
  });
}

Napi::Value DynamicWaveletMatrixWrap::RangeIntersect(const Napi::CallbackInfo& info) {
  const auto bounds = PositionsArgument(info, 0, std::uint64_t{matrix_->size()} + 1);
  if (bounds.size() % 2 != 0) ThrowInternal(info.Env(), "bounds are not pairs");
  return OrOutOfMemory(info.Env(), [&]() -> Napi::Value {
    std::vector<Interval> ranges(bounds.size() / 2);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      ranges[i] = {bounds[2 * i], bounds[2 * i + 1]};
      if (ranges[i].start > ranges[i].end) ThrowInternal(info.Env(), "a range ends too early");
    }
    return ToTypedArray<std::uint32_t>(info.Env(), matrix_->RangeIntersect(ranges));
  });
}

void DynamicWaveletMatrixWrap::Seal(const Napi::CallbackInfo&) { matrix_->Seal(); }

Napi::Value DynamicWaveletMatrixWrap::SealedAsync(const Napi::CallbackInfo& info) {
  auto* task = new SealTask(info.Env(), matrix_);
  return AsyncTask::Start(task, info.This().As<Napi::Object>(), info.Env().Undefined());
}

Napi::Value DynamicWaveletMatrixWrap::Serialize(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const std::vector<std::byte> bytes = matrix_->Serialize();
    auto out = Napi::Uint8Array::New(info.Env(), bytes.size());
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(out.Data()));
    return out;
  });
}

}  // namespace dentate::napi
