#include "old_bank/bank.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include "old_bank/lease.h"
#include "vectors/dot.h"

namespace dentate::old_bank {
namespace {

void QuantizeVectors(const Batch& batch, std::size_t dimensions, RecordStorage& staged) {
  for (std::size_t i = 0; i < staged.scales.size(); ++i) {
    const std::size_t at = i * dimensions;
    staged.scales[i] = vectors::QuantizeRow(batch.vectors.subspan(at, dimensions),
                                            std::span(staged.rows).subspan(at, dimensions));
  }
}

// Numbers that are given in order share their high bits and differ in the low ones. A wavelet tree
// takes the high ones first: reversed, its first levels divide what is there, and rare symbols end
// in a leaf early.
template <unsigned kBits>
std::uint32_t Reverse(std::uint32_t value) noexcept {
  value = (value & 0x55555555) << 1 | (value >> 1 & 0x55555555);
  value = (value & 0x33333333) << 2 | (value >> 2 & 0x33333333);
  value = (value & 0x0f0f0f0f) << 4 | (value >> 4 & 0x0f0f0f0f);
  return __builtin_bswap32(value) >> (32 - kBits);
}

}  // namespace

// What an append works in.
struct Bank::Staging {
  static constexpr std::size_t kKeepBytes = std::size_t{1} << 20;

  RecordStorage record;
  std::vector<std::uint8_t> group;            // the record's bytes
  std::vector<std::uint32_t> stream;          // symbols on their way into a stream
  std::vector<EntryTable::Row> rows;          // of the batch
  std::vector<std::uint32_t> counted_codes;   // the distinct codes of each entry, concatenated
  std::vector<std::uint32_t> distinct_codes;  // how many, by entry

  std::size_t SizeInBytes() const noexcept {
    return sizeof(*this) + record.SizeInBytes() + group.capacity() +
           (stream.capacity() + counted_codes.capacity() + distinct_codes.capacity()) *
               sizeof(std::uint32_t) +
           rows.capacity() * sizeof(EntryTable::Row);
  }
};

std::uint32_t Bank::CodeSymbol(std::uint32_t code) noexcept { return Reverse<kCodeBits>(code); }

Bank::Bank(std::size_t signature_bits, std::size_t dimensions, std::unique_ptr<old_storage::Log> log)
    : dictionary_(signature_bits / 64), dense_(dimensions), log_(std::move(log)) {
  assert(signature_bits > 0 && signature_bits % 64 == 0);
  assert(dimensions <= vectors::kMaxDimensions);
}

Status Bank::CheckRoom(const Record& record) const {
  constexpr std::uint64_t kLimit = 0xffffffff;
  const std::uint64_t content = std::uint64_t{content_.size()} + record.tokens.size();
  const std::uint64_t codes = std::uint64_t{codes_.size()} + record.codes.size();
  const std::uint64_t entries = std::uint64_t{entries_.size()} + record.sessions.size();
  // A batch's codes may all be new words, and a record may bring words of a failed append besides.
  const std::uint64_t words =
      dictionary_.size() + std::max(record.new_stems.size(), record.codes.size());
  if (content >= kLimit || codes >= kLimit || entries >= kLimit) {
    return Status(ErrorCode::kOutOfMemory, "the bank is full");
  }
  if (words > kMaxCodes) {
    return Status(ErrorCode::kOutOfMemory, "the bank is full: it has room for " +
                                               std::to_string(kMaxCodes) +
                                               " different signatures of words");
  }
  return Status::Ok();
}

void Bank::ResolveCodes(const Batch& batch, Staging& staging) {
  RecordStorage& staged = staging.record;
  const std::size_t words = signature_words();
  staged.codes.resize(batch.stems.size());
  for (std::size_t i = 0; i < batch.stems.size(); ++i) {
    staged.codes[i] =
        dictionary_.FindOrAdd(batch.signatures.subspan(i * words, words), batch.stems[i]);
  }
  staged.new_signatures.clear();
  staged.new_stems.clear();
  for (std::size_t code = logged_codes_; code < dictionary_.size(); ++code) {
    for (std::size_t word = 0; word < words; ++word) {
      staged.new_signatures.push_back(*dictionary_.signatures().WordAt(code, word));
    }
    staged.new_stems.push_back(dictionary_.stem(static_cast<std::uint32_t>(code)));
  }
}

// The batch as a record whose codes, new words and vectors are still to be filled in.
Record Bank::RecordOf(const Batch& batch, Staging& staging) const {
  RecordStorage& staged = staging.record;
  const std::size_t vector_entries = dimensions() == 0 ? 0 : batch.sessions.size();
  staged.codes.resize(batch.code_tokens.size());
  staged.scales.resize(vector_entries);
  staged.rows.resize(batch.vectors.size());
  Record record;
  record.sessions = batch.sessions;
  record.speakers = batch.speakers;
  record.token_counts = batch.token_counts;
  record.code_counts = batch.code_counts;
  record.metadata_lengths = batch.metadata_lengths;
  record.tokens = batch.tokens;
  record.code_tokens = batch.code_tokens;
  record.codes = staged.codes;
  record.scales = staged.scales;
  record.rows = staged.rows;
  record.metadata = batch.metadata;
  return record;
}

Status Bank::Append(const Batch& batch, std::uint32_t& first_entry) {
  first_entry = entry_count();
  try {
    const Lease<Staging> lease;
    Staging& staging = *lease;
    Record record = RecordOf(batch, staging);
    if (batch.signatures.size() != batch.stems.size() * signature_words() ||
        batch.stems.size() != batch.code_tokens.size()) {
      return Status(ErrorCode::kInternal, "signatures, stems and their tokens disagree");
    }
    if (Status shape = CheckShape(record, dimensions()); !shape.ok()) return shape;
    if (batch.sessions.empty()) return Status::Ok();  // Publish wants an entry
    if (Status room = CheckRoom(record); !room.ok()) return room;
    ResolveCodes(batch, staging);
    QuantizeVectors(batch, dimensions(), staging.record);
    record.first_code = static_cast<std::uint32_t>(logged_codes_);
    record.new_signatures = staging.record.new_signatures;
    record.new_stems = staging.record.new_stems;
    EncodeRecord(record, signature_words(), dimensions(), staging.group);
    Prepare(record, staging);
    if (Status logged = log_->Append(staging.group); !logged.ok()) return logged;
    Publish(record, staging);
    return Status::Ok();
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kOutOfMemory, "not enough memory for the new entries");
  }
}

