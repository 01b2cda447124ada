// Bank for JavaScript: src/native/bank-binding.ts declares what is here.

#ifndef DENTATE_NAPI_BANK_WRAP_H_
#define DENTATE_NAPI_BANK_WRAP_H_

#include <napi.h>

#include <cstdint>
#include <memory>
#include <span>

#include "old_bank/bank.h"

namespace dentate::napi {

class BankWrap : public Napi::ObjectWrap<BankWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  // (signatureBits: number, dimensions: number)
  explicit BankWrap(const Napi::CallbackInfo& info);

  void Finalize(Napi::BasicEnv env) override;

 private:
  Napi::Value EntryCount(const Napi::CallbackInfo& info);
  Napi::Value TokenCount(const Napi::CallbackInfo& info);
  Napi::Value Append(const Napi::CallbackInfo& info);
  Napi::Value Tokens(const Napi::CallbackInfo& info);
  Napi::Value TokenCounts(const Napi::CallbackInfo& info);
  Napi::Value Spans(const Napi::CallbackInfo& info);
  Napi::Value Metadata(const Napi::CallbackInfo& info);
  Napi::Value SessionsOf(const Napi::CallbackInfo& info);
  Napi::Value SpeakersOf(const Napi::CallbackInfo& info);
  Napi::Value Neighbours(const Napi::CallbackInfo& info);
  Napi::Value SessionEntries(const Napi::CallbackInfo& info);
  Napi::Value Search(const Napi::CallbackInfo& info);
  Napi::Value SearchAll(const Napi::CallbackInfo& info);
  Napi::Value Stats(const Napi::CallbackInfo& info);

  // Argument 0: entries of the bank.
  std::span<const std::uint32_t> Entries(const Napi::CallbackInfo& info) const;
  // A Uint32Array of number(entry) for each entry of argument 0.
  template <typename Number>
  Napi::Value ForEachEntry(const Napi::CallbackInfo& info, Number number) const;
  // Tells V8 what the bank takes now, so that it collects unreachable ones in time.
  void Account(Napi::BasicEnv env);

  // Shared with the tasks that search it.
  std::shared_ptr<old_bank::Bank> bank_;
  std::int64_t accounted_bytes_ = 0;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_BANK_WRAP_H_
