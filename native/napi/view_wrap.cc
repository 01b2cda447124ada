#include "napi/view_wrap.h"

#include <utility>
#include <vector>

#include "bank/read_entries.h"
#include "bank/search.h"
#include "bank/search_all.h"
#include "bank/select.h"
#include "napi/addon_data.h"
#include "napi/async_task.h"
#include "napi/call_task.h"
#include "napi/chunk_calls.h"
#include "napi/object_fields.h"
#include "napi/query_fields.h"
#include "napi/signature_encoder_wrap.h"

namespace dentate::napi {
namespace {

std::span<const std::uint32_t> Entries(const Napi::CallbackInfo& info) {
  return ViewArgument<std::uint32_t>(info, 0, "entries");
}

// A search of either kind.
template <typename Query>
class SearchTask final : public AsyncTask {
 public:
  SearchTask(Napi::Env env, Viewed viewed, Query query)
      : AsyncTask(env, "dentate:search"),
        gate_(AddonData::Of(env).search_gate),
        viewed_(std::move(viewed)),
        table_(SignatureEncoderWrap::Table()),
        query_(std::move(query)) {}

 protected:
  Status Run() override {
    const SearchGate::Pass pass(*gate_);
    const auto cancelled = [this] { return this->cancelled(); };
    if constexpr (std::is_same_v<Query, bank::SearchQuery>) {
      return bank::Search(*viewed_.snapshot, table_.get(), query_, cancelled, result_);
    } else {
      return bank::SearchAll(*viewed_.snapshot, query_, cancelled, result_);
    }
  }
  Napi::Value ToResult(Napi::Env env) override {
    auto object = Napi::Object::New(env);
    object["entries"] = ToArray(env, result_.entries);
    object["scores"] = ToArray(env, result_.scores);
    object["signatureScores"] = ToArray(env, result_.signature_scores);
    object["denseScores"] = ToArray(env, result_.dense_scores);
    object["placeScores"] = ToArray(env, result_.place_scores);
    object["pieces"] = ToArray(env, result_.pieces);
    object["shares"] = ToArray(env, result_.shares);
    object["meanCodes"] = Napi::Number::New(env, result_.mean_codes);
    return object;
  }

