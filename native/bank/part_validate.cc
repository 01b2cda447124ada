// SealedPart::Validate: whether every number that a query follows leads somewhere in the image, and
// says what the rest of it says. What only makes an answer wrong (a signature, a fingerprint, a
// name) is the checksum's affair.

#include <algorithm>
#include <bit>
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
        &SealedPart::CheckTokenBits, &SealedPart::CheckRuns, &SealedPart::CheckNames}) {
    if (Status status = (this->*check)(); !status.ok()) return status;
  }
  PartFacts facts;
  return Facts(facts);
}

Status SealedPart::CheckStreams() const {
  if (Status status = content_.Validate(); !status.ok()) return status;
  return codes_.Validate();
}

Status SealedPart::CheckDictionary() const {
  const ImageHeader& h = header();
  if (Status status = piece_ends_.Validate(); !status.ok()) return status;
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
  for (const succinct::EliasFano* ends :
       {&token_ends_, &code_ends_, &extras_ends_, &fingerprints_}) {
    if (Status status = ends->Validate(); !status.ok()) return status;
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
  const Status bad = Corruption("runs of the part lead astray");
  if (Status status = run_ends_.Validate(); !status.ok()) return status;
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
  for (const succinct::EliasFano* ends :
       {&session_name_ends_, &speaker_name_ends_, &speaker_word_ends_}) {
    if (Status status = ends->Validate(); !status.ok()) return status;
  }
  if ((header().sessions == 0 && header().session_name_bytes > 0) ||
      (header().speakers == 0 && header().speaker_name_bytes + header().speaker_word_bytes > 0)) {
    return Corruption("names of the part belong to nobody");
  }
  for (std::uint32_t speaker = 0; speaker < header().speakers; ++speaker) {
    if (!IsSpeakerWords(SpeakerWords(speaker))) {
      return Corruption("words of a speaker's name can't be read");
    }
  }
  return Status::Ok();
}

}  // namespace dentate::bank
