#include <string>

#include "bank/record.h"
#include "core/coding.h"

namespace dentate::bank {
namespace {

constexpr std::size_t kMinWordBytes = 9;  // a stem and the number of pieces

Status Damaged(const char* what) {
  return Status(ErrorCode::kCorruption, std::string("a log record is damaged: ") + what);
}

std::int64_t Unfold(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// base + difference where that is a time, else one that is none.
std::int64_t TimeOf(std::int64_t base, std::int64_t difference) noexcept {
  const bool near = difference >= -2 * kMaxTime && difference <= 2 * kMaxTime;
  return near ? base + difference : kMaxTime + 1;
}

Status ReadHead(Decoder& in, RecordKind& kind) {
  const std::uint64_t version = in.Varint();
  const std::uint64_t number = in.Varint();
  if (!in.ok()) return Damaged("it is empty");
  if (version > kRecordVersion) {
    return Status(ErrorCode::kVersion, "a log record has version " + std::to_string(version) +
                                           ", newer than " + std::to_string(kRecordVersion));
  }
  if (version == 0) return Damaged("unknown version");
  if (number < 1 || number > 4) return Damaged("unknown kind");
  kind = static_cast<RecordKind>(number);
  if (version != VersionOf(kind)) return Damaged("unknown version of its kind");
  return Status::Ok();
}

std::string_view ReadName(Decoder& in) noexcept {
  const std::uint64_t length = in.Varint();
  const auto bytes =
      in.Bytes(length <= in.remaining() ? static_cast<std::size_t>(length) : in.remaining() + 1);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// No count is believed before there are bytes for it: a damaged one must not allocate gigabytes.
void ReadWord(Decoder& in, WordsStorage& words) {
  words.stems.push_back(in.Fixed<std::uint64_t>());
  std::uint64_t count = in.Varint();
  if (count > in.remaining()) count = in.Bytes(in.remaining() + 1).size();  // turns `in` bad
  words.piece_counts.push_back(static_cast<std::uint32_t>(count));
  for (; count > 0 && in.ok(); --count) words.pieces.push_back(in.Varint32());
}

Status ReadNew(Decoder& in, std::size_t words, RecordStorage& storage) {
  const std::uint64_t codes = in.Varint();
  if (!in.ok() || codes > in.remaining() / (words * 8 + kMinWordBytes)) {
    return Damaged("too many words");
  }
  for (std::uint64_t i = 0; i < codes && in.ok(); ++i) {
    for (std::size_t word = 0; word < words; ++word) {
      storage.new_signatures.push_back(in.Fixed<std::uint64_t>());
    }
    ReadWord(in, storage.new_words);
  }
  const std::uint64_t sessions = in.Varint();
  if (!in.ok() || sessions > in.remaining()) return Damaged("too many sessions");
  for (std::uint64_t i = 0; i < sessions; ++i) storage.new_sessions.push_back(ReadName(in));
  const std::uint64_t speakers = in.Varint();
  if (!in.ok() || speakers > in.remaining() / 2) return Damaged("too many speakers");
  for (std::uint64_t i = 0; i < speakers && in.ok(); ++i) {
    storage.new_speakers.push_back(ReadName(in));
    const std::uint64_t count = in.Varint();
    if (!in.ok() || count > in.remaining() / kMinWordBytes) return Damaged("too many words");
    storage.speaker_word_counts.push_back(static_cast<std::uint32_t>(count));
    for (std::uint64_t word = 0; word < count; ++word) ReadWord(in, storage.speaker_words);
  }
  return in.ok() ? Status::Ok() : Damaged("it ends too early");
}

void PushHole(RecordStorage& storage) {
  storage.sessions.push_back(kNone);
  storage.speakers.push_back(kNone);
  storage.roles.push_back(0);
  storage.at.push_back(0);
  storage.ingested.push_back(0);
  storage.expires.push_back(kNever);
  storage.origins.push_back(kNone);
  storage.token_counts.push_back(0);
  storage.code_counts.push_back(0);
  storage.extras_lengths.push_back(0);
}

// The entry with this bank-wide number.
Status ReadEntry(Decoder& in, std::uint64_t number, std::int64_t base, RecordStorage& storage) {
  const std::uint32_t session = in.Varint32();
  if (session == 0) {
    PushHole(storage);
    return Status::Ok();
  }
  storage.sessions.push_back(session - 1);
  storage.speakers.push_back(in.Varint32() - 1);
  const std::uint32_t role = in.Varint32();
  if (role > UINT8_MAX) return Damaged("a role is too large");
  storage.roles.push_back(static_cast<std::uint8_t>(role));
  storage.at.push_back(TimeOf(base, Unfold(in.Varint())));
  storage.ingested.push_back(TimeOf(base, Unfold(in.Varint())));
  const std::uint64_t expires = in.Varint();
  storage.expires.push_back(expires == 0 ? kNever : TimeOf(base, Unfold(expires - 1)));
  const std::uint64_t back = in.Varint();
  if (back > number) return Damaged("an origin is not in the bank");
  storage.origins.push_back(back == 0 ? kNone : static_cast<std::uint32_t>(number - back));
  storage.token_counts.push_back(in.Varint32());
  storage.code_counts.push_back(in.Varint32());
  storage.extras_lengths.push_back(in.Varint32());
  return Status::Ok();
}

std::uint64_t SumOf(std::span<const std::uint32_t> counts) noexcept {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  return sum;
}

Status ReadStreams(Decoder& in, RecordStorage& storage) {
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
  return Status::Ok();
}

void PointInto(const RecordStorage& storage, AppendRecord& record) noexcept {
  record.new_signatures = storage.new_signatures;
  record.new_words = storage.new_words.View();
  record.new_sessions = storage.new_sessions;
  record.new_speakers = storage.new_speakers;
  record.speaker_words = storage.speaker_words.View();
  record.speaker_word_counts = storage.speaker_word_counts;
  record.sessions = storage.sessions;
  record.speakers = storage.speakers;
  record.roles = storage.roles;
  record.at = storage.at;
  record.ingested = storage.ingested;
  record.expires = storage.expires;
  record.origins = storage.origins;
  record.token_counts = storage.token_counts;
  record.code_counts = storage.code_counts;
  record.extras_lengths = storage.extras_lengths;
  record.tokens = storage.tokens;
  record.code_tokens = storage.code_tokens;
  record.codes = storage.codes;
}

}  // namespace

Status DecodeKind(std::span<const std::uint8_t> bytes, RecordKind& kind) {
  Decoder in(bytes);
  return ReadHead(in, kind);
}

Status DecodeAppend(std::span<const std::uint8_t> bytes, std::size_t words, RecordStorage& storage,
                    AppendRecord& record) {
  Decoder in(bytes);
  RecordKind kind{};
  if (Status head = ReadHead(in, kind); !head.ok()) return head;
  if (kind != RecordKind::kAppend) return Damaged("it is no append");
  if (in.Varint() != words) {
    return Damaged("its signatures have another length than this bank's");
  }
  storage.Clear();
  record = AppendRecord();
  record.first_entry = in.Varint32();
  record.first_code = in.Varint32();
  record.first_session = in.Varint32();
  record.first_speaker = in.Varint32();
  const std::int64_t base = Unfold(in.Varint());
  if (base < -kMaxTime || base > kMaxTime) return Damaged("a time is out of range");
  if (Status read = ReadNew(in, words, storage); !read.ok()) return read;

  const std::uint64_t entries = in.Varint();
  if (!in.ok() || entries == 0 || entries > in.remaining()) {
    return Damaged("the number of entries is wrong");
  }
  if (record.first_entry + entries >= kNone) return Damaged("too many entries");
  for (std::uint64_t i = 0; i < entries; ++i) {
    if (Status read = ReadEntry(in, record.first_entry + i, base, storage); !read.ok()) return read;
  }
  if (Status read = ReadStreams(in, storage); !read.ok()) return read;
  record.extras = in.Bytes(in.remaining());
  if (!in.ok()) return Damaged("it ends too early");
  PointInto(storage, record);

  const std::uint64_t code_limit = std::uint64_t{record.first_code} + record.new_words.stems.size();
  for (const std::uint32_t code : record.codes) {
    if (code >= code_limit) return Damaged("a code is not in the dictionary");
  }
  const Status shape = CheckShape(record, words);
  return shape.ok() ? Status::Ok() : Damaged(shape.message().c_str());
}

Status DecodeEntries(std::span<const std::uint8_t> bytes, RecordKind& kind, std::int64_t& time,
                     std::vector<std::uint32_t>& entries) {
  Decoder in(bytes);
  if (Status head = ReadHead(in, kind); !head.ok()) return head;
  if (kind != RecordKind::kDelete && kind != RecordKind::kTouch) {
    return Damaged("it is no list of entries");
  }
  time = Unfold(in.Varint());
  const std::uint64_t count = in.Varint();
  if (!in.ok() || count == 0 || count > in.remaining()) {
    return Damaged("the number of entries is wrong");
  }
  if (time < -kMaxTime || time > kMaxTime) return Damaged("a time is out of range");
  entries.clear();
  std::uint64_t entry = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t difference = in.Varint32();
    entry += difference;
    if (!in.ok() || entry >= kNone || (i > 0 && difference == 0)) {
      return Damaged("an entry's number is wrong");
    }
    entries.push_back(static_cast<std::uint32_t>(entry));
  }
  return in.remaining() == 0 ? Status::Ok() : Damaged("it is too long");
}

Status DecodeChunkRecord(std::span<const std::uint8_t> bytes, ChunkRows& rows) {
  Decoder in(bytes);
  RecordKind kind{};
  if (Status head = ReadHead(in, kind); !head.ok()) return head;
  if (kind != RecordKind::kChunks) return Damaged("it has no chunks");
  const Status decoded = DecodeChunks(in.Bytes(in.remaining()), rows);
  if (!decoded.ok()) return Damaged(decoded.message().c_str());
  return rows.empty() ? Damaged("it says nothing") : Status::Ok();
}

}  // namespace dentate::bank