 private:
  const std::shared_ptr<SearchGate> gate_;
  const Viewed viewed_;
  const std::shared_ptr<const signatures::WordVectors> table_;
  const Query query_;
  bank::SearchResult result_;
};

}  // namespace

Napi::Function ViewWrap::Define(Napi::Env env) {
  return DefineClass(env, "View",
                     {
                         InstanceAccessor<&ViewWrap::Incarnation>("incarnation"),
                         InstanceAccessor<&ViewWrap::EntryCount>("entryCount"),
                         InstanceAccessor<&ViewWrap::LiveCount>("liveCount"),
                         InstanceAccessor<&ViewWrap::Generation>("generation"),
                         InstanceMethod<&ViewWrap::Read>("read"),
                         InstanceMethod<&ViewWrap::Extras>("extras"),
                         InstanceMethod<&ViewWrap::TokenCounts>("tokenCounts"),
                         InstanceMethod<&ViewWrap::SpeakerNames>("speakerNames"),
                         InstanceMethod<&ViewWrap::Newest>("newest"),
                         InstanceMethod<&ViewWrap::Versions>("versions"),
                         InstanceMethod<&ViewWrap::Origins>("origins"),
                         InstanceMethod<&ViewWrap::Select>("select"),
                         InstanceMethod<&ViewWrap::Latest>("latest"),
                         InstanceMethod<&ViewWrap::DayRuns>("dayRuns"),
                         InstanceMethod<&ViewWrap::Search>("search"),
                         InstanceMethod<&ViewWrap::SearchAll>("searchAll"),
                         InstanceMethod<&ViewWrap::SearchChunks>("searchChunks"),
                         InstanceMethod<&ViewWrap::NearestAtoms>("nearestAtoms"),
                         InstanceMethod<&ViewWrap::AllChunks>("allChunks"),
                         InstanceMethod<&ViewWrap::ChunkTable>("chunkTable"),
                         InstanceMethod<&ViewWrap::ChunkVectors>("chunkVectors"),
                         InstanceMethod<&ViewWrap::Parts>("parts"),
                         InstanceMethod<&ViewWrap::Signatures>("signatures"),
                         InstanceMethod<&ViewWrap::DueChunks>("dueChunks"),
                         InstanceMethod<&ViewWrap::OpenChunks>("openChunks"),
                         InstanceMethod<&ViewWrap::CountChunks>("countChunks"),
                         InstanceMethod<&ViewWrap::Sessions>("sessions"),
                         InstanceMethod<&ViewWrap::Stats>("stats"),
                         InstanceMethod<&ViewWrap::Release>("release"),
                     });
}

Napi::Object ViewWrap::New(Napi::Env env, Viewed viewed) {
  return AddonData::Of(env).view_class.New({Napi::External<Viewed>::New(env, &viewed)});
}

ViewWrap::ViewWrap(const Napi::CallbackInfo& info) : Napi::ObjectWrap<ViewWrap>(info) {
  if (!info[0].IsExternal()) throw WrongField(info.Env(), "view");
  viewed_ = std::move(*info[0].As<Napi::External<Viewed>>().Data());
}

const bank::Snapshot& ViewWrap::snapshot(const Napi::CallbackInfo& info) const {
  if (viewed_.snapshot == nullptr) throw WrongField(info.Env(), "a released view");
  return *viewed_.snapshot;
}

void ViewWrap::Release(const Napi::CallbackInfo&) { viewed_ = {}; }

Napi::Value ViewWrap::Incarnation(const Napi::CallbackInfo& info) {
  snapshot(info);
  return ToNumber(info.Env(), viewed_.bank->incarnation());
}

Napi::Value ViewWrap::EntryCount(const Napi::CallbackInfo& info) {
  return ToNumber(info.Env(), snapshot(info).entry_count);
}

Napi::Value ViewWrap::LiveCount(const Napi::CallbackInfo& info) {
  return ToNumber(info.Env(), snapshot(info).current.Count());
}

Napi::Value ViewWrap::Generation(const Napi::CallbackInfo& info) {
  return ToNumber(info.Env(), viewed_.generation);
}

Napi::Value ViewWrap::Read(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return OrOutOfMemory(env, [&] {
    const bank::EntryColumns columns =
        bank::ReadEntries(snapshot(info), *viewed_.bank, Entries(info));
    auto object = Napi::Object::New(env);
    object["tokens"] = ToArray(env, columns.tokens);
    object["tokenOffsets"] = ToArray(env, columns.token_offsets);
    object["extras"] = ToArray(env, columns.extras);
    object["extrasOffsets"] = ToArray(env, columns.extras_offsets);
    object["roles"] = ToArray(env, columns.roles);
    object["at"] = ToArray(env, columns.at);
    object["ingested"] = ToArray(env, columns.ingested);
    object["expires"] = ToArray(env, columns.expires);
    object["origins"] = ToArray(env, columns.origins);
    object["sessions"] = ToArray(env, columns.sessions);
    object["sessionNames"] = ToStrings(env, columns.session_names);
    object["speakers"] = ToArray(env, columns.speakers);
    object["speakerNames"] = ToStrings(env, columns.speaker_names);
    object["spans"] = ToArray(env, columns.spans);
    return object;
  });
}

Napi::Value ViewWrap::Extras(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const bank::ExtrasColumn column = bank::ReadExtras(snapshot(info), Entries(info));
    auto object = Napi::Object::New(info.Env());
    object["bytes"] = ToArray(info.Env(), column.bytes);
    object["offsets"] = ToArray(info.Env(), column.offsets);
    return object;
  });
}

Napi::Value ViewWrap::TokenCounts(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    return ToArray(info.Env(), bank::TokenCounts(snapshot(info), Entries(info)));
  });
}

