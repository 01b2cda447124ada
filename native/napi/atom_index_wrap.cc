#include "napi/atom_index_wrap.h"

#include <utility>
#include <vector>

#include "atoms/calibrate.h"
#include "napi/arguments.h"
#include "napi/call_task.h"
#include "napi/errors.h"
#include "napi/object_fields.h"
#include "napi/type_tags.h"

namespace dentate::napi {
namespace {

using atoms::Added;
using atoms::AtomIndex;
using atoms::By;
using atoms::Scored;

[[noreturn]] void ThrowInternal(Napi::Env env, const char* message) {
  throw ToError(env, Status(ErrorCode::kInternal, message));
}

// A number that stands for one of an enumeration, at most `last`.
template <typename Enum>
Enum EnumOf(Napi::Env env, std::uint32_t number, Enum last) {
  if (number > static_cast<std::uint32_t>(last)) ThrowInternal(env, "no such choice");
  return static_cast<Enum>(number);
}

By ByArgument(const Napi::CallbackInfo& info, std::size_t at) {
  return EnumOf(info.Env(), Uint32Argument(info, at, "by"), By::kBestMember);
}

atoms::Options ReadOptions(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object object = ObjectArgument(info, 0, "options");
  atoms::Options options;
  options.dimensions = Uint32Field(object, "dimensions");
  options.rank = Uint32Field(object, "rank");
  options.storage = EnumOf(env, Uint32Field(object, "storage"), atoms::Storage::kInt8);
  options.policy.kind = EnumOf(env, Uint32Field(object, "policy"), atoms::PolicyKind::kDpMeans);
  options.policy.gate = EnumOf(env, Uint32Field(object, "gate"), atoms::Gate::kMember);
  options.policy.seeded = BooleanField(object, "seeded");
  options.policy.seed = PositionField(object, "seed");
  options.policy.clusters = Uint32Field(object, "clusters");
  options.policy.threshold = NumberField(object, "threshold");
  if (options.dimensions == 0 || options.dimensions > atoms::kMaxDimensions || options.rank == 0 ||
      options.rank > atoms::kMaxRank) {
    ThrowInternal(env, "dimensions or rank is out of range");
  }
  return options;
}

// Four numbers for each: member, atom, whether it was opened, similarity.
Napi::Value ToArray(Napi::Env env, const std::vector<Added>& added) {
  auto numbers = Napi::TypedArrayOf<double>::New(env, 4 * added.size());
  double* to = numbers.Data();
  for (const Added& each : added) {
    *to++ = each.member;
    *to++ = each.atom;
    *to++ = each.created ? 1 : 0;
    *to++ = each.similarity;
  }
  return numbers;
}

// { numbers, scores, offsets }: those of all queries, one after the other.
Napi::Value ToObject(Napi::Env env, const std::vector<std::vector<Scored>>& nearest) {
  auto offsets = Napi::TypedArrayOf<std::uint32_t>::New(env, nearest.size() + 1);
  std::size_t count = 0;
  for (std::size_t q = 0; q < nearest.size(); ++q) {
    offsets[q] = static_cast<std::uint32_t>(count);
    count += nearest[q].size();
  }
  if (count > UINT32_MAX) {
    throw ToError(env, Status(ErrorCode::kOutOfMemory, "more than 2^32 - 1 atoms in one batch"));
  }
  offsets[nearest.size()] = static_cast<std::uint32_t>(count);
  auto numbers = Napi::TypedArrayOf<std::uint32_t>::New(env, count);
  auto scores = Napi::TypedArrayOf<double>::New(env, count);
  std::size_t at = 0;
  for (const auto& of_query : nearest) {
    for (const Scored& scored : of_query) {
      numbers[at] = scored.number;
      scores[at++] = scored.score;
    }
  }
  auto object = Napi::Object::New(env);
  object["numbers"] = numbers;
  object["scores"] = scores;
  object["offsets"] = offsets;
  return object;
}

}  // namespace

Napi::Function AtomIndexWrap::Define(Napi::Env env) {
  return DefineClass(env, "AtomIndex",
                     {
                         StaticMethod<&AtomIndexWrap::Calibrate>("calibrate"),
                         InstanceAccessor<&AtomIndexWrap::Options>("options"),
                         InstanceAccessor<&AtomIndexWrap::Size>("size"),
                         InstanceAccessor<&AtomIndexWrap::Count>("count"),
                         InstanceAccessor<&AtomIndexWrap::SizeInBytes>("sizeInBytes"),
                         InstanceMethod<&AtomIndexWrap::Add>("add"),
                         InstanceMethod<&AtomIndexWrap::AddAsync>("addAsync"),
                         InstanceMethod<&AtomIndexWrap::Remove>("remove"),
                         InstanceMethod<&AtomIndexWrap::AtomOf>("atomOf"),
                         InstanceMethod<&AtomIndexWrap::Members>("members"),
                         InstanceMethod<&AtomIndexWrap::Vector>("vector"),
                         InstanceMethod<&AtomIndexWrap::Atoms>("atoms"),
                         InstanceMethod<&AtomIndexWrap::Nearest>("nearest"),
                         InstanceMethod<&AtomIndexWrap::NearestAsync>("nearestAsync"),
                         InstanceMethod<&AtomIndexWrap::NearestMembers>("nearestMembers"),
                         InstanceMethod<&AtomIndexWrap::Similarities>("similarities"),
                         InstanceMethod<&AtomIndexWrap::Statistics>("statistics"),
                         InstanceMethod<&AtomIndexWrap::Serialize>("serialize"),
                         InstanceMethod<&AtomIndexWrap::Sum>("sum"),
                     });
}

AtomIndexWrap::AtomIndexWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<AtomIndexWrap>(info) {
  TagThis<AtomIndexWrap>(info);
  OrOutOfMemory(info.Env(), [&] {
    if (info[0].IsTypedArray()) {
      const auto bytes = ViewArgument<std::uint8_t>(info, 0, "bytes");
      ThrowIfFailed(info.Env(), AtomIndex::Deserialize(bytes, index_));
    } else {
      index_ = std::make_shared<AtomIndex>(ReadOptions(info));
    }
  });
  Account(info.Env());
}

void AtomIndexWrap::Finalize(Napi::BasicEnv env) {
  Napi::MemoryManagement::AdjustExternalMemory(env, -accounted_bytes_);
}

void AtomIndexWrap::Account(Napi::BasicEnv env) {
  const auto bytes = static_cast<std::int64_t>(index_->SizeInBytes());
  Napi::MemoryManagement::AdjustExternalMemory(env, bytes - accounted_bytes_);
  accounted_bytes_ = bytes;
}

std::span<const float> AtomIndexWrap::VectorsArgument(const Napi::CallbackInfo& info,
                                                      std::size_t at) const {
  const auto vectors = ViewArgument<float>(info, at, "vectors");
  if (vectors.size() % index_->options().dimensions != 0) {
    ThrowInternal(info.Env(), "vectors has the wrong length");
  }
  return vectors;
}

Napi::Value AtomIndexWrap::Options(const Napi::CallbackInfo& info) {
  const atoms::Options& options = index_->options();
  auto object = Napi::Object::New(info.Env());
  const auto set = [&](const char* name, double value) { object[name] = value; };
  set("dimensions", static_cast<double>(options.dimensions));
  set("rank", static_cast<double>(options.rank));
  set("storage", static_cast<double>(options.storage));
  set("policy", static_cast<double>(options.policy.kind));
  set("gate", static_cast<double>(options.policy.gate));
  object["seeded"] = Napi::Boolean::New(info.Env(), options.policy.seeded);
  set("seed", static_cast<double>(options.policy.seed));
  set("clusters", static_cast<double>(options.policy.clusters));
  set("threshold", options.policy.threshold);
  return object;
}

Napi::Value AtomIndexWrap::Size(const Napi::CallbackInfo& info) {
  return ToNumber(info.Env(), index_->size());
}

Napi::Value AtomIndexWrap::Count(const Napi::CallbackInfo& info) {
  return ToNumber(info.Env(), index_->count());
}

Napi::Value AtomIndexWrap::SizeInBytes(const Napi::CallbackInfo& info) {
  return ToNumber(info.Env(), index_->SizeInBytes());
}

Napi::Value AtomIndexWrap::Add(const Napi::CallbackInfo& info) {
  const auto vectors = VectorsArgument(info, 0);
  return OrOutOfMemory(info.Env(), [&] {
    std::vector<Added> added;
    ThrowIfFailed(info.Env(), index_->AddMany(vectors, {}, added));
    Account(info.Env());
    return ToArray(info.Env(), added);
  });
}

Napi::Value AtomIndexWrap::AddAsync(const Napi::CallbackInfo& info) {
  const auto view = VectorsArgument(info, 0);
  return OrOutOfMemory(info.Env(), [&] {
    auto added = std::make_shared<std::vector<Added>>();
    // The task keeps this object alive (AsyncTask::Start).
    return CallTask::Start(
        info, "dentate:atoms-add", info[1],
        [index = index_, vectors = std::vector<float>(view.begin(), view.end()),
         added](const auto& cancelled) { return index->AddMany(vectors, cancelled, *added); },
        [this, added](Napi::Env env) {
          Account(env);
          return ToArray(env, *added);
        });
  });
}

Napi::Value AtomIndexWrap::Remove(const Napi::CallbackInfo& info) {
  const bool removed = index_->Remove(Uint32Argument(info, 0, "member"));
  Account(info.Env());
  return Napi::Boolean::New(info.Env(), removed);
}

Napi::Value AtomIndexWrap::AtomOf(const Napi::CallbackInfo& info) {
  std::uint32_t atom = 0;
  if (!index_->AtomOf(Uint32Argument(info, 0, "member"), atom)) return info.Env().Undefined();
  return ToNumber(info.Env(), atom);
}

Napi::Value AtomIndexWrap::Members(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    return ToArray(info.Env(), index_->MembersOf(Uint32Argument(info, 0, "atom")));
  });
}

