// Marks each wrapped object with its class, so that one of another class is refused.
//
// Napi's Unwrap of another class's object returns garbage without an error. Methods called on
// `this` are guarded by V8; a wrapped object that arrives as an *argument* is not. A tag is an
// address: two copies of the addon in one process have different layouts and must not accept each
// other's objects.

#ifndef DENTATE_NAPI_TYPE_TAGS_H_
#define DENTATE_NAPI_TYPE_TAGS_H_

#include <napi.h>

#include <cstdint>
#include <string>

#include "napi/errors.h"

namespace dentate::napi {

// One tag for each wrapper class, the same in all environments of this loaded copy.
template <typename Wrap>
const napi_type_tag& TypeTagOf() {
  // The other half is of no meaning: nobody else's tags have it.
  static const napi_type_tag tag{reinterpret_cast<std::uintptr_t>(&tag), 0x8f3b'64d1'c07a'52e9};
  return tag;
}

// Tags `this`. Called once, in the wrapper's constructor.
template <typename Wrap>
void TagThis(const Napi::CallbackInfo& info) {
  info.This().As<Napi::Object>().TypeTag(&TypeTagOf<Wrap>());
}

// The wrapper behind an argument. Throws DENTATE_INTERNAL where it is anything else.
template <typename Wrap>
Wrap& WrappedArgument(const Napi::CallbackInfo& info, std::size_t at, const char* name) {
  const Napi::Value value = info[at];
  if (value.IsObject()) {
    const auto object = value.As<Napi::Object>();
    if (object.CheckTypeTag(&TypeTagOf<Wrap>())) return *Wrap::Unwrap(object);
  }
  throw ToError(info.Env(),
                Status(ErrorCode::kInternal, std::string(name) + " is not of the right class"));
}

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_TYPE_TAGS_H_