Status Bank::ApplyRecord(std::span<const std::uint8_t> bytes) {
  try {
    const Lease<Staging> lease;
    Staging& staging = *lease;
    Record record;
    if (Status decoded =
            DecodeRecord(bytes, signature_words(), dimensions(), staging.record, record);
        !decoded.ok()) {
      return decoded;
    }
    if (record.first_code != dictionary_.size()) {
      return Status(ErrorCode::kCorruption, "a log record is not the one that follows");
    }
    if (record.sessions.empty()) return Status(ErrorCode::kCorruption, "a log record is empty");
    if (Status room = CheckRoom(record); !room.ok()) return room;
    if (!AllNew(record, staging)) {
      return Status(ErrorCode::kCorruption, "a log record brings a word twice");
    }
    const std::size_t words = signature_words();
    for (std::size_t i = 0; i < record.new_stems.size(); ++i) {
      dictionary_.FindOrAdd(record.new_signatures.subspan(i * words, words), record.new_stems[i]);
    }
    Prepare(record, staging);
    Publish(record, staging);
    return Status::Ok();
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::kOutOfMemory, "not enough memory for the record's entries");
  }
}

// Whether the record's new words are new to the dictionary and differ from each other.
bool Bank::AllNew(const Record& record, Staging& staging) const {
  const std::size_t words = signature_words();
  const auto signature = [&](std::uint32_t i) {
    return record.new_signatures.subspan(std::size_t{i} * words, words);
  };
  std::vector<std::uint32_t>& order = staging.stream;
  order.resize(record.new_stems.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (record.new_stems[a] != record.new_stems[b]) {
      return record.new_stems[a] < record.new_stems[b];
    }
    return std::ranges::lexicographical_compare(signature(a), signature(b));
  });
  const auto twice =
      std::adjacent_find(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return record.new_stems[a] == record.new_stems[b] &&
               std::ranges::equal(signature(a), signature(b));
      });
  return twice == order.end() && std::none_of(order.begin(), order.end(), [&](std::uint32_t i) {
           return dictionary_.Contains(signature(i), record.new_stems[i]);
         });
}

// Everything that can fail: room for the rows, then the streams. Sets the rows and the counted
// codes.
void Bank::Prepare(const Record& record, Staging& staging) {
  std::vector<std::uint32_t>& stream = staging.stream;
  std::vector<EntryTable::Row>& rows = staging.rows;
  std::vector<std::uint32_t>& counted_codes = staging.counted_codes;
  const std::size_t entries = record.sessions.size();
  rows.resize(entries);
  counted_codes.clear();
  staging.distinct_codes.clear();
  std::uint32_t token = content_.size();
  std::uint32_t code = codes_.size();
  std::uint64_t metadata = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::uint32_t token_begin = std::exchange(token, token + record.token_counts[i]);
    const std::uint32_t code_begin = std::exchange(code, code + record.code_counts[i]);
    metadata += record.metadata_lengths[i];
    rows[i] = {token_begin, token, code_begin, code, record.sessions[i], 0, metadata};

    const auto codes = record.codes.subspan(at, record.code_counts[i]);
    const auto first = static_cast<std::ptrdiff_t>(counted_codes.size());
    counted_codes.insert(counted_codes.end(), codes.begin(), codes.end());
    std::sort(counted_codes.begin() + first, counted_codes.end());
    counted_codes.erase(std::unique(counted_codes.begin() + first, counted_codes.end()),
                        counted_codes.end());
    staging.distinct_codes.push_back(
        static_cast<std::uint32_t>(counted_codes.size() - static_cast<std::size_t>(first)));
    at += codes.size();
  }
  entries_.Prepare(rows, record.metadata.size());
  dense_.Reserve(entries);
  token_codes_.Reserve(std::size_t{token} + code);  // a bit for each token and code there will be

  stream.resize(record.tokens.size());
  symbols_.FindOrAdd(record.tokens, stream.data());
  for (std::uint32_t& symbol : stream) symbol = Reverse<kSymbolBits>(symbol);
  content_.Append(stream);
  stream.resize(record.codes.size());
  for (std::size_t i = 0; i < stream.size(); ++i) stream[i] = CodeSymbol(record.codes[i]);
  codes_.Append(stream);
  AppendTokenCodes(record);
}