Napi::Value AtomIndexWrap::Vector(const Napi::CallbackInfo& info) {
  auto vector = Napi::TypedArrayOf<float>::New(info.Env(), index_->options().dimensions);
  const std::span<float> out(vector.Data(), vector.ElementLength());
  if (!index_->VectorOf(Uint32Argument(info, 0, "member"), out)) return info.Env().Undefined();
  return vector;
}

Napi::Value AtomIndexWrap::Atoms(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] {
    std::vector<std::uint32_t> numbers;
    std::vector<std::uint32_t> sizes;
    index_->Atoms(numbers, sizes);
    auto object = Napi::Object::New(info.Env());
    object["numbers"] = ToArray(info.Env(), numbers);
    object["sizes"] = ToArray(info.Env(), sizes);
    return object;
  });
}

Napi::Value AtomIndexWrap::Nearest(const Napi::CallbackInfo& info) {
  const auto queries = VectorsArgument(info, 0);
  const std::uint32_t most = Uint32Argument(info, 1, "most");
  const By by = ByArgument(info, 2);
  return OrOutOfMemory(info.Env(), [&] {
    std::vector<std::vector<Scored>> nearest;
    ThrowIfFailed(info.Env(), index_->NearestMany(queries, most, by, {}, nearest));
    Account(info.Env());
    return ToObject(info.Env(), nearest);
  });
}

