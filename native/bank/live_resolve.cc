// How a live part numbers the words and names of a batch or a record.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bank/live_part.h"

namespace dentate::bank {
namespace {

// Words whose lines of the dictionary are asked for at once.
constexpr std::size_t kPrefetched = 32;

Status Wrong(const char* what) { return Status(ErrorCode::kInternal, what); }

std::uint64_t SumOf(std::span<const std::uint32_t> counts) noexcept {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

bool WordsAddUp(const BatchWords& words) noexcept {
  return words.piece_counts.size() == words.stems.size() &&
         SumOf(words.piece_counts) == words.pieces.size();
}

bool IsTime(double time) noexcept {
  return std::fabs(time) <= static_cast<double>(kMaxTime);  // false for NaN
}

bool HasDuplicate(std::span<const std::string_view> names) {
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

}  // namespace

Status CheckBatch(const Batch& batch, std::size_t signature_words) {
  const std::size_t entries = batch.sessions.size();
  for (const std::size_t size :
       {batch.token_counts.size(), batch.code_counts.size(), batch.extras_lengths.size(),
        batch.speakers.size(), batch.roles.size(), batch.at.size(), batch.ingested.size(),
        batch.expires.size(), batch.origins.size()}) {
    if (size != entries) return Wrong("the arrays that have one item an entry disagree");
  }
  if (!WordsAddUp(batch.words) || !WordsAddUp(batch.speaker_words) ||
      batch.code_tokens.size() != batch.words.stems.size() ||
      batch.signatures.size() != batch.words.stems.size() * signature_words) {
    return Wrong("signatures, words and their tokens disagree");
  }
  if (batch.speaker_word_counts.size() != batch.speaker_names.size() ||
      SumOf(batch.speaker_word_counts) != batch.speaker_words.stems.size()) {
    return Wrong("the speakers' words do not add up");
  }
  if (SumOf(batch.token_counts) != batch.tokens.size() ||
      SumOf(batch.code_counts) != batch.code_tokens.size() ||
      SumOf(batch.extras_lengths) != batch.extras.size()) {
    return Wrong("counts do not add up");
  }
  for (std::size_t i = 0; i < entries; ++i) {
    if (batch.sessions[i] != kNone && batch.sessions[i] >= batch.session_names.size()) {
      return Wrong("a session has no name");
    }
    if (batch.speakers[i] != kNone && batch.speakers[i] >= batch.speaker_names.size()) {
      return Wrong("a speaker has no name");
    }
    if (!IsTime(batch.at[i]) || !IsTime(batch.ingested[i]) ||
        (!IsTime(batch.expires[i]) && batch.expires[i] != HUGE_VAL)) {
      return Wrong("a time is out of range");
    }
  }
  return Status::Ok();
}

void LivePart::ResolveWords(const Batch& batch, RecordStorage& staged) {
  const std::size_t words = signature_words();
  staged.codes.resize(batch.words.stems.size());
  const auto signature = [&](std::size_t i) { return batch.signatures.subspan(i * words, words); };
  std::size_t piece = 0;
  for (std::size_t begin = 0; begin < staged.codes.size(); begin += kPrefetched) {
    const std::size_t end = std::min(begin + kPrefetched, staged.codes.size());
    for (std::size_t i = begin; i < end; ++i) {
      dictionary_.PrefetchSlot(signature(i), batch.words.stems[i]);
    }
    for (std::size_t i = begin; i < end; ++i) {
      dictionary_.PrefetchCode(signature(i), batch.words.stems[i]);
    }
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t count = batch.words.piece_counts[i];
      staged.codes[i] = dictionary_.FindOrAdd(signature(i), batch.words.stems[i],
                                              batch.words.pieces.subspan(piece, count));
      piece += count;
    }
  }
}

std::uint32_t LivePart::AddSpeaker(std::string_view name, const BatchWords& words,
                                   Interval32 word_range, std::size_t piece) {
  const std::uint32_t known = speakers_.Find(name);
  if (known != kNone) return known;
  speaker_word_ends_.Reserve(speaker_word_ends_.size() + 1);
  speaker_words_.Reserve(speaker_words_.size() + word_range.size());
  std::vector<SpeakerWord> made;
  for (std::uint32_t word = word_range.begin; word < word_range.end; ++word) {
    const std::size_t count = words.piece_counts[word];
    made.push_back({words.stems[word], pieces_.Add(words.pieces.subspan(piece, count))});
    piece += count;
  }
  const std::uint32_t speaker = speakers_.FindOrAdd(name);
  // Nothing below can fail.
  speaker_words_.Append(made);
  speaker_word_ends_.push_back(static_cast<std::uint32_t>(speaker_words_.size()));
  return speaker;
}

// Names are taken in as entries use them.
void LivePart::ResolveNames(const Batch& batch, AppendScratch& scratch) {
  RecordStorage& staged = scratch.record;
  scratch.session_of.assign(batch.session_names.size(), kNone);
  scratch.speaker_of.assign(batch.speaker_names.size(), kNone);
  // By speaker: where its words and their pieces begin.
  std::vector<std::uint32_t> words(batch.speaker_names.size() + 1), pieces(words.size());
  for (std::size_t i = 0; i < batch.speaker_names.size(); ++i) {
    words[i + 1] = words[i] + batch.speaker_word_counts[i];
    pieces[i + 1] = pieces[i];
    for (std::uint32_t word = words[i]; word < words[i + 1]; ++word) {
      pieces[i + 1] += batch.speaker_words.piece_counts[word];
    }
  }
  for (std::size_t i = 0; i < batch.sessions.size(); ++i) {
    std::uint32_t session = batch.sessions[i];
    if (session != kNone) {
      std::uint32_t& number = scratch.session_of[session];
      if (number == kNone) number = sessions_.FindOrAdd(batch.session_names[session]);
      session = number;
    }
    std::uint32_t speaker = batch.speakers[i];
    if (speaker != kNone) {
      std::uint32_t& number = scratch.speaker_of[speaker];
      if (number == kNone) {
        number = AddSpeaker(batch.speaker_names[speaker], batch.speaker_words,
                            {words[speaker], words[speaker + 1]}, pieces[speaker]);
      }
      speaker = number;
    }
    staged.sessions.push_back(session);
    staged.speakers.push_back(speaker);
  }
}

// All words and names that no record has carried.
void LivePart::StageNew(RecordStorage& staged) const {
  std::vector<std::uint32_t> pieces;
  const auto push_word = [&](WordsStorage& words, std::uint64_t stem) {
    words.stems.push_back(stem);
    words.piece_counts.push_back(static_cast<std::uint32_t>(pieces.size()));
    words.pieces.insert(words.pieces.end(), pieces.begin(), pieces.end());
  };
  for (std::uint32_t code = logged_codes_; code < code_count(); ++code) {
    for (std::size_t word = 0; word < signature_words(); ++word) {
      staged.new_signatures.push_back(*dictionary_.signatures().WordAt(code, word));
    }
    Pieces(code, pieces);
    push_word(staged.new_words, Stem(code));
  }
  for (std::uint32_t session = logged_sessions_; session < session_count(); ++session) {
    staged.new_sessions.push_back(SessionName(session));
  }
  for (std::uint32_t speaker = logged_speakers_; speaker < speaker_count(); ++speaker) {
    staged.new_speakers.push_back(SpeakerName(speaker));
    staged.speaker_word_counts.push_back(speaker_word_count(speaker));
    for (std::uint32_t word = 0; word < speaker_word_count(speaker); ++word) {
      SpeakerWordPieces(speaker, word, pieces);
      push_word(staged.speaker_words, SpeakerWordStem(speaker, word));
    }
  }
}

void LivePart::Resolve(const Batch& batch, AppendScratch& scratch, AppendRecord& record) {
  RecordStorage& staged = scratch.record;
  staged.Clear();
  ResolveWords(batch, staged);
  ResolveNames(batch, scratch);
  StageNew(staged);
  for (std::size_t i = 0; i < batch.sessions.size(); ++i) {
    const bool hole = batch.sessions[i] == kNone;
    staged.at.push_back(hole ? 0 : static_cast<std::int64_t>(batch.at[i]));
    staged.ingested.push_back(hole ? 0 : static_cast<std::int64_t>(batch.ingested[i]));
    staged.expires.push_back(hole || batch.expires[i] == HUGE_VAL
                                 ? kNever
                                 : static_cast<std::int64_t>(batch.expires[i]));
  }
  record.first_code = logged_codes_;
  record.first_session = logged_sessions_;
  record.first_speaker = logged_speakers_;
  record.new_signatures = staged.new_signatures;
  record.new_words = staged.new_words.View();
  record.new_sessions = staged.new_sessions;
  record.new_speakers = staged.new_speakers;
  record.speaker_words = staged.speaker_words.View();
  record.speaker_word_counts = staged.speaker_word_counts;
  record.sessions = staged.sessions;
  record.speakers = staged.speakers;
  record.roles = batch.roles;
  record.at = staged.at;
  record.ingested = staged.ingested;
  record.expires = staged.expires;
  record.origins = batch.origins;
  record.token_counts = batch.token_counts;
  record.code_counts = batch.code_counts;
  record.extras_lengths = batch.extras_lengths;
  record.tokens = batch.tokens;
  record.code_tokens = batch.code_tokens;
  record.codes = staged.codes;
  record.extras = batch.extras;
}

// Whether the record's new words and names are new and differ from each other.
bool LivePart::AllNew(const AppendRecord& record, std::vector<std::uint32_t>& order) const {
  const std::size_t words = signature_words();
  const auto signature = [&](std::uint32_t i) {
    return record.new_signatures.subspan(std::size_t{i} * words, words);
  };
  const auto& stems = record.new_words.stems;
  order.resize(stems.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (stems[a] != stems[b]) return stems[a] < stems[b];
    return std::ranges::lexicographical_compare(signature(a), signature(b));
  });
  const auto twice =
      std::adjacent_find(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return stems[a] == stems[b] && std::ranges::equal(signature(a), signature(b));
      });
  if (twice != order.end() || HasDuplicate(record.new_sessions) ||
      HasDuplicate(record.new_speakers)) {
    return false;
  }
  const auto known = [](const NameTable& table) {
    return [&table](std::string_view name) { return table.Find(name) != kNone; };
  };
  return std::ranges::none_of(record.new_sessions, known(sessions_)) &&
         std::ranges::none_of(record.new_speakers, known(speakers_)) &&
         std::ranges::none_of(
             order, [&](std::uint32_t i) { return dictionary_.Contains(signature(i), stems[i]); });
}

