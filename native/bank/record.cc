#include "bank/record.h"

#include <numeric>

#include "core/coding.h"

namespace dentate::bank {
namespace {

Status Wrong(const char* what) { return Status(ErrorCode::kInternal, what); }

std::uint64_t SumOf(std::span<const std::uint32_t> counts) noexcept {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

bool WordsAddUp(const BatchWords& words) noexcept {
  return words.piece_counts.size() == words.stems.size() &&
         SumOf(words.piece_counts) == words.pieces.size();
}

bool IsTime(std::int64_t time) noexcept { return time >= -kMaxTime && time <= kMaxTime; }

Status CheckCounts(const AppendRecord& record, std::size_t words) {
  const std::size_t entries = record.sessions.size();
  for (const std::size_t size :
       {record.speakers.size(), record.roles.size(), record.at.size(), record.ingested.size(),
        record.expires.size(), record.origins.size(), record.token_counts.size(),
        record.code_counts.size(), record.extras_lengths.size()}) {
    if (size != entries) return Wrong("the arrays that have one item an entry disagree");
  }
  if (!WordsAddUp(record.new_words) || !WordsAddUp(record.speaker_words) ||
      record.new_signatures.size() != record.new_words.stems.size() * words) {
    return Wrong("the words' arrays disagree");
  }
  if (record.speaker_word_counts.size() != record.new_speakers.size() ||
      SumOf(record.speaker_word_counts) != record.speaker_words.stems.size()) {
    return Wrong("the speakers' words do not add up");
  }
  if (SumOf(record.token_counts) != record.tokens.size()) {
    return Wrong("token counts do not add up");
  }
  if (SumOf(record.code_counts) != record.codes.size() ||
      record.codes.size() != record.code_tokens.size()) {
    return Wrong("code counts do not add up");
  }
  if (SumOf(record.extras_lengths) != record.extras.size()) {
    return Wrong("extras lengths do not add up");
  }
  return Status::Ok();
}

Status CheckEntry(const AppendRecord& record, std::size_t i) {
  const std::uint32_t session = record.sessions[i];
  const std::uint32_t speaker = record.speakers[i];
  if (session == kNone) {
    const bool empty = speaker == kNone && record.roles[i] == 0 && record.origins[i] == kNone &&
                       record.expires[i] == kNever && record.token_counts[i] == 0 &&
                       record.code_counts[i] == 0 && record.extras_lengths[i] == 0;
    return empty ? Status::Ok() : Wrong("a hole holds something");
  }
  if (session >= std::uint64_t{record.first_session} + record.new_sessions.size()) {
    return Wrong("a session has no name");
  }
  if (speaker != kNone &&
      speaker >= std::uint64_t{record.first_speaker} + record.new_speakers.size()) {
    return Wrong("a speaker has no name");
  }
  if (!IsTime(record.at[i]) || !IsTime(record.ingested[i]) ||
      (record.expires[i] != kNever && !IsTime(record.expires[i]))) {
    return Wrong("a time is out of range");
  }
  if (record.origins[i] != kNone && record.origins[i] >= record.first_entry + i) {
    return Wrong("a version is older than its origin");
  }
  return Status::Ok();
}

void PutSigned(std::vector<std::uint8_t>& out, std::int64_t value) {
  PutVarint(out,
            (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

// 0 is left for "none".
void PutSignedOrNone(std::vector<std::uint8_t>& out, std::int64_t value) {
  PutVarint(
      out,
      ((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63)) + 1);
}

void PutName(std::vector<std::uint8_t>& out, std::string_view name) {
  PutVarint(out, name.size());
  out.insert(out.end(), name.begin(), name.end());
}

// Word number `i`, whose pieces begin at `piece`, which moves past them.
void PutWord(std::vector<std::uint8_t>& out, const BatchWords& words, std::size_t i,
             std::size_t& piece) {
  PutFixed(out, words.stems[i]);
  PutVarint(out, words.piece_counts[i]);
  for (const std::size_t end = piece + words.piece_counts[i]; piece < end; ++piece) {
    PutVarint(out, words.pieces[piece]);
  }
}

void PutNew(const AppendRecord& record, std::size_t words, std::vector<std::uint8_t>& out) {
  PutVarint(out, record.new_words.stems.size());
  std::size_t piece = 0;
  for (std::size_t i = 0; i < record.new_words.stems.size(); ++i) {
    for (std::size_t word = 0; word < words; ++word) {
      PutFixed(out, record.new_signatures[i * words + word]);
    }
    PutWord(out, record.new_words, i, piece);
  }
  PutVarint(out, record.new_sessions.size());
  for (const std::string_view name : record.new_sessions) PutName(out, name);
  PutVarint(out, record.new_speakers.size());
  std::size_t word = 0;
  piece = 0;
  for (std::size_t i = 0; i < record.new_speakers.size(); ++i) {
    PutName(out, record.new_speakers[i]);
    PutVarint(out, record.speaker_word_counts[i]);
    for (const std::size_t end = word + record.speaker_word_counts[i]; word < end; ++word) {
      PutWord(out, record.speaker_words, word, piece);
    }
  }
}

void PutEntry(const AppendRecord& record, std::size_t i, std::int64_t base,
              std::vector<std::uint8_t>& out) {
  PutVarint(out, static_cast<std::uint32_t>(record.sessions[i] + 1));  // kNone + 1 is 0
  if (record.sessions[i] == kNone) return;
  PutVarint(out, static_cast<std::uint32_t>(record.speakers[i] + 1));
  PutVarint(out, record.roles[i]);
  PutSigned(out, record.at[i] - base);
  PutSigned(out, record.ingested[i] - base);
  if (record.expires[i] == kNever) {
    PutVarint(out, 0);
  } else {
    PutSignedOrNone(out, record.expires[i] - base);
  }
  PutVarint(out, record.origins[i] == kNone ? 0 : record.first_entry + i - record.origins[i]);
  PutVarint(out, record.token_counts[i]);
  PutVarint(out, record.code_counts[i]);
  PutVarint(out, record.extras_lengths[i]);
}

}  // namespace

void WordsStorage::Clear() noexcept {
  stems.clear();
  pieces.clear();
  piece_counts.clear();
}

std::size_t WordsStorage::SizeInBytes() const noexcept {
  return stems.capacity() * sizeof(std::uint64_t) +
         (pieces.capacity() + piece_counts.capacity()) * sizeof(std::uint32_t);
}

void RecordStorage::Clear() noexcept {
  new_words.Clear();
  speaker_words.Clear();
  new_signatures.clear();
  new_sessions.clear();
  new_speakers.clear();
  for (auto* list : {&speaker_word_counts, &sessions, &speakers, &origins, &token_counts,
                     &code_counts, &extras_lengths, &tokens, &code_tokens, &codes}) {
    list->clear();
  }
  roles.clear();
  for (auto* times : {&at, &ingested, &expires}) times->clear();
}

std::size_t RecordStorage::SizeInBytes() const noexcept {
  std::size_t bytes = new_words.SizeInBytes() + speaker_words.SizeInBytes() + roles.capacity();
  for (const auto* list : {&speaker_word_counts, &sessions, &speakers, &origins, &token_counts,
                           &code_counts, &extras_lengths, &tokens, &code_tokens, &codes}) {
    bytes += list->capacity() * sizeof(std::uint32_t);
  }
  bytes += new_signatures.capacity() * sizeof(std::uint64_t);
  bytes += (new_sessions.capacity() + new_speakers.capacity()) * sizeof(std::string_view);
  for (const auto* times : {&at, &ingested, &expires}) {
    bytes += times->capacity() * sizeof(std::int64_t);
  }
  return bytes;
}

Status CheckShape(const AppendRecord& record, std::size_t words) {
  if (Status counts = CheckCounts(record, words); !counts.ok()) return counts;
  for (const std::uint32_t token : record.tokens) {
    if (token >= kTokenLimit) return Wrong("a token is too large");
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < record.sessions.size(); ++i) {
    if (Status entry = CheckEntry(record, i); !entry.ok()) return entry;
    std::uint32_t before = 0;
    for (const std::size_t end = at + record.code_counts[i]; at < end; ++at) {
      const std::uint32_t token = record.code_tokens[at];
      if (token < before || token >= record.token_counts[i]) {
        return Wrong("a code's token is out of order or outside its entry");
      }
      before = token;
    }
  }
  return Status::Ok();
}

void EncodeAppend(const AppendRecord& record, std::size_t words, std::vector<std::uint8_t>& out) {
  out.clear();
  PutVarint(out, VersionOf(RecordKind::kAppend));
  PutVarint(out, static_cast<std::uint64_t>(RecordKind::kAppend));
  PutVarint(out, words);
  PutVarint(out, record.first_entry);
  PutVarint(out, record.first_code);
  PutVarint(out, record.first_session);
  PutVarint(out, record.first_speaker);
  std::int64_t base = 0;
  const std::size_t entries = record.sessions.size();
  for (std::size_t i = 0; i < entries; ++i) {
    if (record.sessions[i] == kNone) continue;
    base = record.ingested[i];
    break;
  }
  PutSigned(out, base);
  PutNew(record, words, out);
  PutVarint(out, entries);
  for (std::size_t i = 0; i < entries; ++i) PutEntry(record, i, base, out);
  for (const std::uint32_t token : record.tokens) PutVarint(out, token);
  std::size_t at = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    std::uint32_t before = 0;
    for (const std::size_t end = at + record.code_counts[i]; at < end; ++at) {
      PutVarint(out, record.code_tokens[at] - before);
      PutVarint(out, record.codes[at]);
      before = record.code_tokens[at];
    }
  }
  out.insert(out.end(), record.extras.begin(), record.extras.end());
}

void EncodeEntries(RecordKind kind, std::int64_t time, std::span<const std::uint32_t> entries,
                   std::vector<std::uint8_t>& out) {
  out.clear();
  PutVarint(out, VersionOf(kind));
  PutVarint(out, static_cast<std::uint64_t>(kind));
  PutSigned(out, time);
  PutVarint(out, entries.size());
  std::uint32_t before = 0;
  for (const std::uint32_t entry : entries) {
    PutVarint(out, entry - before);
    before = entry;
  }
}

void EncodeChunkRecord(const ChunkRows& rows, std::vector<std::uint8_t>& out) {
  out.clear();
  PutVarint(out, VersionOf(RecordKind::kChunks));
  PutVarint(out, static_cast<std::uint64_t>(RecordKind::kChunks));
  EncodeChunks(rows, out);
}

}  // namespace dentate::bank
