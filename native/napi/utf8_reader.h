// JavaScript's strings as UTF-8, in a buffer that is used again. A lone surrogate, which UTF-8
// cannot hold, becomes U+FFFD.
//
// By way of UTF-16: Node's own conversion to UTF-8 takes three times as long.

#ifndef DENTATE_NAPI_UTF8_READER_H_
#define DENTATE_NAPI_UTF8_READER_H_

#include <napi.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "napi/errors.h"
#include "text/utf8.h"

namespace dentate::napi {

class Utf8Reader {
 public:
  // Valid until the next call. Throws where it is no string.
  std::string_view Read(Napi::Value text) {
    const Napi::Env env = text.Env();
    std::size_t units = 0;
    if (napi_get_value_string_utf16(env, text, nullptr, 0, &units) != napi_ok) {
      throw ToError(env, Status(ErrorCode::kInternal, "text is not a string"));
    }
    if (utf16_.size() < units + 1) utf16_.resize(units + 1);  // Node writes a NUL after it.
    if (utf8_.size() < units * text::kMaxBytesPerUtf16Unit) {
      utf8_.resize(units * text::kMaxBytesPerUtf16Unit);
    }
    napi_get_value_string_utf16(env, text, utf16_.data(), utf16_.size(), &units);
    return {utf8_.data(), text::ToUtf8({utf16_.data(), units}, utf8_.data())};
  }

  // Keeps no more than what a text of 256 Ki units needs.
  void ReleaseLarge() {
    if (utf16_.size() <= kKeptUnits) return;
    utf16_ = {};
    utf8_ = {};
  }

 private:
  static constexpr std::size_t kKeptUnits = 1 << 18;

  std::vector<char16_t> utf16_;
  std::vector<char> utf8_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_UTF8_READER_H_