Status LivePart::Adopt(const AppendRecord& record, AppendScratch& scratch) {
  if (record.first_code != code_count() || record.first_session != session_count() ||
      record.first_speaker != speaker_count()) {
    return Status(ErrorCode::kCorruption, "a log record is not the one that follows");
  }
  if (!AllNew(record, scratch.stream)) {
    return Status(ErrorCode::kCorruption, "a log record brings a word or a name twice");
  }
  const std::size_t words = signature_words();
  std::size_t piece = 0;
  for (std::size_t i = 0; i < record.new_words.stems.size(); ++i) {
    const std::size_t count = record.new_words.piece_counts[i];
    dictionary_.FindOrAdd(record.new_signatures.subspan(i * words, words),
                          record.new_words.stems[i], record.new_words.pieces.subspan(piece, count));
    piece += count;
  }
  for (const std::string_view name : record.new_sessions) sessions_.FindOrAdd(name);
  std::uint32_t word = 0;
  piece = 0;
  for (std::size_t i = 0; i < record.new_speakers.size(); ++i) {
    const std::uint32_t end = word + record.speaker_word_counts[i];
    AddSpeaker(record.new_speakers[i], record.speaker_words, {word, end}, piece);
    for (; word < end; ++word) piece += record.speaker_words.piece_counts[word];
  }
  return Status::Ok();
}

}  // namespace dentate::bank
