// Reads the properties of an object argument: the same checks as arguments.h, for records.

#ifndef DENTATE_NAPI_OBJECT_FIELDS_H_
#define DENTATE_NAPI_OBJECT_FIELDS_H_

#include <napi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "napi/arguments.h"
#include "napi/errors.h"

namespace dentate::napi {

inline Napi::Error WrongField(Napi::Env env, const char* name) {
  return ToError(env,
                 Status(ErrorCode::kInternal, std::string(name) + " is not what it should be"));
}

inline Napi::Object ObjectArgument(const Napi::CallbackInfo& info, std::size_t at,
                                   const char* name) {
  if (!info[at].IsObject()) throw WrongField(info.Env(), name);
  return info[at].As<Napi::Object>();
}

inline Napi::Array ArrayArgument(const Napi::CallbackInfo& info, std::size_t at, const char* name) {
  if (!info[at].IsArray()) throw WrongField(info.Env(), name);
  return info[at].As<Napi::Array>();
}

// The elements of a typed array, in place: see ViewArgument.
template <typename T>
std::span<const T> ViewField(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (value.IsTypedArray()) {
    const auto array = value.As<Napi::TypedArray>();
    if (array.TypedArrayType() == TypedArrayTag<T>::kValue) {
      auto typed = array.As<Napi::TypedArrayOf<T>>();
      return {typed.Data(), typed.ElementLength()};
    }
  }
  throw WrongField(object.Env(), name);
}

// A copy of them; empty where the property is absent.
template <typename T>
std::vector<T> CopyField(const Napi::Object& object, const char* name) {
  if (object.Get(name).IsUndefined()) return {};
  const auto view = ViewField<T>(object, name);
  return {view.begin(), view.end()};
}

inline double NumberField(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (!value.IsNumber()) throw WrongField(object.Env(), name);
  return value.As<Napi::Number>().DoubleValue();
}

inline std::uint32_t Uint32Field(const Napi::Object& object, const char* name) {
  const double number = NumberField(object, name);
  if (!(number >= 0 && number <= UINT32_MAX)) throw WrongField(object.Env(), name);
  return static_cast<std::uint32_t>(number);
}

inline std::uint64_t PositionField(const Napi::Object& object, const char* name) {
  const double number = NumberField(object, name);
  if (!(number >= 0 && number <= 9007199254740991.0)) throw WrongField(object.Env(), name);
  return static_cast<std::uint64_t>(number);
}

inline bool BooleanField(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (!value.IsBoolean()) throw WrongField(object.Env(), name);
  return value.As<Napi::Boolean>().Value();
}

// UTF-8; a lone surrogate, which it cannot hold, becomes U+FFFD.
inline std::string StringField(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (!value.IsString()) throw WrongField(object.Env(), name);
  return value.As<Napi::String>().Utf8Value();
}

inline std::vector<std::string> StringsField(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (!value.IsArray()) throw WrongField(object.Env(), name);
  const auto array = value.As<Napi::Array>();
  std::vector<std::string> strings;
  strings.reserve(array.Length());
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value item = array.Get(i);
    if (!item.IsString()) throw WrongField(object.Env(), name);
    strings.push_back(item.As<Napi::String>().Utf8Value());
  }
  return strings;
}

template <typename T>
Napi::Value ToArray(Napi::Env env, const std::vector<T>& values) {
  return ToTypedArray<T>(env, std::span<const T>(values));
}

template <typename Strings>
Napi::Array ToStrings(Napi::Env env, const Strings& strings) {
  auto array = Napi::Array::New(env, strings.size());
  std::uint32_t i = 0;
  for (const auto& string : strings) {
    array[i++] = Napi::String::New(env, string.data(), string.size());
  }
  return array;
}

inline Napi::Number ToNumber(Napi::Env env, std::uint64_t value) {
  return Napi::Number::New(env, static_cast<double>(value));
}

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_OBJECT_FIELDS_H_
