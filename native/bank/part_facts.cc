#include "bank/part_facts.h"

#include <algorithm>

#include "core/coding.h"

namespace dentate::bank {
namespace {

constexpr std::uint64_t Fold(std::uint64_t difference) noexcept {
  return difference << 1 ^ (std::uint64_t{0} - (difference >> 63));
}
constexpr std::uint64_t Unfold(std::uint64_t folded) noexcept {
  return folded >> 1 ^ (std::uint64_t{0} - (folded & 1));
}
static_assert(Fold(std::uint64_t{0} - 1) == 1 && Unfold(Fold(UINT64_C(1) << 63)) == UINT64_C(1)
                                                                                        << 63);

// Writes entries and times as differences to the ones before.
class Writer {
 public:
  Writer(std::vector<std::uint8_t>& bytes, std::size_t count) : bytes_(bytes) {
    PutVarint(bytes_, count);
  }
  void Entry(std::uint32_t entry) {
    PutVarint(bytes_, entry - entry_);
    entry_ = entry;
  }
  void Time(std::int64_t time) {
    PutVarint(bytes_, Fold(static_cast<std::uint64_t>(time) - time_));
    time_ = static_cast<std::uint64_t>(time);
  }
  void Number(std::uint64_t number) { PutVarint(bytes_, number); }

 private:
  std::vector<std::uint8_t>& bytes_;
  std::uint32_t entry_ = 0;
  std::uint64_t time_ = 0;
};

class Reader {
 public:
  Reader(Decoder& decoder, std::uint32_t limit)
      : decoder_(decoder), limit_(limit), count_(decoder.Varint32()) {
    // Each item takes at least a byte.
    if (count_ > decoder.remaining()) ok_ = false;
  }
  bool ok() const noexcept { return ok_ && decoder_.ok(); }
  std::uint32_t count() const noexcept { return ok() ? count_ : 0; }

  // An entry above the one before.
  std::uint32_t Entry() {
    const std::uint64_t entry = std::uint64_t{entry_} + decoder_.Varint32();
    if (entry >= limit_ || (!first_ && entry == entry_)) ok_ = false;
    first_ = false;
    return entry_ = static_cast<std::uint32_t>(entry);
  }
  std::int64_t Time() {
    time_ += Unfold(decoder_.Varint());
    return static_cast<std::int64_t>(time_);
  }
  std::uint32_t Number() { return decoder_.Varint32(); }

 private:
  Decoder& decoder_;
  std::uint32_t limit_;
  std::uint32_t count_;
  std::uint32_t entry_ = 0;
  std::uint64_t time_ = 0;
  bool first_ = true;
  bool ok_ = true;
};

bool DecodeDeleted(Decoder& decoder, std::uint32_t limit, std::span<const Interval32> rows,
                   std::vector<std::uint32_t>& deleted) {
  const std::uint32_t runs = decoder.Varint32();
  std::uint64_t end = 0;
  auto first = rows.begin();  // that may have something of the run
  for (std::uint32_t run = 0; run < runs && decoder.ok(); ++run) {
    const std::uint32_t gap = decoder.Varint32();
    const std::uint64_t begin = end + gap;
    end = begin + decoder.Varint32() + 1;
    if ((run > 0 && gap == 0) || end > limit) return false;
    while (first != rows.end() && first->end <= begin) ++first;
    for (auto row = first; row != rows.end() && row->begin < end; ++row) {
      const std::uint64_t stop = std::min<std::uint64_t>(end, row->end);
      for (std::uint64_t entry = std::max<std::uint64_t>(begin, row->begin); entry < stop;
           ++entry) {
        deleted.push_back(static_cast<std::uint32_t>(entry));
      }
    }
  }
  return decoder.ok();
}

}  // namespace

void EncodeFacts(const PartFacts& facts, std::vector<std::uint8_t>& bytes) {
  struct Run {
    std::uint32_t begin, end;
  };
  std::vector<Run> runs;
  for (const std::uint32_t entry : facts.deleted) {
    if (!runs.empty() && runs.back().end == entry) {
      ++runs.back().end;
    } else {
      runs.push_back({entry, entry + 1});
    }
  }
  PutVarint(bytes, runs.size());
  std::uint32_t end = 0;
  for (const Run& run : runs) {
    PutVarint(bytes, run.begin - end);
    PutVarint(bytes, run.end - run.begin - 1);
    end = run.end;
  }
  Writer versions(bytes, facts.versions.size());
  for (const PartFacts::Version& version : facts.versions) {
    versions.Entry(version.entry);
    versions.Number(version.entry - version.origin);
  }
  Writer expiries(bytes, facts.expiries.size());
  for (const PartFacts::Expiry& expiry : facts.expiries) {
    expiries.Entry(expiry.entry);
    expiries.Time(expiry.at);
  }
  Writer strengths(bytes, facts.strengths.size());
  for (const PartFacts::Strength& strength : facts.strengths) {
    strengths.Entry(strength.entry);
    strengths.Number(strength.recalls);
    strengths.Time(strength.last);
  }
}

Status DecodeFacts(std::span<const std::uint8_t> bytes, std::uint32_t next_entry,
                   std::span<const Interval32> rows, PartFacts& facts) {
  Status bad(ErrorCode::kCorruption, "facts of a part can't be read");
  Decoder decoder(bytes);
  facts = PartFacts();
  facts.next_entry = next_entry;
  if (!DecodeDeleted(decoder, next_entry, rows, facts.deleted)) return bad;
  Reader versions(decoder, next_entry);
  for (std::uint32_t i = 0, count = versions.count(); i < count && versions.ok(); ++i) {
    const std::uint32_t entry = versions.Entry();
    const std::uint32_t back = versions.Number();
    if (back == 0 || back > entry) return bad;
    facts.versions.push_back({entry, entry - back});
  }
  if (!versions.ok()) return bad;
  Reader expiries(decoder, next_entry);
  for (std::uint32_t i = 0, count = expiries.count(); i < count && expiries.ok(); ++i) {
    const std::uint32_t entry = expiries.Entry();
    facts.expiries.push_back({entry, expiries.Time()});
  }
  if (!expiries.ok()) return bad;
  Reader strengths(decoder, next_entry);
  for (std::uint32_t i = 0, count = strengths.count(); i < count && strengths.ok(); ++i) {
    const std::uint32_t entry = strengths.Entry();
    const std::uint32_t recalls = strengths.Number();
    facts.strengths.push_back({entry, recalls, strengths.Time()});
  }
  if (!strengths.ok() || decoder.remaining() != 0) return bad;
  return Status::Ok();
}

}  // namespace dentate::bank