Napi::Value ViewWrap::SpeakerNames(const Napi::CallbackInfo& info) {
  const bank::Snapshot& snapshot = this->snapshot(info);
  const std::uint32_t from = Uint32Argument(info, 0, "from");
  return OrOutOfMemory(info.Env(), [&] {
    std::vector<std::string_view> names;
    if (snapshot.names != nullptr) {
      const bank::NameTable& table = snapshot.names->speakers.table();
      for (std::uint32_t i = from; i < table.size(); ++i) names.push_back(table.Name(i));
    }
    return ToStrings(info.Env(), names);
  });
}

Napi::Value ViewWrap::Newest(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    return ToArray(info.Env(), bank::CurrentVersions(snapshot(info), *viewed_.bank, Entries(info)));
  });
}

Napi::Value ViewWrap::Versions(const Napi::CallbackInfo& info) {
  snapshot(info);
  const std::uint32_t origin = Uint32Argument(info, 0, "origin");
  return OrOutOfMemory(info.Env(),
                       [&] { return ToArray(info.Env(), viewed_.bank->Versions(origin)); });
}

Napi::Value ViewWrap::Origins(const Napi::CallbackInfo& info) {
  snapshot(info);
  const auto entries = Entries(info);
  auto origins = Napi::Uint32Array::New(info.Env(), entries.size());
  std::transform(entries.begin(), entries.end(), origins.Data(),
                 [this](std::uint32_t entry) { return viewed_.bank->OriginOf(entry); });
  return origins;
}

Napi::Value ViewWrap::Select(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const bank::Selection selection = ReadSelection(ObjectArgument(info, 0, "selection"));
    return ToBits(info.Env(), bank::Select(snapshot(info), *viewed_.bank, selection));
  });
}

Napi::Value ViewWrap::Latest(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const bank::Snapshot& snapshot = this->snapshot(info);
    const std::uint32_t limit = Uint32Argument(info, 0, "limit");
    if (info[1].IsUndefined()) {
      return ToArray(info.Env(), bank::Latest(snapshot, snapshot.current, limit));
    }
    const bank::EntryMask mask = ReadMask(info[1], snapshot.entry_count);
    return ToArray(info.Env(), bank::Latest(snapshot, mask, limit));
  });
}

Napi::Value ViewWrap::DayRuns(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    std::vector<std::int32_t> numbers;
    for (const bank::DayRun& run : bank::DayRuns(snapshot(info))) {
      numbers.push_back(run.day);
      numbers.push_back(static_cast<std::int32_t>(run.begin));
      numbers.push_back(static_cast<std::int32_t>(run.end));
    }
    return ToArray(info.Env(), numbers);
  });
}

Napi::Value ViewWrap::Search(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const Napi::Object object = ObjectArgument(info, 0, "query");
    bank::SearchQuery query = ReadSearchQuery(object, viewed_.bank, snapshot(info));
    ThrowIfFailed(info.Env(), bank::CheckQuery(viewed_.bank->settings().signature_words,
                                               SignatureEncoderWrap::Table().get(), query));
    auto* task = new SearchTask<bank::SearchQuery>(info.Env(), viewed_, std::move(query));
    return AsyncTask::Start(task, info.This().As<Napi::Object>(), info[1]);
  });
}

Napi::Value ViewWrap::SearchAll(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    const Napi::Object object = ObjectArgument(info, 0, "query");
    bank::ConjunctiveQuery query = ReadConjunctiveQuery(object, snapshot(info));
    ThrowIfFailed(info.Env(), bank::CheckQuery(viewed_.bank->settings().signature_words, query));
    auto* task = new SearchTask<bank::ConjunctiveQuery>(info.Env(), viewed_, std::move(query));
    return AsyncTask::Start(task, info.This().As<Napi::Object>(), info[1]);
  });
}

Napi::Value ViewWrap::SearchChunks(const Napi::CallbackInfo& info) {
  snapshot(info);
  return napi::SearchChunks(info, viewed_);
}

Napi::Value ViewWrap::NearestAtoms(const Napi::CallbackInfo& info) {
  snapshot(info);
  return napi::NearestAtoms(info, viewed_);
}

