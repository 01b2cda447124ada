// A batch as JavaScript hands it over: AppendBatch in src/native/store-binding.ts.
//
// What entries have one of each lies in one buffer, columns of n entries one after the other, since
// an array costs more to hand over than what is in it:
//
//   float64   at, expires, ingested
//   uint32    sessions, speakers, origins (answer: entries), befores, extras' lengths
//   byte      roles (answer: duplicates)

#ifndef DENTATE_NAPI_APPEND_BATCH_H_
#define DENTATE_NAPI_APPEND_BATCH_H_

#include <napi.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bank/bank.h"
#include "bank/batch.h"
#include "napi/object_fields.h"
#include "signatures/turn_encoder.h"

namespace dentate::napi {

class AppendBatch {
 public:
  // `turns` are the texts of the entries, `speakers` those that the speakers' names are.
  AppendBatch(const Napi::Object& object, const signatures::EncodedTurns& turns,
              const signatures::EncodedTurns& speakers)
      : sessions_(StringsField(object, "sessionNames")),
        speakers_(StringsField(object, "speakerNames")),
        session_views_(sessions_.begin(), sessions_.end()),
        speaker_views_(speakers_.begin(), speakers_.end()) {
    ReadColumns(ViewField<std::uint8_t>(object, "columns"), Uint32Field(object, "count"),
                object.Env());
    batch_.extras = ViewField<std::uint8_t>(object, "extras");
    batch_.token_counts = turns.token_counts;
    batch_.code_counts = turns.code_counts;
    batch_.tokens = turns.tokens;
    batch_.code_tokens = turns.code_tokens;
    batch_.signatures = turns.codes.signatures;
    batch_.words = {turns.codes.stems, turns.codes.pieces, turns.codes.piece_counts};
    batch_.session_names = session_views_;
    batch_.speaker_names = speaker_views_;
    batch_.speaker_words = {speakers.codes.stems, speakers.codes.pieces,
                            speakers.codes.piece_counts};
    batch_.speaker_word_counts = speakers.code_counts;
    batch_.dedupe = BooleanField(object, "dedupe");
    batch_.restore = BooleanField(object, "restore");
  }

  const bank::Batch& batch() const noexcept { return batch_; }

  // Writes what became of the entries where the columns say.
  void Answer(const bank::AppendResult& result) const {
    std::copy(result.entries.begin(), result.entries.end(), entries_);
    std::copy(result.duplicates.begin(), result.duplicates.end(), duplicates_);
  }

 private:
  static constexpr std::size_t kBytes = 3 * sizeof(double) + 5 * sizeof(std::uint32_t) + 1;

  void ReadColumns(std::span<const std::uint8_t> bytes, std::size_t count, Napi::Env env) {
    if (bytes.size() / kBytes < count ||
        reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(double) != 0) {
      throw WrongField(env, "columns");
    }
    const auto* doubles = reinterpret_cast<const double*>(bytes.data());
    for (auto* column : {&batch_.at, &batch_.expires, &batch_.ingested}) {
      *column = {doubles, count};
      doubles += count;
    }
    const auto* words = reinterpret_cast<const std::uint32_t*>(doubles);
    for (auto* column : {&batch_.sessions, &batch_.speakers, &batch_.origins, &batch_.befores,
                         &batch_.extras_lengths}) {
      *column = {words, count};
      words += count;
    }
    batch_.roles = {reinterpret_cast<const std::uint8_t*>(words), count};
    // The buffer is JavaScript's, and is its to be written to.
    entries_ = const_cast<std::uint32_t*>(batch_.origins.data());
    duplicates_ = const_cast<std::uint8_t*>(batch_.roles.data());
  }

  const std::vector<std::string> sessions_, speakers_;
  const std::vector<std::string_view> session_views_, speaker_views_;
  bank::Batch batch_;
  std::uint32_t* entries_ = nullptr;
  std::uint8_t* duplicates_ = nullptr;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_APPEND_BATCH_H_
