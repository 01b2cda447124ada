// SealedPart::Validate: whether every number that a query follows leads somewhere in the image, and
// says what the rest of it says. What only makes an answer wrong (a signature, a fingerprint, a
// name) is the checksum's affair.

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "bank/sealed_part.h"
#include "core/coding.h"

namespace dentate::bank {
namespace {

Status Corruption(const char* message) { return {ErrorCode::kCorruption, message}; }

bool AllBelow(const succinct::PackedInts& numbers, std::uint64_t count, std::uint64_t limit) {
  for (std::uint64_t i = 0; i < count; ++i) {
    if (numbers.Get(i) >= limit) return false;
  }
  return true;
}

bool IsSpeakerWords(std::span<const std::uint8_t> bytes) {
  Decoder decoder(bytes);
  for (std::uint32_t words = decoder.Varint32(); words > 0 && decoder.ok(); --words) {
    decoder.Fixed<std::uint64_t>();
    for (std::uint32_t pieces = decoder.Varint32(); pieces > 0 && decoder.ok(); --pieces) {
      decoder.Varint32();
    }
  }
  return decoder.ok() && decoder.remaining() == 0;
}

}  // namespace

Status SealedPart::Validate() const {
  using Check = Status (SealedPart::*)() const;
  for (const Check check :
       {&SealedPart::CheckStreams, &SealedPart::CheckDictionary, &SealedPart::CheckRows,
        &SealedPart::CheckTokenBits, &SealedPart::CheckRuns, &SealedPart::CheckNames,
        &SealedPart::CheckSlack}) {
    if (Status status = (this->*check)(); !status.ok()) return status;
  }
  PartFacts facts;
  return Facts({}, facts);
}

Status SealedPart::CheckStreams() const {
  if (Status status = content_.Validate(); !status.ok()) return status;
  return codes_.Validate();
}

Status SealedPart::CheckDictionary() const {
  const ImageHeader& h = header();
  if (Status status = piece_ends_.Validate(h.pieces); !status.ok()) return status;
  if (!AllBelow(holders_, h.distinct_codes, 2 * std::uint64_t{h.entries} + 1)) {
    return Corruption("a code of the part is in more entries than there are");
  }
  for (std::uint32_t level = 0; level < codes_.level_count(); ++level) {
    if (!std::is_sorted(stems_ + codes_.first_symbol(level),
                        stems_ + codes_.first_symbol(level + 1))) {
      return Corruption("stems of the part are not sorted");
    }
  }
  return Status::Ok();
}

Status SealedPart::CheckRows() const {
  const ImageHeader& h = header();
  for (const auto& [ends, last] :
       {std::pair<const succinct::EliasFano*, std::uint64_t>{&token_ends_, h.tokens},
        {&code_ends_, h.codes},
        {&extras_ends_, h.extras_bytes},
        {&fingerprints_, h.largest_fingerprint}}) {
    if (Status status = ends->Validate(last); !status.ok()) return status;
  }
  for (const succinct::BlockedInts* times : {&at_, &ingested_}) {
    if (Status status = times->Validate(); !status.ok()) return status;
  }
  if (h.entries == 0 && (h.tokens > 0 || h.codes > 0)) {
    return Corruption("a part of no entries has a stream");
  }
  if (!AllBelow(entry_speakers_, h.entries, std::uint64_t{h.speakers} + 1) ||
      !AllBelow(fingerprint_entries_, h.living, h.entries)) {
    return Corruption("an entry of the part has a number that has no meaning");
  }
  if (h.distinct_extras == 0 ? h.extras_bytes > 0
                             : !AllBelow(entry_extras_, h.entries, h.distinct_extras)) {
    return Corruption("an entry of the part has extras that are not there");
  }
  std::uint64_t entry = 0;
  for (std::uint64_t block = 0; block < CodeBlockCount(h.codes); ++block) {
    while (code_ends_.Get(entry) <= block * kCodesPerBlock) ++entry;
    if (code_blocks_.Get(block) != entry) return Corruption("code blocks of the part are wrong");
  }
  return Status::Ok();
}

// Each entry's bits are as many zeros as it has tokens, and as many ones as it has codes, and begin
// with a zero. REQUIRES: CheckRows passed.
Status SealedPart::CheckTokenBits() const {
  const ImageHeader& h = header();
  std::uint64_t bit = 0;
  for (std::uint32_t entry = 0; entry < h.entries; ++entry) {
    const Interval32 tokens = TokenSpan(entry);
    const Interval32 codes = CodeSpan(entry);
    const std::uint64_t end = bit + tokens.size() + codes.size();
    if (bit < end && (token_bits_[bit / 64] >> bit % 64 & 1) != 0) {
      return Corruption("a code of the part has no token");
    }
    std::uint64_t ones = 0;
    while (bit < end) {
      const std::uint64_t count = std::min(end - bit, 64 - bit % 64);
      const std::uint64_t word = token_bits_[bit / 64] >> bit % 64 << (64 - count);
      ones += static_cast<std::uint64_t>(std::popcount(word));
      bit += count;
    }
    if (ones != codes.size()) return Corruption("token bits of the part differ from its entries");
  }
  return Status::Ok();
}

Status SealedPart::CheckRuns() const {
  const ImageHeader& h = header();
  Status bad = Corruption("runs of the part lead astray");
  if (Status status = run_ends_.Validate(h.entries); !status.ok()) return status;
  if (Status status = run_marks_.Validate(h.entries); !status.ok()) return status;
  std::vector<std::uint32_t> last(h.sessions, h.runs);
  std::uint32_t living = 0;
  for (std::uint32_t run = 0; run < h.runs; ++run) {
    const Interval32 entries = RunAt(run);
    // The run begins with a mark and has no other: RunOf says so of both its ends.
    if (entries.size() == 0 || RunOf(entries.begin) != run || RunOf(entries.end - 1) != run) {
      return bad;
    }
    const std::uint64_t session = run_sessions_.Get(run);
    if (session > h.sessions) return bad;
    if (session == h.sessions) continue;
    living += entries.size();
    const std::uint32_t before = last[session];
    if (runs_before_.Get(run) != before) return bad;
    if (before == h.runs ? first_runs_.Get(session) != run : runs_after_.Get(before) != run) {
      return bad;
    }
    last[session] = run;
  }
  for (std::uint32_t session = 0; session < h.sessions; ++session) {
    if (last[session] == h.runs || last_runs_.Get(session) != last[session] ||
        runs_after_.Get(last[session]) != h.runs) {
      return bad;
    }
  }
  return living == h.living ? Status::Ok() : bad;
}

Status SealedPart::CheckNames() const {
  const ImageHeader& h = header();
  for (const auto& [ends, last] : {std::pair<const succinct::EliasFano*, std::uint64_t>{
                                       &session_name_ends_, h.session_name_bytes},
                                   {&speaker_name_ends_, h.speaker_name_bytes},
                                   {&speaker_word_ends_, h.speaker_word_bytes}}) {
    if (Status status = ends->Validate(last); !status.ok()) return status;
  }
  if ((h.sessions == 0 && h.session_name_bytes > 0) ||
      (h.speakers == 0 && (h.speaker_name_bytes > 0 || h.speaker_word_bytes > 0))) {
    return Corruption("names of the part belong to nobody");
  }
  for (std::uint32_t speaker = 0; speaker < h.speakers; ++speaker) {
    if (!IsSpeakerWords(SpeakerWords(speaker))) {
      return Corruption("words of a speaker's name can't be read");
    }
  }
  return Status::Ok();
}

// Between what sections hold and where they end there is nothing. (Ascending numbers and matrices
// have checked theirs.)
Status SealedPart::CheckSlack() const {
  const ImageHeader& h = header();
  bool empty = true;
  for (const auto& [numbers, count] :
       {std::pair<const succinct::PackedInts*, std::uint64_t>{&holders_, h.distinct_codes},
        {&pieces_, h.pieces},
        {&token_ids_, h.distinct_tokens},
        {&code_blocks_, CodeBlockCount(h.codes)},
        {&roles_, h.entries},
        {&entry_speakers_, h.entries},
        {&entry_extras_, h.entries},
        {&run_sessions_, h.runs},
        {&runs_before_, h.runs},
        {&runs_after_, h.runs},
        {&first_runs_, h.sessions},
        {&last_runs_, h.sessions},
        {&fingerprint_entries_, h.living}}) {
    empty = empty && numbers->SlackIsZero(count);
  }
  empty =
      empty && succinct::PackedInts(token_bits_, 1).SlackIsZero(std::uint64_t{h.tokens} + h.codes);
  const std::uint64_t stride = SignatureStride(h.distinct_codes);
  for (std::uint32_t word = 0; word < h.signature_words; ++word) {
    const std::uint64_t* column = signatures_ + word * stride;
    empty = empty && std::all_of(column + h.distinct_codes, column + stride,
                                 [](std::uint64_t value) { return value == 0; });
  }
  const ImageLayout layout(h);
  for (const auto& [section, size] : {std::pair{Section::kExtras, h.extras_bytes},
                                      {Section::kSessionNames, std::uint64_t{h.session_name_bytes}},
                                      {Section::kSpeakerNames, std::uint64_t{h.speaker_name_bytes}},
                                      {Section::kSpeakerWords, std::uint64_t{h.speaker_word_bytes}},
                                      {Section::kFacts, std::uint64_t{h.facts_bytes}}}) {
    const std::size_t begin = layout.begin[static_cast<std::size_t>(section)] * 8;
    for (std::uint64_t i = begin + size; i % 8 != 0; ++i) empty = empty && bytes_[i] == 0;
  }
  return empty ? Status::Ok() : Corruption("the part has something between its sections");
}

}  // namespace dentate::bank
