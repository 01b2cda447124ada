// SignatureEncoder in JavaScript: src/native/signatures-binding.ts has its type.
//
// The table of distilled vectors is held once for the process, whatever the number of Workers.

#ifndef DENTATE_NAPI_SIGNATURE_ENCODER_WRAP_H_
#define DENTATE_NAPI_SIGNATURE_ENCODER_WRAP_H_

#include <napi.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "signatures/distilled_table.h"
#include "signatures/encoder.h"

namespace dentate::napi {

class SignatureEncoderWrap : public Napi::ObjectWrap<SignatureEncoderWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // new SignatureEncoder(name, bits, indexDimensions, nonZeros, window); for "distilled" the table
  // must have been set.
  explicit SignatureEncoderWrap(const Napi::CallbackInfo& info);

  // The process's table of distilled vectors; null while none has been set. Any thread.
  static std::shared_ptr<const signatures::DistilledTable> Table();

  // What makes encoders by the arguments of the constructor above; on any thread.
  using Make = std::function<std::unique_ptr<signatures::Encoder>()>;
  static Make Maker(const Napi::CallbackInfo& info);

 private:
  // setTable(bytes): keeps the table for the process; the first one wins.
  static void SetTable(const Napi::CallbackInfo& info);
  static Napi::Value HasTable(const Napi::CallbackInfo& info);

  Napi::Value Dimensions(const Napi::CallbackInfo& info);
  // encode(joined, query): one ArrayBuffer: the numbers of rows and of pieces, signatures, stems,
  // vector, wordOf, pieceCounts, pieces.
  Napi::Value Encode(const Napi::CallbackInfo& info);
  // encodeRows(joined): the same of a text, without vector, pieceCounts and pieces.
  Napi::Value EncodeRows(const Napi::CallbackInfo& info);
  // Puts the words of info[0] into words_.
  void Parse(const Napi::CallbackInfo& info);

  std::unique_ptr<signatures::Encoder> encoder_;
  std::string joined_;
  std::vector<signatures::ListedWord> words_;
  signatures::EncodedText encoded_;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_SIGNATURE_ENCODER_WRAP_H_
