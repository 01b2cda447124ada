#include "napi/bank_wrap.h"

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "old_bank/search.h"
#include "old_bank/search_all.h"
#include "napi/arguments.h"
#include "napi/async_task.h"
#include "napi/errors.h"
#include "napi/type_tags.h"
#include "vectors/dot.h"

namespace dentate::napi {
namespace {

using old_bank::Bank;
using old_bank::EntryTable;

Napi::Error Wrong(Napi::Env env, const char* name) {
  return ToError(env,
                 Status(ErrorCode::kInternal, std::string(name) + " is not what it should be"));
}

// The elements of a typed array that is a property of `object`, in place (arguments.h).
template <typename T>
std::span<const T> View(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (value.IsTypedArray()) {
    const auto array = value.As<Napi::TypedArray>();
    if (array.TypedArrayType() == TypedArrayTag<T>::kValue) {
      auto typed = array.As<Napi::TypedArrayOf<T>>();
      return {typed.Data(), typed.ElementLength()};
    }
  }
  throw Wrong(object.Env(), name);
}

// A copy of it; empty where the property is absent.
template <typename T>
std::vector<T> Copy(const Napi::Object& object, const char* name) {
  if (object.Get(name).IsUndefined()) return {};
  const auto view = View<T>(object, name);
  return {view.begin(), view.end()};
}

double Number(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (!value.IsNumber()) throw Wrong(object.Env(), name);
  return value.As<Napi::Number>().DoubleValue();
}

std::uint32_t Whole(const Napi::Object& object, const char* name) {
  const double number = Number(object, name);
  if (!(number >= 0 && number <= UINT32_MAX)) throw Wrong(object.Env(), name);
  return static_cast<std::uint32_t>(number);
}

Napi::Object ObjectArgument(const Napi::CallbackInfo& info, const char* name) {
  if (!info[0].IsObject()) throw Wrong(info.Env(), name);
  return info[0].As<Napi::Object>();
}

old_bank::QueryCodes ReadCodes(const Napi::Object& object) {
  return {Copy<std::uint64_t>(object, "signatures"), Copy<std::uint64_t>(object, "stems"),
          Copy<std::uint32_t>(object, "wordOf"), Whole(object, "radius")};
}

old_bank::SearchQuery ReadSearchQuery(const Napi::Object& object) {
  old_bank::SearchQuery query;
  query.codes = ReadCodes(object);
  query.vector = Copy<float>(object, "vector");
  query.speakers = Copy<std::uint32_t>(object, "speakers");
  query.speaker_codes = Copy<std::uint32_t>(object, "speakerCodes");
  const auto marks = Copy<std::uint32_t>(object, "marks");
  if (marks.size() % 3 != 0) throw Wrong(object.Env(), "marks");
  for (std::size_t i = 0; i < marks.size(); i += 3) {
    query.marks.push_back({marks[i], marks[i + 1], marks[i + 2]});
  }
  query.limit = Whole(object, "limit");
  if (!object.Get("weights").IsObject()) throw Wrong(object.Env(), "weights");
  const auto weights = object.Get("weights").As<Napi::Object>();
  query.weights.dense = static_cast<float>(Number(weights, "dense"));
  query.weights.speaker = static_cast<float>(Number(weights, "speaker"));
  query.weights.length = static_cast<float>(Number(weights, "length"));
  query.weights.prune = Number(weights, "prune");
  query.weights.codes = Whole(weights, "codes");
  query.weights.visits = Whole(weights, "visits");
  const auto neighbours = View<float>(weights, "neighbours");
  if (neighbours.size() != old_bank::kReach) throw Wrong(object.Env(), "neighbours");
  std::copy(neighbours.begin(), neighbours.end(), query.weights.neighbours.begin());
  return query;
}

template <typename T>
Napi::Value ToArray(Napi::Env env, const std::vector<T>& values) {
  return ToTypedArray<T>(env, std::span<const T>(values));
}

// A search of either kind: Query and the two functions that take it.
template <typename Query,
          Status (*kSearch)(const Bank&, const Query&, const old_bank::Cancelled&, old_bank::SearchResult&)>
class SearchTask final : public AsyncTask {
 public:
  SearchTask(Napi::Env env, std::shared_ptr<const Bank> bank, Query query)
      : AsyncTask(env, "dentate:bank-search"), bank_(std::move(bank)), query_(std::move(query)) {}

 protected:
  Status Run() override {
    return kSearch(
        *bank_, query_, [this] { return cancelled(); }, result_);
  }
  Napi::Value ToResult(Napi::Env env) override {
    auto object = Napi::Object::New(env);
    object["entries"] = ToArray(env, result_.entries);
    object["scores"] = ToArray(env, result_.scores);
    object["signatureScores"] = ToArray(env, result_.signature_scores);
    object["denseScores"] = ToArray(env, result_.dense_scores);
    object["shares"] = ToArray(env, result_.shares);
    return object;
  }

