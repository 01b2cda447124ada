#include "napi/chunk_calls.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bank/chunk_due.h"
#include "bank/chunk_search.h"
#include "bank/chunk_table.h"
#include "napi/addon_data.h"
#include "napi/call_task.h"
#include "napi/object_fields.h"
#include "napi/query_fields.h"
#include "napi/signature_encoder_wrap.h"

namespace dentate::napi {
namespace {

std::int64_t Now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

bool Has(const Napi::Object& object, const char* name) { return !object.Get(name).IsUndefined(); }

bank::ChunkerOptions ReadChunker(const Napi::Object& object) {
  const bank::ChunkerOptions options{Uint32Field(object, "turns"), Uint32Field(object, "tokens")};
  if (options.turns == 0 || options.tokens == 0) throw WrongField(object.Env(), "turns");
  return options;
}

float ReadThreshold(const Napi::Object& object) {
  return Has(object, "threshold") ? static_cast<float>(NumberField(object, "threshold"))
                                  : bank::ChunkRows::kNoThreshold;
}

// { offsets, entries, ranges }: what ToObject gives.
bank::PlannedChunks ReadPlanned(const Napi::Object& object) {
  const auto offsets = ViewField<std::uint32_t>(object, "offsets");
  const auto entries = ViewField<std::uint32_t>(object, "entries");
  const auto ranges = ViewField<std::uint32_t>(object, "ranges");
  if (offsets.empty() || offsets[0] != 0 || offsets.back() != entries.size() ||
      ranges.size() != 2 * entries.size()) {
    throw WrongField(object.Env(), "offsets");
  }
  bank::PlannedChunks planned;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (ranges[2 * i] >= ranges[2 * i + 1]) throw WrongField(object.Env(), "ranges");
    planned.pieces.push_back({entries[i], ranges[2 * i], ranges[2 * i + 1]});
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] <= offsets[i - 1]) throw WrongField(object.Env(), "offsets");
    for (std::uint32_t at = offsets[i - 1] + 1; at < offsets[i]; ++at) {
      if (entries[at] <= entries[at - 1]) throw WrongField(object.Env(), "entries");
    }
    planned.piece_ends.push_back(offsets[i]);
  }
  return planned;
}

Napi::Object ToObject(Napi::Env env, const bank::PlannedChunks& planned) {
  std::vector<std::uint32_t> offsets{0}, entries, ranges;
  offsets.insert(offsets.end(), planned.piece_ends.begin(), planned.piece_ends.end());
  for (const bank::ChunkPiece& piece : planned.pieces) {
    entries.push_back(piece.entry);
    ranges.push_back(piece.begin);
    ranges.push_back(piece.end);
  }
  auto object = Napi::Object::New(env);
  object["offsets"] = ToArray(env, offsets);
  object["entries"] = ToArray(env, entries);
  object["ranges"] = ToArray(env, ranges);
  return object;
}

Napi::Object ToObject(Napi::Env env, const bank::ChunkResult& result) {
  auto object = Napi::Object::New(env);
  object["chunks"] = ToArray(env, result.chunks);
  object["scores"] = ToArray(env, result.scores);
  object["atoms"] = ToArray(env, result.atoms);
  object["offsets"] = ToArray(env, result.offsets);
  object["entries"] = ToArray(env, result.entries);
  object["ranges"] = ToArray(env, result.ranges);
  return object;
}

bank::ChunkQuery ReadQuery(const Napi::Object& object, const bank::Snapshot& snapshot) {
  bank::ChunkQuery query;
  query.vector = CopyField<float>(object, "vector");
  query.chunker = ReadChunker(object);
  query.limit = Uint32Field(object, "limit");
  if (Has(object, "mask")) {
    query.allowed =
        std::make_shared<bank::EntryMask>(ReadMask(object.Get("mask"), snapshot.entry_count));
  }
  if (Has(object, "candidates")) {
    const Napi::Object given = object.Get("candidates").As<Napi::Object>();
    auto candidates = std::make_shared<bank::ChunkCandidates>();
    candidates->chunks = CopyField<std::uint32_t>(given, "chunks");
    candidates->atoms = CopyField<std::uint32_t>(given, "atoms");
    candidates->from = Uint32Field(given, "from");
    query.candidates = std::move(candidates);
  }
  const Napi::Value open = object.Get("open");
  query.embedded = open.IsObject();
  if (query.embedded) {
    query.open = ReadPlanned(open.As<Napi::Object>());
    query.open_vectors = CopyField<float>(open.As<Napi::Object>(), "vectors");
    if (query.open_vectors.size() != query.open.size() * query.vector.size()) {
      throw WrongField(object.Env(), "vectors");
    }
  }
  return query;
}

