#include "napi/query_fields.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "napi/object_fields.h"
#include "text/token_breaks.h"

namespace dentate::napi {
namespace {

static_assert(std::endian::native == std::endian::little, "masks are copied as bytes");

// { parts, below, offsets, codes, distances }: of part i the codes below below[i] are known, and
// signature j's lie from offsets[i * (signatures + 1) + j] to the next of them.
std::shared_ptr<const bank::KnownBalls> ReadKnown(const Napi::Object& object,
                                                  const bank::Snapshot& snapshot,
                                                  std::size_t signatures, std::uint32_t radius) {
  const auto parts = ViewField<double>(object, "parts");
  const auto below = ViewField<std::uint32_t>(object, "below");
  const auto offsets = ViewField<std::uint32_t>(object, "offsets");
  const auto codes = ViewField<std::uint32_t>(object, "codes");
  const auto distances = ViewField<std::uint16_t>(object, "distances");
  const std::size_t stride = signatures + 1;
  if (below.size() != parts.size() || offsets.size() != parts.size() * stride) {
    throw WrongField(object.Env(), "offsets");
  }
  if (codes.size() != distances.size()) throw WrongField(object.Env(), "distances");
  auto known = std::make_shared<bank::KnownBalls>();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bank::KnownBalls::OfPart of;
    of.part = static_cast<std::uint64_t>(parts[i]);
    of.below = below[i];
    for (const bank::PlacedPart& placed : snapshot.parts) {
      const bool fits = placed.part->id() != of.part || of.below <= placed.part->code_count();
      if (!fits) throw WrongField(object.Env(), "below");
    }
    const auto own = offsets.subspan(i * stride, stride);
    if (own[0] > own[signatures] || own[signatures] > codes.size()) {
      throw WrongField(object.Env(), "offsets");
    }
    for (std::size_t j = 0; j < stride; ++j) {
      if (j > 0 && own[j] < own[j - 1]) throw WrongField(object.Env(), "offsets");
      of.offsets.push_back(own[j] - own[0]);
    }
    for (std::uint32_t at = own[0]; at < own[signatures]; ++at) {
      if (codes[at] >= of.below) throw WrongField(object.Env(), "codes");
      if (distances[at] > radius) throw WrongField(object.Env(), "distances");
      of.codes.push_back(codes[at]);
      of.distances.push_back(distances[at]);
    }
    known->parts.push_back(std::move(of));
  }
  return known;
}

bank::QueryCodes ReadCodes(const Napi::Object& object, const bank::Snapshot& snapshot) {
  bank::QueryCodes codes{CopyField<std::uint64_t>(object, "signatures"),
                         CopyField<std::uint64_t>(object, "stems"),
                         CopyField<std::uint32_t>(object, "wordOf"),
                         Uint32Field(object, "radius"),
                         {}};
  const Napi::Value known = object.Get("known");
  if (known.IsObject() && !snapshot.parts.empty()) {
    const std::size_t words = snapshot.parts[0].part->signature_words();
    codes.known = ReadKnown(known.As<Napi::Object>(), snapshot, codes.signatures.size() / words,
                            codes.radius);
  }
  return codes;
}

bank::SearchWeights ReadWeights(const Napi::Object& object) {
  bank::SearchWeights weights;
  weights.dense = static_cast<float>(NumberField(object, "dense"));
  weights.speaker = static_cast<float>(NumberField(object, "speaker"));
  weights.length = static_cast<float>(NumberField(object, "length"));
  weights.prune = NumberField(object, "prune");
  weights.codes = Uint32Field(object, "codes");
  weights.visits = Uint32Field(object, "visits");
  weights.candidates = Uint32Field(object, "candidates");
  weights.piece = Uint32Field(object, "piece");
  weights.whole = Uint32Field(object, "whole");
  weights.cut = Uint32Field(object, "cut");
  weights.bulky = Uint32Field(object, "bulky");
  weights.acting = Uint32Field(object, "acting");
  weights.bulk_price = static_cast<float>(NumberField(object, "bulkPrice"));
  weights.bulk_free = Uint32Field(object, "bulkFree");
  weights.action_free = Uint32Field(object, "actionFree");
  weights.give_way = static_cast<float>(NumberField(object, "giveWay"));
  weights.repeat = static_cast<float>(NumberField(object, "repeat"));
  weights.entry_share = static_cast<float>(NumberField(object, "entryShare"));
  const auto neighbours = ViewField<float>(object, "neighbours");
  if (neighbours.size() != bank::kReach) throw WrongField(object.Env(), "neighbours");
  std::copy(neighbours.begin(), neighbours.end(), weights.neighbours.begin());
  return weights;
}

Napi::Object ObjectField(const Napi::Object& object, const char* name) {
  if (!object.Get(name).IsObject()) throw WrongField(object.Env(), name);
  return object.Get(name).As<Napi::Object>();
}

std::shared_ptr<const bank::EntryMask> ReadAllowed(const Napi::Object& object,
                                                   const bank::Snapshot& snapshot) {
  const Napi::Value mask = object.Get("mask");
  if (mask.IsUndefined()) return nullptr;
  return std::make_shared<bank::EntryMask>(ReadMask(mask, snapshot.entry_count));
}

// A time that JavaScript may give as -Infinity or Infinity.
std::int64_t ToTime(double time) {
  constexpr double kFarthest = 9e15;
  return static_cast<std::int64_t>(std::clamp(time, -kFarthest, kFarthest));
}

bank::TimeSpan ReadSpan(const Napi::Object& object, const char* name) {
  const Napi::Object pair = ObjectField(object, name);
  const Napi::Value begin = pair.Get(0u);
  const Napi::Value end = pair.Get(1u);
  if (!begin.IsNumber() || !end.IsNumber()) throw WrongField(object.Env(), name);
  return {ToTime(begin.As<Napi::Number>().DoubleValue()),
          ToTime(end.As<Napi::Number>().DoubleValue())};
}

bool Has(const Napi::Object& object, const char* name) { return !object.Get(name).IsUndefined(); }

}  // namespace