 private:
  const std::shared_ptr<const Bank> bank_;
  const Query query_;
  old_bank::SearchResult result_;
};

}  // namespace

Napi::Function BankWrap::Define(Napi::Env env) {
  return DefineClass(env, "Bank",
                     {
                         InstanceAccessor<&BankWrap::EntryCount>("entryCount"),
                         InstanceAccessor<&BankWrap::TokenCount>("tokenCount"),
                         InstanceMethod<&BankWrap::Append>("append"),
                         InstanceMethod<&BankWrap::Tokens>("tokens"),
                         InstanceMethod<&BankWrap::TokenCounts>("tokenCounts"),
                         InstanceMethod<&BankWrap::Spans>("spans"),
                         InstanceMethod<&BankWrap::Metadata>("metadata"),
                         InstanceMethod<&BankWrap::SessionsOf>("sessionsOf"),
                         InstanceMethod<&BankWrap::SpeakersOf>("speakersOf"),
                         InstanceMethod<&BankWrap::Neighbours>("neighbours"),
                         InstanceMethod<&BankWrap::SessionEntries>("sessionEntries"),
                         InstanceMethod<&BankWrap::Search>("search"),
                         InstanceMethod<&BankWrap::SearchAll>("searchAll"),
                         InstanceMethod<&BankWrap::Stats>("stats"),
                     });
}

BankWrap::BankWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<BankWrap>(info) {
  TagThis<BankWrap>(info);
  const std::uint32_t bits = Uint32Argument(info, 0, "signatureBits");
  const std::uint32_t dimensions = Uint32Argument(info, 1, "dimensions");
  if (bits == 0 || bits % 64 != 0 || bits > Bank::kMaxSignatureBits) {
    throw Wrong(info.Env(), "signatureBits");
  }
  if (dimensions > vectors::kMaxDimensions) throw Wrong(info.Env(), "dimensions");
  OrOutOfMemory(info.Env(), [&] {
    bank_ = std::make_shared<Bank>(bits, dimensions, std::make_unique<old_storage::MemoryLog>());
  });
  Account(info.Env());
}

void BankWrap::Finalize(Napi::BasicEnv env) {
  Napi::MemoryManagement::AdjustExternalMemory(env, -accounted_bytes_);
}

void BankWrap::Account(Napi::BasicEnv env) {
  const auto bytes = static_cast<std::int64_t>(bank_->SizesInBytes().Sum());
  Napi::MemoryManagement::AdjustExternalMemory(env, bytes - accounted_bytes_);
  accounted_bytes_ = bytes;
}

Napi::Value BankWrap::EntryCount(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), bank_->entry_count());
}

Napi::Value BankWrap::TokenCount(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(bank_->token_count()));
}

Napi::Value BankWrap::Append(const Napi::CallbackInfo& info) {
  const Napi::Object object = ObjectArgument(info, "batch");
  old_bank::Batch batch;
  batch.tokens = View<std::uint32_t>(object, "tokens");
  batch.token_counts = View<std::uint32_t>(object, "tokenCounts");
  batch.signatures = View<std::uint64_t>(object, "signatures");
  batch.stems = View<std::uint64_t>(object, "stems");
  batch.code_tokens = View<std::uint32_t>(object, "codeTokens");
  batch.code_counts = View<std::uint32_t>(object, "codeCounts");
  batch.sessions = View<std::uint32_t>(object, "sessions");
  batch.speakers = View<std::uint32_t>(object, "speakers");
  batch.vectors = View<float>(object, "vectors");
  batch.metadata = View<std::uint8_t>(object, "metadata");
  batch.metadata_lengths = View<std::uint32_t>(object, "metadataLengths");
  std::uint32_t first = 0;
  ThrowIfFailed(info.Env(), bank_->Append(batch, first));
  Account(info.Env());
  return Napi::Number::New(info.Env(), first);
}

std::span<const std::uint32_t> BankWrap::Entries(const Napi::CallbackInfo& info) const {
  const auto entries = ViewArgument<std::uint32_t>(info, 0, "entries");
  const std::uint32_t count = bank_->entry_count();
  for (const std::uint32_t entry : entries) {
    if (entry >= count) throw Wrong(info.Env(), "entries");
  }
  return entries;
}

template <typename Number>
Napi::Value BankWrap::ForEachEntry(const Napi::CallbackInfo& info, Number number) const {
  const auto entries = Entries(info);
  auto values = Napi::TypedArrayOf<std::uint32_t>::New(info.Env(), entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) values[i] = number(entries[i]);
  return values;
}

Napi::Value BankWrap::Tokens(const Napi::CallbackInfo& info) {
  const auto entries = Entries(info);
  return OrOutOfMemory(info.Env(), [&] {
    std::vector<std::uint32_t> tokens;
    std::vector<std::uint32_t> offsets;
    bank_->Tokens(entries, tokens, offsets);
    auto object = Napi::Object::New(info.Env());
    object["tokens"] = ToArray(info.Env(), tokens);
    object["offsets"] = ToArray(info.Env(), offsets);
    return object;
  });
}

