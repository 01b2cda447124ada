// How a live part writes a record's entries to its streams and makes them visible.

#include <algorithm>
#include <string>
#include <utility>

#include "bank/bit_order.h"
#include "bank/content_hash.h"
#include "bank/live_part.h"

namespace dentate::bank {

Status LivePart::CheckRoom(const Demand& demand) const {
  constexpr std::uint64_t kLimit = 0xffffffff;
  if (content_.size() + std::uint64_t{demand.tokens} >= kLimit ||
      codes_.size() + std::uint64_t{demand.codes} >= kLimit ||
      entries_.size() + std::uint64_t{demand.entries} >= kLimit ||
      entries_.extras_size() + std::uint64_t{demand.extras} >= EntryTable::kMaxExtras ||
      pieces_.size() + std::uint64_t{demand.pieces} + demand.words >= kLimit) {
    return Status(ErrorCode::kOutOfMemory, "the bank's part in memory is full");
  }
  if (dictionary_.size() + demand.words > kMaxCodes) {
    return Status(ErrorCode::kOutOfMemory, "the bank's part in memory has room for " +
                                               std::to_string(kMaxCodes) +
                                               " different signatures of words");
  }
  return Status::Ok();
}

bool LivePart::NearlyFull() const noexcept {
  constexpr std::uint32_t kHalf = std::uint32_t{1} << 31;
  return content_.size() >= kHalf || codes_.size() >= kHalf || entries_.size() >= kHalf ||
         entries_.extras_size() >= kHalf || pieces_.size() >= kHalf ||
         dictionary_.size() >= kMaxCodes / 2;
}

void LivePart::MakeRows(const AppendRecord& record, AppendScratch& scratch) const {
  scratch.rows.clear();
  scratch.rows.reserve(record.sessions.size());
  std::uint32_t token = content_.size();
  std::uint32_t code = codes_.size();
  std::uint32_t extras = 0;
  for (std::size_t i = 0; i < record.sessions.size(); ++i) {
    EntryTable::Row row{};
    row.at = record.at[i];
    row.ingested = record.ingested[i];
    row.token_begin = token;
    row.token_end = token += record.token_counts[i];
    row.code_begin = code;
    row.code_end = code += record.code_counts[i];
    row.session = record.sessions[i];
    row.speaker = record.speakers[i];
    row.extras_end = extras += record.extras_lengths[i];
    row.role = record.roles[i];
    scratch.rows.push_back(row);
  }
}

void LivePart::Prepare(const AppendRecord& record, AppendScratch& scratch) {
  MakeRows(record, scratch);
  CountDistinct(record, scratch);
  const std::size_t entries = record.sessions.size();
  fingerprints_.Reserve(entries);
  entries_.Prepare(scratch.rows, record.extras.size());
  const EntryTable::Row& last = scratch.rows.back();
  // A bit for each token and code there will be.
  token_codes_.Reserve(std::size_t{last.token_end} + last.code_end);

  std::vector<std::uint32_t>& stream = scratch.stream;
  stream.resize(record.tokens.size());
  symbols_.FindOrAdd(record.tokens, stream.data());
  for (std::uint32_t& symbol : stream) symbol = ReverseBits<kSymbolBits>(symbol);
  content_.Append(stream);
  stream.resize(record.codes.size());
  for (std::size_t i = 0; i < stream.size(); ++i) {
    stream[i] = ReverseBits<kCodeBits>(record.codes[i]);
  }
  codes_.Append(stream);
  AppendTokenCodes(record);
}

// What Publish adds to the document frequencies.
void LivePart::CountDistinct(const AppendRecord& record, AppendScratch& scratch) {
  std::vector<std::uint32_t>& counted = scratch.counted_codes;
  counted.clear();
  scratch.distinct_codes.clear();
  std::size_t at = 0;
  for (const std::uint32_t count : record.code_counts) {
    const auto codes = record.codes.subspan(at, count);
    const auto first = static_cast<std::ptrdiff_t>(counted.size());
    counted.insert(counted.end(), codes.begin(), codes.end());
    std::sort(counted.begin() + first, counted.end());
    counted.erase(std::unique(counted.begin() + first, counted.end()), counted.end());
    scratch.distinct_codes.push_back(
        static_cast<std::uint32_t>(counted.size() - static_cast<std::size_t>(first)));
    at += count;
  }
}

// Brings token_codes_ up to the streams: first over a gap that a failed append left, then over the
// record's entries.
void LivePart::AppendTokenCodes(const AppendRecord& record) {
  const std::size_t ones = token_codes_.OneCount();
  const std::size_t zeros = token_codes_.size() - ones;
  token_codes_.AppendRun(false, content_.size() - record.tokens.size() - zeros);
  token_codes_.AppendRun(true, codes_.size() - record.codes.size() - ones);
  std::size_t at = 0;
  std::uint64_t bits = 0;
  std::size_t count = 0;
  const auto push = [&](std::uint64_t bit) {
    bits |= bit << count;
    if (++count == 64) {
      token_codes_.Append(std::exchange(bits, 0), std::exchange(count, 0));
    }
  };
  for (std::size_t entry = 0; entry < record.sessions.size(); ++entry) {
    const std::size_t end = at + record.code_counts[entry];
    for (std::uint32_t token = 0; token < record.token_counts[entry]; ++token) {
      push(0);
      for (; at < end && record.code_tokens[at] == token; ++at) push(1);
    }
  }
  token_codes_.Append(bits, count);
}

void LivePart::AddFingerprints(const AppendRecord& record) noexcept {
  std::size_t token = 0;
  for (std::size_t i = 0; i < record.sessions.size(); ++i) {
    const auto tokens = record.tokens.subspan(token, record.token_counts[i]);
    token += tokens.size();
    if (record.sessions[i] == kNone) {
      fingerprints_.AddNone();
      continue;
    }
    const std::uint32_t speaker = record.speakers[i];
    fingerprints_.Add(Fingerprint(tokens, record.roles[i],
                                  HashOfName(SessionName(record.sessions[i])),
                                  speaker == kNone ? 0 : HashOfName(SpeakerName(speaker))));
  }
}

void LivePart::Publish(const AppendRecord& record, const AppendScratch& scratch) noexcept {
  logged_codes_ = code_count();
  logged_sessions_ = session_count();
  logged_speakers_ = speaker_count();
  AddFingerprints(record);
  const std::uint32_t first = entries_.size();
  const std::uint32_t* counted = scratch.counted_codes.data();
  for (std::uint32_t i = 0; i < scratch.rows.size(); ++i) {
    for (const std::uint32_t* end = counted + scratch.distinct_codes[i]; counted < end; ++counted) {
      dictionary_.CountEntry(*counted, first + i);
    }
  }
  entries_.Publish(scratch.rows, record.extras);
}

}  // namespace dentate::bank
