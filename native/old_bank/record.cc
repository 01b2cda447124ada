#include "old_bank/record.h"

#include <cmath>
#include <string>

#include "old_bank/entry_table.h"
#include "core/coding.h"

namespace dentate::old_bank {
namespace {

constexpr std::size_t kMinEntryBytes = 5;  // five varints

std::uint64_t SumOf(std::span<const std::uint32_t> counts) noexcept {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  return sum;
}

Status Wrong(const char* what) { return Status(ErrorCode::kInternal, what); }

Status Damaged(const char* what) {
  return Status(ErrorCode::kCorruption, std::string("a log record is damaged: ") + what);
}

}  // namespace

std::size_t RecordStorage::SizeInBytes() const noexcept {
  return (new_signatures.capacity() + new_stems.capacity()) * sizeof(std::uint64_t) +
         (sessions.capacity() + speakers.capacity() + token_counts.capacity() +
          code_counts.capacity() + metadata_lengths.capacity() + tokens.capacity() +
          code_tokens.capacity() + codes.capacity() + scales.capacity()) *
             sizeof(std::uint32_t) +
         rows.capacity();
}

Status CheckShape(const Record& record, std::size_t dimensions) {
  const std::size_t entries = record.sessions.size();
  if (record.speakers.size() != entries || record.token_counts.size() != entries ||
      record.code_counts.size() != entries || record.metadata_lengths.size() != entries) {
    return Wrong("the arrays that have one item an entry disagree");
  }
  if (SumOf(record.token_counts) != record.tokens.size())
    return Wrong("token counts do not add up");
  if (SumOf(record.code_counts) != record.codes.size() ||
      record.codes.size() != record.code_tokens.size()) {
    return Wrong("code counts do not add up");
  }
  if (SumOf(record.metadata_lengths) != record.metadata.size()) {
    return Wrong("metadata lengths do not add up");
  }
  if (record.scales.size() != (dimensions == 0 ? 0 : entries) ||
      record.rows.size() != entries * dimensions) {
    return Wrong("vectors have the wrong length");
  }
  std::size_t at = 0;
  for (std::size_t entry = 0; entry < entries; ++entry) {
    if (record.sessions[entry] >= EntryTable::kMaxSessions) return Wrong("a session is too large");
    std::uint32_t before = 0;
    for (const std::size_t end = at + record.code_counts[entry]; at < end; ++at) {
      const std::uint32_t token = record.code_tokens[at];
      if (token < before || token >= record.token_counts[entry]) {
        return Wrong("a code's token is out of order or outside its entry");
      }
      before = token;
    }
  }
  return Status::Ok();
}

void EncodeRecord(const Record& record, std::size_t words, std::size_t dimensions,
                  std::vector<std::uint8_t>& out) {
  out.clear();
  PutVarint(out, kRecordVersion);
  PutVarint(out, words);
  PutVarint(out, dimensions);
  PutVarint(out, record.first_code);
  PutVarint(out, record.new_stems.size());
  for (std::size_t i = 0; i < record.new_stems.size(); ++i) {
    for (std::size_t word = 0; word < words; ++word) {
      PutFixed(out, record.new_signatures[i * words + word]);
    }
    PutFixed(out, record.new_stems[i]);
  }
  const std::size_t entries = record.sessions.size();
  PutVarint(out, entries);
  for (std::size_t entry = 0; entry < entries; ++entry) {
    PutVarint(out, record.sessions[entry]);
    PutVarint(out, static_cast<std::uint32_t>(record.speakers[entry] + 1));  // kNone + 1 is 0
    PutVarint(out, record.token_counts[entry]);
    PutVarint(out, record.code_counts[entry]);
    PutVarint(out, record.metadata_lengths[entry]);
  }
  for (const std::uint32_t token : record.tokens) PutVarint(out, token);
  std::size_t at = 0;
  for (std::size_t entry = 0; entry < entries; ++entry) {
    std::uint32_t before = 0;
    for (const std::size_t end = at + record.code_counts[entry]; at < end; ++at) {
      PutVarint(out, record.code_tokens[at] - before);
      PutVarint(out, record.codes[at]);
      before = record.code_tokens[at];
    }
  }
  if (dimensions > 0) {
    for (std::size_t entry = 0; entry < entries; ++entry) {
      PutFixed(out, record.scales[entry]);
      const auto row = record.rows.subspan(entry * dimensions, dimensions);
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(row.data());
      out.insert(out.end(), bytes, bytes + row.size());
    }
  }
  out.insert(out.end(), record.metadata.begin(), record.metadata.end());
}

Status DecodeRecord(std::span<const std::uint8_t> bytes, std::size_t words, std::size_t dimensions,
                    RecordStorage& storage, Record& record) {
  Decoder in(bytes);
  const std::uint64_t version = in.Varint();
  if (!in.ok()) return Damaged("it is empty");
  if (version > kRecordVersion) {
    return Status(ErrorCode::kVersion, "a log record has version " + std::to_string(version) +
                                           ", newer than " + std::to_string(kRecordVersion));
  }
  if (version != kRecordVersion) return Damaged("unknown version");
  if (in.Varint() != words || in.Varint() != dimensions) {
    return Damaged("its signatures or vectors have another length than this bank's");
  }
  storage = RecordStorage();
  record = Record();
  record.first_code = in.Varint32();

  // No count is believed before there are bytes for it: a damaged one must not allocate gigabytes.
  const std::uint64_t new_codes = in.Varint();
  if (!in.ok() || new_codes > in.remaining() / ((words + 1) * 8)) return Damaged("too many words");
  for (std::uint64_t i = 0; i < new_codes; ++i) {
    for (std::size_t word = 0; word < words; ++word) {
      storage.new_signatures.push_back(in.Fixed<std::uint64_t>());
    }
    storage.new_stems.push_back(in.Fixed<std::uint64_t>());
  }

  const std::uint64_t entries = in.Varint();
  if (!in.ok() || entries > in.remaining() / kMinEntryBytes) return Damaged("too many entries");
  for (std::uint64_t entry = 0; entry < entries; ++entry) {
    storage.sessions.push_back(in.Varint32());
    storage.speakers.push_back(in.Varint32() - 1);
    storage.token_counts.push_back(in.Varint32());
    storage.code_counts.push_back(in.Varint32());
    storage.metadata_lengths.push_back(in.Varint32());
  }
  const std::uint64_t tokens = SumOf(storage.token_counts);
  const std::uint64_t codes = SumOf(storage.code_counts);
  if (!in.ok() || tokens > in.remaining() || codes > in.remaining() / 2) {
    return Damaged("too many tokens or codes");
  }
  for (std::uint64_t i = 0; i < tokens; ++i) storage.tokens.push_back(in.Varint32());
  for (const std::uint32_t count : storage.code_counts) {
    std::uint64_t token = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      token += in.Varint32();
      if (token > UINT32_MAX) return Damaged("a token index is too large");
      storage.code_tokens.push_back(static_cast<std::uint32_t>(token));
      storage.codes.push_back(in.Varint32());
    }
  }
  for (std::uint64_t entry = 0; dimensions > 0 && entry < entries; ++entry) {
    const auto scale = in.Fixed<float>();
    const auto row = in.Bytes(dimensions);
    if (!in.ok()) return Damaged("vectors are missing");
    if (!std::isfinite(scale) || scale < 0) return Damaged("a vector's scale is not a length");
    storage.scales.push_back(scale);
    const auto* values = reinterpret_cast<const std::int8_t*>(row.data());
    storage.rows.insert(storage.rows.end(), values, values + row.size());
  }
  record.metadata = in.Bytes(in.remaining());
  if (!in.ok()) return Damaged("it ends too early");

  record.new_signatures = storage.new_signatures;
  record.new_stems = storage.new_stems;
  record.sessions = storage.sessions;
  record.speakers = storage.speakers;
  record.token_counts = storage.token_counts;
  record.code_counts = storage.code_counts;
  record.metadata_lengths = storage.metadata_lengths;
  record.tokens = storage.tokens;
  record.code_tokens = storage.code_tokens;
  record.codes = storage.codes;
  record.scales = storage.scales;
  record.rows = storage.rows;
  const std::uint64_t code_limit = std::uint64_t{record.first_code} + new_codes;
  for (const std::uint32_t code : record.codes) {
    if (code >= code_limit) return Damaged("a code is not in the dictionary");
  }
  const Status shape = CheckShape(record, dimensions);
  return shape.ok() ? Status::Ok() : Damaged(shape.message().c_str());
}

}  // namespace dentate::old_bank
