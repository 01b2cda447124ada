#include "napi/signature_encoder_wrap.h"

#include <array>
#include <cstring>
#include <mutex>

#include "napi/arguments.h"
#include "napi/type_tags.h"
#include "signatures/distilled_encoder.h"
#include "signatures/random_indexing.h"

namespace dentate::napi {
namespace {

using signatures::DistilledTable;

// Process-wide, guarded by its mutex; a table is immutable once set.
struct SharedTable {
  std::mutex mutex;
  std::shared_ptr<const DistilledTable> table;

  static SharedTable& Instance() {
    static SharedTable shared;
    return shared;
  }
  std::shared_ptr<const DistilledTable> Get() {
    const std::lock_guard<std::mutex> lock(mutex);
    return table;
  }
};

[[noreturn]] void Refuse(Napi::Env env, const char* message) {
  throw ToError(env, Status(ErrorCode::kInternal, message));
}

template <typename T>
std::uint8_t* Write(std::uint8_t* at, const T& values) {
  const std::size_t bytes = values.size() * sizeof(values[0]);
  if (bytes > 0) std::memcpy(at, values.data(), bytes);
  return at + bytes;
}

// The numbers of rows and of pieces: how each answer begins.
using Counts = std::array<std::uint32_t, 2>;

Counts CountsOf(const signatures::EncodedText& encoded) {
  return {static_cast<std::uint32_t>(encoded.stems.size()),
          static_cast<std::uint32_t>(encoded.pieces.size())};
}

}  // namespace

Napi::Function SignatureEncoderWrap::Define(Napi::Env env) {
  return DefineClass(env, "SignatureEncoder",
                     {StaticMethod<&SignatureEncoderWrap::SetTable>("setTable"),
                      StaticMethod<&SignatureEncoderWrap::HasTable>("hasTable"),
                      InstanceAccessor<&SignatureEncoderWrap::Dimensions>("dimensions"),
                      InstanceMethod<&SignatureEncoderWrap::Encode>("encode"),
                      InstanceMethod<&SignatureEncoderWrap::EncodeRows>("encodeRows")});
}

SignatureEncoderWrap::Make SignatureEncoderWrap::Maker(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsString()) Refuse(env, "name is not a string");
  const std::string name = info[0].As<Napi::String>();
  const std::uint32_t bits = Uint32Argument(info, 1, "bits");
  const std::uint32_t step = name == "distilled" ? 64 : 16;
  if (bits == 0 || bits % step != 0 || bits > signatures::kMaxDimensions) {
    Refuse(env, "bits is out of range");
  }
  if (name == "distilled") {
    auto table = SharedTable::Instance().Get();
    if (table == nullptr) Refuse(env, "no table of word vectors has been set");
    return [table, bits] { return std::make_unique<signatures::DistilledEncoder>(table, bits); };
  }
  signatures::RandomIndexingOptions options;
  options.bits = bits;
  options.index_dimensions = Uint32Argument(info, 2, "indexDimensions");
  options.non_zeros = Uint32Argument(info, 3, "nonZeros");
  options.window = Uint32Argument(info, 4, "window");
  options.literal = name == "random-indexing-literal";
  if (!options.literal && name != "random-indexing") Refuse(env, "no such encoder");
  if (options.index_dimensions < bits || options.index_dimensions > signatures::kMaxDimensions ||
      options.non_zeros == 0 || options.non_zeros > signatures::kMaxNonZeros ||
      options.non_zeros > options.index_dimensions || options.window > signatures::kMaxWindow) {
    Refuse(env, "an option of random indexing is out of range");
  }
  return [options] { return std::make_unique<signatures::RandomIndexingEncoder>(options); };
}

SignatureEncoderWrap::SignatureEncoderWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<SignatureEncoderWrap>(info), encoder_(Maker(info)()) {
  TagThis<SignatureEncoderWrap>(info);
}

std::shared_ptr<const DistilledTable> SignatureEncoderWrap::Table() {
  return SharedTable::Instance().Get();
}

void SignatureEncoderWrap::SetTable(const Napi::CallbackInfo& info) {
  std::shared_ptr<const DistilledTable> table;
  ThrowIfFailed(info.Env(),
                DistilledTable::FromBytes(ViewArgument<std::uint8_t>(info, 0, "bytes"), table));
  SharedTable& shared = SharedTable::Instance();
  const std::lock_guard<std::mutex> lock(shared.mutex);
  if (shared.table == nullptr) shared.table = std::move(table);
}

Napi::Value SignatureEncoderWrap::HasTable(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), Table() != nullptr);
}

Napi::Value SignatureEncoderWrap::Dimensions(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(encoder_->dimensions()));
}

void SignatureEncoderWrap::Parse(const Napi::CallbackInfo& info) {
  joined_ = info[0].As<Napi::String>().Utf8Value();
  signatures::ParseWords(joined_, words_);
}

Napi::Value SignatureEncoderWrap::Encode(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) Refuse(info.Env(), "joined is not a string");
  OrOutOfMemory(info.Env(), [&] {
    Parse(info);
    if (info[1].ToBoolean()) {
      encoder_->EncodeQuery(words_, encoded_);
    } else {
      encoder_->Encode(words_, encoded_);
    }
  });
  const Counts counts = CountsOf(encoded_);
  const std::size_t bytes = sizeof(counts) +
                            (encoded_.signatures.size() + encoded_.stems.size()) * 8 +
                            (encoded_.vector.size() + encoded_.word_of.size() +
                             encoded_.piece_counts.size() + encoded_.pieces.size()) *
                                4;
  auto buffer = Napi::ArrayBuffer::New(info.Env(), bytes);
  auto* at = static_cast<std::uint8_t*>(buffer.Data());
  at = Write(at, counts);
  at = Write(at, encoded_.signatures);
  at = Write(at, encoded_.stems);
  at = Write(at, encoded_.vector);
  at = Write(at, encoded_.word_of);
  at = Write(at, encoded_.piece_counts);
  Write(at, encoded_.pieces);
  return buffer;
}

Napi::Value SignatureEncoderWrap::EncodeRows(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) Refuse(info.Env(), "joined is not a string");
  OrOutOfMemory(info.Env(), [&] {
    Parse(info);
    encoded_.Clear();
    encoder_->Append(words_, encoded_);
  });
  const Counts counts = CountsOf(encoded_);
  const std::size_t bytes = sizeof(counts) +
                            (encoded_.signatures.size() + encoded_.stems.size()) * 8 +
                            encoded_.word_of.size() * 4;
  auto buffer = Napi::ArrayBuffer::New(info.Env(), bytes);
  auto* at = static_cast<std::uint8_t*>(buffer.Data());
  at = Write(at, counts);
  at = Write(at, encoded_.signatures);
  at = Write(at, encoded_.stems);
  Write(at, encoded_.word_of);
  return buffer;
}

}  // namespace dentate::napi