Napi::Value BankWrap::TokenCounts(const Napi::CallbackInfo& info) {
  return ForEachEntry(info, [this](std::uint32_t entry) {
    const auto& row = bank_->entries().row(entry);
    return row.token_end - row.token_begin;
  });
}

Napi::Value BankWrap::Spans(const Napi::CallbackInfo& info) {
  const auto entries = Entries(info);
  auto spans = Napi::TypedArrayOf<std::uint32_t>::New(info.Env(), 2 * entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    spans[2 * i] = bank_->entries().row(entries[i]).token_begin;
    spans[2 * i + 1] = bank_->entries().row(entries[i]).token_end;
  }
  return spans;
}

Napi::Value BankWrap::Metadata(const Napi::CallbackInfo& info) {
  const auto entries = Entries(info);
  return OrOutOfMemory(info.Env(), [&] {
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint32_t> offsets{0};
    for (const std::uint32_t entry : entries) {
      bank_->entries().CopyMetadata(entry, bytes);
      if (bytes.size() > UINT32_MAX) throw std::bad_alloc();
      offsets.push_back(static_cast<std::uint32_t>(bytes.size()));
    }
    auto object = Napi::Object::New(info.Env());
    object["bytes"] = ToArray(info.Env(), bytes);
    object["offsets"] = ToArray(info.Env(), offsets);
    return object;
  });
}

Napi::Value BankWrap::SessionsOf(const Napi::CallbackInfo& info) {
  return ForEachEntry(info,
                      [this](std::uint32_t entry) { return bank_->entries().row(entry).session; });
}

Napi::Value BankWrap::SpeakersOf(const Napi::CallbackInfo& info) {
  return ForEachEntry(info,
                      [this](std::uint32_t entry) { return bank_->entries().speakers()[entry]; });
}

Napi::Value BankWrap::Neighbours(const Napi::CallbackInfo& info) {
  const std::uint32_t count = bank_->entry_count();
  auto object = Napi::Object::New(info.Env());
  object["previous"] =
      ForEachEntry(info, [this](std::uint32_t entry) { return bank_->entries().previous(entry); });
  object["next"] = ForEachEntry(
      info, [this, count](std::uint32_t entry) { return bank_->entries().next(entry, count); });
  return object;
}

Napi::Value BankWrap::SessionEntries(const Napi::CallbackInfo& info) {
  const EntryTable& entries = bank_->entries();
  const std::uint32_t session = Uint32Argument(info, 0, "session");
  const std::uint32_t count = bank_->entry_count();
  return OrOutOfMemory(info.Env(), [&] {
    std::vector<std::uint32_t> members;
    for (std::uint32_t entry = entries.FirstOfSession(session); entry != EntryTable::kNone;
         entry = entries.next(entry, count)) {
      members.push_back(entry);
    }
    return ToArray(info.Env(), members);
  });
}

Napi::Value BankWrap::Search(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    old_bank::SearchQuery query = ReadSearchQuery(ObjectArgument(info, "query"));
    ThrowIfFailed(info.Env(), old_bank::CheckQuery(*bank_, query));
    auto* task =
        new SearchTask<old_bank::SearchQuery, old_bank::Search>(info.Env(), bank_, std::move(query));
    return AsyncTask::Start(task, info.This().As<Napi::Object>(), info[1]);
  });
}

Napi::Value BankWrap::SearchAll(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const Napi::Object object = ObjectArgument(info, "query");
    old_bank::ConjunctiveQuery query{ReadCodes(object), Whole(object, "limit")};
    ThrowIfFailed(info.Env(), old_bank::CheckQuery(*bank_, query));
    auto* task = new SearchTask<old_bank::ConjunctiveQuery, old_bank::SearchAll>(info.Env(), bank_,
                                                                         std::move(query));
    return AsyncTask::Start(task, info.This().As<Napi::Object>(), info[1]);
  });
}

Napi::Value BankWrap::Stats(const Napi::CallbackInfo& info) {
  const Bank::Sizes sizes = bank_->SizesInBytes();
  const auto number = [&info](std::size_t value) {
    return Napi::Number::New(info.Env(), static_cast<double>(value));
  };
  auto bytes = Napi::Object::New(info.Env());
  bytes["content"] = number(sizes.content);
  bytes["codes"] = number(sizes.codes);
  bytes["tokenCodes"] = number(sizes.token_codes);
  bytes["symbols"] = number(sizes.symbols);
  bytes["dictionary"] = number(sizes.dictionary);
  bytes["entries"] = number(sizes.entries);
  bytes["metadata"] = number(sizes.metadata);
  bytes["vectors"] = number(sizes.vectors);
  bytes["bank"] = number(sizes.bank);
  auto stats = Napi::Object::New(info.Env());
  stats["entries"] = number(bank_->entry_count());
  stats["tokens"] = number(static_cast<std::size_t>(bank_->token_count()));
  stats["codes"] = number(bank_->codes().size());
  stats["words"] = number(bank_->dictionary().size());
  stats["bytes"] = bytes;
  stats["sizeInBytes"] = number(sizes.Sum());
  return stats;
}

}  // namespace dentate::napi