Napi::Value AtomIndexWrap::NearestAsync(const Napi::CallbackInfo& info) {
  const auto view = VectorsArgument(info, 0);
  const std::uint32_t most = Uint32Argument(info, 1, "most");
  const By by = ByArgument(info, 2);
  return OrOutOfMemory(info.Env(), [&] {
    auto nearest = std::make_shared<std::vector<std::vector<Scored>>>();
    return CallTask::Start(
        info, "dentate:atoms-nearest", info[3],
        [index = index_, queries = std::vector<float>(view.begin(), view.end()), most, by,
         nearest](const auto& cancelled) {
          return index->NearestMany(queries, most, by, cancelled, *nearest);
        },
        [this, nearest](Napi::Env env) {
          Account(env);
          return ToObject(env, *nearest);
        });
  });
}

Napi::Value AtomIndexWrap::NearestMembers(const Napi::CallbackInfo& info) {
  const auto query = VectorsArgument(info, 0);
  const std::uint32_t most = Uint32Argument(info, 1, "most");
  return OrOutOfMemory(info.Env(), [&] {
    std::vector<std::vector<Scored>> nearest(1);
    if (!index_->NearestMembers(query, most, nearest[0])) {
      ThrowInternal(info.Env(), "query has no direction");
    }
    return ToObject(info.Env(), nearest);
  });
}

Napi::Value AtomIndexWrap::Similarities(const Napi::CallbackInfo& info) {
  const auto query = VectorsArgument(info, 0);
  const auto members = ViewArgument<std::uint32_t>(info, 1, "members");
  return OrOutOfMemory(info.Env(), [&] {
    std::vector<float> cosines(members.size());
    if (!index_->Cosines(query, members, cosines)) {
      ThrowInternal(info.Env(), "query has no direction");
    }
    return ToArray(info.Env(), cosines);
  });
}

Napi::Value AtomIndexWrap::Statistics(const Napi::CallbackInfo& info) {
  const std::uint32_t atom = Uint32Argument(info, 0, "atom");
  const By by = ByArgument(info, 1);
  return OrOutOfMemory(info.Env(), [&] {
    const std::vector<float> statistics = index_->StatisticsOf(atom, by);
    Account(info.Env());
    return ToArray(info.Env(), statistics);
  });
}

Napi::Value AtomIndexWrap::Serialize(const Napi::CallbackInfo& info) {
  return OrOutOfMemory(info.Env(), [&] { return ToArray(info.Env(), index_->Serialize()); });
}

Napi::Value AtomIndexWrap::Sum(const Napi::CallbackInfo& info) {
  return ToNumber(info.Env(), index_->Sum());
}

Napi::Value AtomIndexWrap::Calibrate(const Napi::CallbackInfo& info) {
  const auto vectors = ViewArgument<float>(info, 0, "vectors");
  const std::uint32_t dimensions = Uint32Argument(info, 1, "dimensions");
  const atoms::CalibrateOptions options{NumberArgument(info, 2, "percentile"),
                                        NumberArgument(info, 3, "most share")};
  if (dimensions == 0 || dimensions > atoms::kMaxDimensions || vectors.size() % dimensions != 0) {
    ThrowInternal(info.Env(), "vectors has the wrong length");
  }
  return OrOutOfMemory(info.Env(), [&] {
    double threshold = 0;
    if (!atoms::Calibrate(vectors, dimensions, options, threshold)) {
      ThrowInternal(info.Env(), "a vector has no direction, or there is but one");
    }
    return Napi::Value(Napi::Number::New(info.Env(), threshold));
  });
}

}  // namespace dentate::napi