bank::EntryMask ReadMask(const Napi::Value& value, std::uint32_t entry_count) {
  if (!value.IsTypedArray() ||
      value.As<Napi::TypedArray>().TypedArrayType() != TypedArrayTag<std::uint32_t>::kValue) {
    throw WrongField(value.Env(), "mask");
  }
  auto bits = value.As<Napi::Uint32Array>();
  bank::EntryMask mask(entry_count, false);
  const auto words = mask.words();
  if (words.empty()) return mask;
  std::memcpy(words.data(), bits.Data(), std::min(words.size_bytes(), bits.ByteLength()));
  if (entry_count % 64 != 0) words.back() &= (std::uint64_t{1} << entry_count % 64) - 1;
  return mask;
}

Napi::Value ToBits(Napi::Env env, const bank::EntryMask& mask) {
  auto bits = Napi::Uint32Array::New(env, (std::size_t{mask.size()} + 31) / 32);
  if (bits.ByteLength() > 0) std::memcpy(bits.Data(), mask.words().data(), bits.ByteLength());
  return bits;
}

bank::SearchQuery ReadSearchQuery(const Napi::Object& object,
                                  std::shared_ptr<const bank::Bank> bank,
                                  const bank::Snapshot& snapshot) {
  bank::SearchQuery query;
  query.codes = ReadCodes(object, snapshot);
  query.vector = CopyField<float>(object, "vector");
  if (Has(object, "speakers")) {
    const auto codes = CopyField<std::uint32_t>(object, "speakerCodes");
    const std::vector<std::string> names = StringsField(object, "speakers");
    if (codes.size() != names.size()) throw WrongField(object.Env(), "speakerCodes");
    for (std::size_t i = 0; i < names.size() && snapshot.names != nullptr; ++i) {
      const std::uint32_t speaker = snapshot.names->speakers.table().Find(names[i]);
      if (speaker == bank::kNone) continue;
      query.speakers.push_back(speaker);
      query.speaker_codes.push_back(codes[i]);
    }
  }
  const auto marks = CopyField<std::uint32_t>(object, "marks");
  if (marks.size() % 3 != 0) throw WrongField(object.Env(), "marks");
  for (std::size_t i = 0; i < marks.size(); i += 3) {
    query.marks.push_back({marks[i], marks[i + 1], marks[i + 2]});
  }
  if (Has(object, "boosts")) {
    const Napi::Object boosts = ObjectField(object, "boosts");
    const auto ranges = CopyField<std::uint32_t>(boosts, "ranges");
    const auto weights = CopyField<float>(boosts, "weights");
    if (ranges.size() != 2 * weights.size()) throw WrongField(object.Env(), "boosts");
    for (std::size_t i = 0; i < weights.size(); ++i) {
      query.boosts.push_back({ranges[2 * i], ranges[2 * i + 1], weights[i]});
    }
  }
  query.weights = ReadWeights(ObjectField(object, "weights"));
  if (Has(object, "forgetting")) {
    const Napi::Object curve = ObjectField(object, "forgetting");
    query.forgetting.weight = NumberField(curve, "weight");
    query.forgetting.stability_milliseconds = NumberField(curve, "stabilityMs");
    query.forgetting.now = ToTime(NumberField(curve, "now"));
    query.forgetting.strengths = [bank = std::move(bank)](std::span<const std::uint32_t> entries) {
      return bank->Strengths(entries);
    };
  }
  if (Has(object, "recency")) {
    const Napi::Object recency = ObjectField(object, "recency");
    query.recency.weight = static_cast<float>(NumberField(recency, "weight"));
    query.recency.entries = NumberField(recency, "entries");
    query.recency.half_life_milliseconds = NumberField(recency, "halfLifeMs");
    query.recency.now = ToTime(NumberField(recency, "now"));
  }
  query.allowed = ReadAllowed(object, snapshot);
  query.breaks = text::O200kBaseBreaks();
  query.limit = Uint32Field(object, "limit");
  return query;
}

bank::ConjunctiveQuery ReadConjunctiveQuery(const Napi::Object& object,
                                            const bank::Snapshot& snapshot) {
  return {ReadCodes(object, snapshot), ReadAllowed(object, snapshot), Uint32Field(object, "limit")};
}

bank::Selection ReadSelection(const Napi::Object& object) {
  bank::Selection selection;
  if (Has(object, "roles")) selection.roles = Uint32Field(object, "roles");
  if (Has(object, "sessions")) selection.sessions = StringsField(object, "sessions");
  if (Has(object, "speakers")) selection.speakers = StringsField(object, "speakers");
  if (Has(object, "origins")) selection.origins = CopyField<std::uint32_t>(object, "origins");
  if (Has(object, "at")) selection.at = ReadSpan(object, "at");
  if (Has(object, "ingested")) selection.ingested = ReadSpan(object, "ingested");
  return selection;
}

}  // namespace dentate::napi