Napi::Value Start(const Napi::CallbackInfo& info, CallTask::Work work, CallTask::Result result) {
  auto gated = [gate = AddonData::Of(info.Env()).search_gate,
                work = std::move(work)](const auto& cancelled) {
    const SearchGate::Pass pass(*gate);
    return work(cancelled);
  };
  return CallTask::Start(info, "dentate:chunks", info[1], std::move(gated), std::move(result));
}

}  // namespace

Napi::Value SearchChunks(const Napi::CallbackInfo& info, const Viewed& viewed) {
  return OrOutOfMemory(info.Env(), [&] {
    auto query = std::make_shared<const bank::ChunkQuery>(
        ReadQuery(ObjectArgument(info, 0, "query"), *viewed.snapshot));
    auto result = std::make_shared<bank::ChunkResult>();
    return Start(
        info,
        [=, table = SignatureEncoderWrap::Table()](const auto& cancelled) {
          return bank::SearchChunks(*viewed.bank, *viewed.snapshot, table.get(), *query, cancelled,
                                    *result);
        },
        [result](Napi::Env env) { return ToObject(env, *result); });
  });
}

Napi::Value NearestAtoms(const Napi::CallbackInfo& info, const Viewed& viewed) {
  return OrOutOfMemory(info.Env(), [&] {
    const Napi::Object object = ObjectArgument(info, 0, "query");
    auto query = std::make_shared<const bank::ChunkQuery>(ReadQuery(object, *viewed.snapshot));
    const std::uint32_t by = Uint32Field(object, "by");
    if (by > static_cast<std::uint32_t>(atoms::By::kBestMember)) {
      throw WrongField(info.Env(), "by");
    }
    auto result = std::make_shared<bank::ChunkResult>();
    auto nearest = std::make_shared<bank::AtomResult>();
    return Start(
        info,
        [=, table = SignatureEncoderWrap::Table()](const auto& cancelled) {
          return bank::SearchAtoms(*viewed.bank, *viewed.snapshot, table.get(), *query,
                                   static_cast<atoms::By>(by), cancelled, *result, *nearest);
        },
        [result, nearest](Napi::Env env) {
          auto answer = ToObject(env, *result);
          answer["nearest"] = ToArray(env, nearest->atoms);
          answer["nearestScores"] = ToArray(env, nearest->scores);
          answer["nearestOffsets"] = ToArray(env, nearest->offsets);
          return answer;
        });
  });
}

Napi::Value AllChunks(const Napi::CallbackInfo& info, const Viewed& viewed) {
  return OrOutOfMemory(info.Env(), [&] {
    auto query = std::make_shared<const bank::ChunkQuery>(
        ReadQuery(ObjectArgument(info, 0, "query"), *viewed.snapshot));
    auto result = std::make_shared<bank::ChunkResult>();
    auto values = std::make_shared<std::vector<float>>();
    return Start(
        info,
        [=, table = SignatureEncoderWrap::Table()](const auto& cancelled) {
          return bank::ListChunks(*viewed.bank, *viewed.snapshot, table.get(), *query, cancelled,
                                  *result, *values);
        },
        [result, values](Napi::Env env) {
          auto answer = ToObject(env, *result);
          answer["vectors"] = ToArray(env, *values);
          return answer;
        });
  });
}

Napi::Value ChunkTable(const Napi::CallbackInfo& info, const Viewed& viewed) {
  return OrOutOfMemory(info.Env(), [&] {
    const auto known =
        static_cast<std::uint64_t>(NumberField(ObjectArgument(info, 0, "options"), "known"));
    auto table = std::make_shared<bank::ChunkTable>();
    return Start(
        info, [=](const auto&) { return bank::ListChunkTable(*viewed.bank, known, *table); },
        [table](Napi::Env env) {
          auto object = Napi::Object::New(env);
          object["version"] = ToNumber(env, table->version);
          object["nextChunk"] = ToNumber(env, table->next_chunk);
          object["dimensions"] = ToNumber(env, table->dimensions);
          object["chunks"] = ToArray(env, table->chunks);
          object["atoms"] = ToArray(env, table->atoms);
          object["offsets"] = ToArray(env, table->offsets);
          object["entries"] = ToArray(env, table->entries);
          return object;
        });
  });
}

Napi::Value ChunkVectors(const Napi::CallbackInfo& info, const Viewed& viewed) {
  return OrOutOfMemory(info.Env(), [&] {
    auto chunks = std::make_shared<const std::vector<std::uint32_t>>(
        CopyField<std::uint32_t>(ObjectArgument(info, 0, "options"), "chunks"));
    auto vectors = std::make_shared<std::vector<float>>();
    return Start(
        info, [=](const auto&) { return bank::ReadChunkVectors(*viewed.bank, *chunks, *vectors); },
        [vectors](Napi::Env env) { return ToArray(env, *vectors); });
  });
}

