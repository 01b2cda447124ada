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
#include <numeric>
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
  // Views JavaScript's buffers.
  explicit AppendBatch(const Napi::Object& object)
      : sessions_(StringsField(object, "sessionNames")),
        speakers_(StringsField(object, "speakerNames")),
        session_views_(sessions_.begin(), sessions_.end()),
        speaker_views_(speakers_.begin(), speakers_.end()) {
    const auto columns = ViewField<std::uint8_t>(object, "columns");
    const std::size_t count = Uint32Field(object, "count");
    if (columns.size() / kBytes < count ||
        reinterpret_cast<std::uintptr_t>(columns.data()) % alignof(double) != 0) {
      throw WrongField(object.Env(), "columns");
    }
    ReadColumns(columns.data(), count);
    batch_.extras = ViewField<std::uint8_t>(object, "extras");
    batch_.session_names = session_views_;
    batch_.speaker_names = speaker_views_;
    batch_.dedupe = BooleanField(object, "dedupe");
    batch_.restore = BooleanField(object, "restore");
  }
  AppendBatch(const AppendBatch&) = delete;
  AppendBatch& operator=(const AppendBatch&) = delete;

  // From here on it views nothing of JavaScript's.
  void Own() {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(batch_.at.data());
    columns_.assign(bytes, bytes + batch_.at.size() * kBytes);
    ReadColumns(columns_.data(), batch_.at.size());
    extras_.assign(batch_.extras.begin(), batch_.extras.end());
    batch_.extras = extras_;
  }

  // `turns` are the texts of the entries, `speakers` those that the speakers' names are.
  void Encoded(const signatures::EncodedTurns& turns, const signatures::EncodedTurns& speakers) {
    batch_.token_counts = turns.token_counts;
    batch_.code_counts = turns.code_counts;
    batch_.tokens = turns.tokens;
    batch_.code_tokens = turns.code_tokens;
    batch_.signatures = turns.codes.signatures;
    batch_.words = {turns.codes.stems, turns.codes.pieces, turns.codes.piece_counts};
    batch_.speaker_words = {speakers.codes.stems, speakers.codes.pieces,
                            speakers.codes.piece_counts};
    batch_.speaker_word_counts = speakers.code_counts;
  }

  const bank::Batch& batch() const noexcept { return batch_; }
  // Entry i alone, where nothing but its text was encoded.
  bank::Batch One(std::size_t i) const {
    bank::Batch one = batch_;
    const auto before = batch_.extras_lengths.first(i);
    const auto extras = std::accumulate(before.begin(), before.end(), std::size_t{0});
    one.extras = batch_.extras.subspan(extras, batch_.extras_lengths[i]);
    const auto only = [i](auto& column) { column = column.subspan(i, 1); };
    for (auto* column : {&one.at, &one.expires, &one.ingested}) only(*column);
    for (auto* column :
         {&one.sessions, &one.speakers, &one.origins, &one.befores, &one.extras_lengths}) {
      only(*column);
    }
    only(one.roles);
    return one;
  }

  // Writes what became of the entries where the columns say.
  void Answer(const bank::AppendResult& result) const {
    std::copy(result.entries.begin(), result.entries.end(), entries_);
    std::copy(result.duplicates.begin(), result.duplicates.end(), duplicates_);
  }

 private:
  static constexpr std::size_t kBytes = 3 * sizeof(double) + 5 * sizeof(std::uint32_t) + 1;

  void ReadColumns(const std::uint8_t* bytes, std::size_t count) {
    const auto* doubles = reinterpret_cast<const double*>(bytes);
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
  std::vector<std::uint8_t> columns_, extras_;
  bank::Batch batch_;
  std::uint32_t* entries_ = nullptr;
  std::uint8_t* duplicates_ = nullptr;
};

}  // namespace dentate::napi

#endif  // DENTATE_NAPI_APPEND_BATCH_H_