Napi::Value ViewWrap::AllChunks(const Napi::CallbackInfo& info) {
  snapshot(info);
  return napi::AllChunks(info, viewed_);
}

Napi::Value ViewWrap::ChunkTable(const Napi::CallbackInfo& info) {
  snapshot(info);
  return napi::ChunkTable(info, viewed_);
}

Napi::Value ViewWrap::ChunkVectors(const Napi::CallbackInfo& info) {
  snapshot(info);
  return napi::ChunkVectors(info, viewed_);
}

Napi::Value ViewWrap::Parts(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    std::vector<double> ids;
    std::vector<std::uint32_t> codes;
    for (const bank::PlacedPart& placed : snapshot(info).parts) {
      ids.push_back(static_cast<double>(placed.part->id()));
      codes.push_back(placed.part->code_count());
    }
    auto object = Napi::Object::New(info.Env());
    object["ids"] = ToArray(info.Env(), ids);
    object["codes"] = ToArray(info.Env(), codes);
    return object;
  });
}

Napi::Value ViewWrap::Signatures(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const bank::Snapshot& snapshot = this->snapshot(info);
  const Napi::Object object = ObjectArgument(info, 0, "range");
  const std::uint32_t part = Uint32Field(object, "part");
  const std::uint32_t from = Uint32Field(object, "from");
  const std::uint32_t to = Uint32Field(object, "to");
  if (part >= snapshot.parts.size()) throw WrongField(env, "part");
  if (from > to || to > snapshot.parts[part].part->code_count()) throw WrongField(env, "to");
  return OrOutOfMemory(env, [&] {
    auto words = std::make_shared<std::vector<std::uint64_t>>();
    return CallTask::Start(
        info, "dentate:signatures", env.Undefined(),
        [=, of = snapshot.parts[part].part](const auto&) {
          const std::size_t width = of->signature_words();
          words->resize((to - from) * width);
          for (std::uint32_t code = from; code < to; ++code) {
            of->Signature(code, words->data() + (code - from) * width);
          }
          return Status::Ok();
        },
        [words](Napi::Env of) { return ToArray(of, *words); });
  });
}

Napi::Value ViewWrap::DueChunks(const Napi::CallbackInfo& info) {
  snapshot(info);
  return napi::DueChunks(info, viewed_);
}

Napi::Value ViewWrap::OpenChunks(const Napi::CallbackInfo& info) {
  snapshot(info);
  return napi::OpenChunks(info, viewed_);
}

Napi::Value ViewWrap::CountChunks(const Napi::CallbackInfo& info) {
  snapshot(info);
  return napi::CountChunks(info, viewed_);
}

Napi::Value ViewWrap::Sessions(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return OrOutOfMemory(env, [&] {
    const bank::Snapshot& snapshot = this->snapshot(info);
    std::vector<std::string_view> names;
    std::vector<std::uint32_t> entries;
    std::vector<double> tokens, first, last;
    for (const bank::SessionSize& size : bank::ListSessions(snapshot)) {
      names.push_back(snapshot.names->sessions.table().Name(size.session));
      entries.push_back(size.entries);
      tokens.push_back(static_cast<double>(size.tokens));
      first.push_back(static_cast<double>(size.first));
      last.push_back(static_cast<double>(size.last));
    }
    auto object = Napi::Object::New(env);
    object["names"] = ToStrings(env, names);
    object["entries"] = ToArray(env, entries);
    object["tokens"] = ToArray(env, tokens);
    object["first"] = ToArray(env, first);
    object["last"] = ToArray(env, last);
    return object;
  });
}

Napi::Value ViewWrap::Stats(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  return OrOutOfMemory(env, [&] {
    const bank::Snapshot& snapshot = this->snapshot(info);
    auto stats = Napi::Object::New(env);
    stats["entries"] = ToNumber(env, snapshot.current.Count());
    stats["tokens"] = ToNumber(env, bank::CountTokens(snapshot));
    stats["sessions"] = ToNumber(env, bank::CountSessions(snapshot));
    stats["parts"] = ToNumber(env, snapshot.parts.size());
    return stats;
  });
}

}  // namespace dentate::napi