// Brings token_codes_ up to the streams: first over a gap that a failed append left, then over the
// record's entries.
void Bank::AppendTokenCodes(const Record& record) {
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

void Bank::Publish(const Record& record, const Staging& staging) noexcept {
  const auto& rows = staging.rows;
  logged_codes_ = dictionary_.size();
  const std::uint32_t first = entries_.size();
  for (std::size_t i = 0; dimensions() > 0 && i < rows.size(); ++i) {
    dense_.Append(record.rows.subspan(i * dimensions(), dimensions()), record.scales[i],
                  rows[i].previous, [&](std::uint32_t entry) {
                    return entry < first ? entries_.previous(entry) : rows[entry - first].previous;
                  });
  }
  const std::uint32_t* counted = staging.counted_codes.data();
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    for (const std::uint32_t* end = counted + staging.distinct_codes[i]; counted < end; ++counted) {
      dictionary_.CountEntry(*counted, first + i);
    }
  }
  const std::uint32_t end = first == 0 ? 0 : entries_.row(first - 1).code_end;
  gap_codes_.store(gap_codes_.load(std::memory_order_relaxed) + rows[0].code_begin - end,
                   std::memory_order_relaxed);
  token_count_.store(token_count() + record.tokens.size(), std::memory_order_relaxed);
  entries_.Publish(rows, record.speakers, record.metadata);
}

void Bank::Tokens(std::span<const std::uint32_t> entries, std::vector<std::uint32_t>& tokens,
                  std::vector<std::uint32_t>& offsets) const {
  tokens.clear();
  offsets.assign(1, 0);
  std::size_t total = 0;
  for (const std::uint32_t entry : entries) {
    const auto& row = entries_.row(entry);
    total += row.token_end - row.token_begin;
  }
  tokens.resize(total);
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < entries.size();) {
    // Entries that lie one behind the other are one interval, walked once.
    const std::uint32_t begin = entries_.row(entries[i]).token_begin;
    std::uint32_t end = begin;
    for (; i < entries.size() && entries_.row(entries[i]).token_begin == end; ++i) {
      end = entries_.row(entries[i]).token_end;
      offsets.push_back(at + (end - begin));
    }
    content_.AccessRange(begin, end, tokens.data() + at);
    at += end - begin;
  }
  for (std::uint32_t& token : tokens) token = Reverse<kSymbolBits>(token);
  symbols_.ToTokens(tokens);
}

Bank::Span Bank::CodesOfTokens(std::uint32_t token_begin, std::uint32_t token_end) const noexcept {
  // The ones before the zero of token t are the codes of the tokens before t.
  const auto codes_before = [this](std::uint32_t token) {
    const std::size_t zero = token_codes_.Select0(token);
    return static_cast<std::uint32_t>(
        zero == succinct::AppendBitVector::kNotFound ? token_codes_.OneCount() : zero - token);
  };
  return {codes_before(token_begin), codes_before(token_end)};
}

std::uint32_t Bank::TokenOfCode(std::uint32_t position) const noexcept {
  // The zeros before the code's one are its token and the tokens before.
  return static_cast<std::uint32_t>(token_codes_.Select1(position)) - position - 1;
}

Bank::Sizes Bank::SizesInBytes() const {
  Sizes sizes{};
  sizes.content = content_.SizeInBytes();
  sizes.codes = codes_.SizeInBytes();
  sizes.token_codes = token_codes_.SizeInBytes();
  sizes.symbols = symbols_.SizeInBytes();
  sizes.dictionary = dictionary_.SizeInBytes();
  sizes.entries = entries_.SizeInBytes();
  sizes.metadata = entries_.MetadataSizeInBytes();
  sizes.vectors = dense_.SizeInBytes();
  sizes.bank = sizeof(*this);
  return sizes;
}

}  // namespace dentate::old_bank