Napi::Value DueChunks(const Napi::CallbackInfo& info, const Viewed& viewed) {
  return OrOutOfMemory(info.Env(), [&] {
    const Napi::Object object = ObjectArgument(info, 0, "options");
    const bank::ChunkerOptions options = ReadChunker(object);
    const std::uint32_t most = Uint32Field(object, "most");
    auto planned = std::make_shared<bank::PlannedChunks>();
    return Start(
        info,
        [=](const auto&) {
          return bank::FindDueChunks(*viewed.bank, *viewed.snapshot, options, most, *planned);
        },
        [planned](Napi::Env env) { return ToObject(env, *planned); });
  });
}

Napi::Value OpenChunks(const Napi::CallbackInfo& info, const Viewed& viewed) {
  return OrOutOfMemory(info.Env(), [&] {
    const bank::ChunkerOptions options = ReadChunker(ObjectArgument(info, 0, "options"));
    auto planned = std::make_shared<bank::PlannedChunks>();
    return Start(
        info,
        [=](const auto&) {
          return bank::FindOpenChunks(*viewed.bank, *viewed.snapshot, options, *planned);
        },
        [planned](Napi::Env env) { return ToObject(env, *planned); });
  });
}

Napi::Value CountChunks(const Napi::CallbackInfo& info, const Viewed& viewed) {
  return OrOutOfMemory(info.Env(), [&] {
    auto stats = std::make_shared<bank::ChunkStats>();
    return Start(
        info, [=](const auto&) { return bank::CountChunks(*viewed.bank, *stats); },
        [stats](Napi::Env env) {
          auto object = Napi::Object::New(env);
          object["chunks"] = ToNumber(env, stats->chunks);
          object["atoms"] = ToNumber(env, stats->atoms);
          object["largestAtom"] = ToNumber(env, stats->largest);
          if (stats->threshold != bank::ChunkRows::kNoThreshold) {
            object["threshold"] = Napi::Number::New(env, stats->threshold);
          }
          return object;
        });
  });
}

Napi::Value IndexChunks(const Napi::CallbackInfo& info, const store::BankHandle& handle) {
  return OrOutOfMemory(info.Env(), [&] {
    const Napi::Object object = ObjectArgument(info, 0, "options");
    const bank::ChunkerOptions options = ReadChunker(object);
    const std::uint32_t most = Uint32Field(object, "most");
    const float threshold = ReadThreshold(object);
    auto recorded = std::make_shared<std::size_t>(0);
    return Start(
        info,
        [=, table = SignatureEncoderWrap::Table()](const auto&) -> Status {
          std::shared_ptr<const bank::Bank> bank;
          Status status = handle.Load(bank);
          if (!status.ok() || bank == nullptr || table == nullptr) return status;
          const auto snapshot = bank->Read(Now());
          bank::PlannedChunks due;
          status = bank::FindDueChunks(*bank, *snapshot, options, most, due);
          if (!status.ok() || due.size() == 0) return status;
          const std::size_t count = due.size();
          bank::NewChunks chunks = bank::EmbedChunks(*snapshot, std::move(due), *table);
          chunks.incarnation = bank->incarnation();
          chunks.threshold = threshold;
          std::uint64_t sequence = 0;
          status = handle.AppendChunks(chunks, sequence);
          // Refused: somebody else was quicker, or deleted something; there may be others.
          if (status.ok()) *recorded = count;
          return status;
        },
        [recorded](Napi::Env env) { return ToNumber(env, *recorded); });
  });
}

Napi::Value AppendChunks(const Napi::CallbackInfo& info, const store::BankHandle& handle) {
  return OrOutOfMemory(info.Env(), [&] {
    const Napi::Object object = ObjectArgument(info, 0, "chunks");
    bank::PlannedChunks planned = ReadPlanned(object);
    const auto vectors = ViewField<float>(object, "vectors");
    const std::uint32_t dimensions = Uint32Field(object, "dimensions");
    if (dimensions == 0 || dimensions > bank::kMaxChunkDimensions ||
        vectors.size() != planned.size() * std::size_t{dimensions}) {
      throw WrongField(info.Env(), "vectors");
    }
    auto chunks = std::make_shared<bank::NewChunks>(
        bank::WithVectors(std::move(planned), vectors, dimensions));
    chunks->incarnation = static_cast<std::uint64_t>(NumberField(object, "incarnation"));
    chunks->threshold = ReadThreshold(object);
    return Start(info,
                 [=](const auto&) {
                   std::uint64_t sequence = 0;
                   return handle.AppendChunks(*chunks, sequence);
                 },
                 {});
  });
}

}  // namespace dentate::napi
