// Reads the arguments of a native method.
//
// TypeScript has already validated what a user can get wrong; these checks keep
// a wrong call from our own code from becoming memory corruption.

#ifndef DENTATE_NAPI_ARGUMENTS_H_
#define DENTATE_NAPI_ARGUMENTS_H_

#include <napi.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "napi/errors.h"

namespace dentate::napi {

// The Node-API tag of each element type we accept. Others do not compile.
template <typename T>
struct TypedArrayTag;
template <>
struct TypedArrayTag<std::uint8_t> {
  static constexpr napi_typedarray_type kValue = napi_uint8_array;
};
template <>
struct TypedArrayTag<std::uint16_t> {
  static constexpr napi_typedarray_type kValue = napi_uint16_array;
};
template <>
struct TypedArrayTag<std::int32_t> {
  static constexpr napi_typedarray_type kValue = napi_int32_array;
};
template <>
struct TypedArrayTag<std::uint32_t> {
  static constexpr napi_typedarray_type kValue = napi_uint32_array;
};
template <>
struct TypedArrayTag<float> {
  static constexpr napi_typedarray_type kValue = napi_float32_array;
};
template <>
struct TypedArrayTag<double> {
  static constexpr napi_typedarray_type kValue = napi_float64_array;
};
template <>
struct TypedArrayTag<std::uint64_t> {
  static constexpr napi_typedarray_type kValue = napi_biguint64_array;
};

// The elements of a typed array, in place: nothing is copied. The view is valid
// until control returns to JavaScript, which may detach, resize or free the
// memory; a task that runs on another thread copies what it keeps.
//
// It is the view's own part of its ArrayBuffer: napi_get_typedarray_info has
// already added the byte offset. (ArrayBuffer().Data() has not.)
template <typename T>
std::span<T> ViewArgument(const Napi::CallbackInfo& info, std::size_t at, const char* name) {
  const Napi::Value value = info[at];
  if (value.IsTypedArray()) {
    const auto array = value.As<Napi::TypedArray>();
    if (array.TypedArrayType() == TypedArrayTag<T>::kValue) {
      auto typed = array.As<Napi::TypedArrayOf<T>>();
      return {typed.Data(), typed.ElementLength()};
    }
  }
  throw ToError(info.Env(), Status(ErrorCode::kInternal,
                                   std::string(name) + " is not a typed array of the right type"));
}

// A whole number from 0 to 2^32 - 1.
inline std::uint32_t Uint32Argument(const Napi::CallbackInfo& info, std::size_t at,
                                    const char* name) {
  const Napi::Value value = info[at];
  if (value.IsNumber()) {
    const double number = value.As<Napi::Number>().DoubleValue();
    const auto whole = static_cast<std::uint32_t>(number >= 0 && number <= UINT32_MAX ? number : 0);
    if (static_cast<double>(whole) == number) return whole;
  }
  throw ToError(info.Env(), Status(ErrorCode::kInternal,
                                   std::string(name) + " is not an unsigned 32-bit integer"));
}

// A whole number from 0 to 2^53 - 1: a position or a count.
inline std::uint64_t PositionArgument(const Napi::CallbackInfo& info, std::size_t at,
                                      const char* name) {
  const Napi::Value value = info[at];
  if (value.IsNumber()) {
    constexpr double kLimit = 9007199254740992.0;  // 2^53
    const double number = value.As<Napi::Number>().DoubleValue();
    const auto whole = static_cast<std::uint64_t>(number >= 0 && number < kLimit ? number : 0);
    if (static_cast<double>(whole) == number) return whole;
  }
  throw ToError(info.Env(),
                Status(ErrorCode::kInternal, std::string(name) + " is not a whole number"));
}

// A finite or infinite number.
inline double NumberArgument(const Napi::CallbackInfo& info, std::size_t at, const char* name) {
  const Napi::Value value = info[at];
  if (value.IsNumber()) return value.As<Napi::Number>().DoubleValue();
  throw ToError(info.Env(), Status(ErrorCode::kInternal, std::string(name) + " is not a number"));
}

// A new typed array that holds a copy of `values`.
template <typename T>
Napi::TypedArrayOf<T> ToTypedArray(Napi::Env env, std::span<const T> values) {
  auto array = Napi::TypedArrayOf<T>::New(env, values.size(), TypedArrayTag<T>::kValue);
  std::copy(values.begin(), values.end(), array.Data());
  return array;
}

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_ARGUMENTS_H_
