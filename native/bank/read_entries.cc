#include "bank/read_entries.h"

#include <algorithm>
#include <limits>
#include <new>

namespace dentate::bank {
namespace {

// Where an entry lies; `part` is null where the snapshot has no row for it.
struct Where {
  const Part* part;
  std::size_t index;  // of the part
  std::uint32_t local;
};

Where Find(const Snapshot& snapshot, std::uint32_t entry) {
  const std::size_t index = snapshot.PartOf(entry);
  if (index == snapshot.parts.size()) return {nullptr, index, 0};
  const PlacedPart& placed = snapshot.parts[index];
  return {placed.part.get(), index, entry - placed.first_entry};
}

// The end of what was appended, as the next offset.
template <typename Values>
std::uint32_t EndOf(const Values& values) {
  if (values.size() > UINT32_MAX) throw std::bad_alloc();
  return static_cast<std::uint32_t>(values.size());
}

// The index of a bank-wide number's name among those met so far. Few, since entries are read in
// small batches.
class Distinct {
 public:
  Distinct(const NameTable& table, std::vector<std::string_view>& names)
      : table_(table), names_(names) {}

  std::uint32_t IndexOf(std::uint32_t number) {
    if (number == kNone) return kNone;
    const auto found = std::find(numbers_.begin(), numbers_.end(), number);
    if (found != numbers_.end()) return static_cast<std::uint32_t>(found - numbers_.begin());
    numbers_.push_back(number);
    names_.push_back(table_.Name(number));
    return static_cast<std::uint32_t>(numbers_.size() - 1);
  }

 private:
  const NameTable& table_;
  std::vector<std::string_view>& names_;
  std::vector<std::uint32_t> numbers_;
};

double AsDouble(std::int64_t time) {
  return time == kNever ? std::numeric_limits<double>::infinity() : static_cast<double>(time);
}

void AppendTokens(const Where& where, std::vector<std::uint32_t>& tokens,
                  std::vector<std::uint32_t>& spans) {
  const Interval32 span = where.part->TokenSpan(where.local);
  const std::size_t at = tokens.size();
  tokens.resize(at + span.size());
  where.part->Tokens(span.begin, span.end, tokens.data() + at);
  spans.push_back(span.begin);
  spans.push_back(span.end);
}

}  // namespace

EntryColumns ReadEntries(const Snapshot& snapshot, const Bank& bank,
                         std::span<const std::uint32_t> entries) {
  EntryColumns columns;
  columns.token_offsets.push_back(0);
  columns.extras_offsets.push_back(0);
  if (snapshot.names == nullptr) return columns;
  Distinct sessions(snapshot.names->sessions.table(), columns.session_names);
  Distinct speakers(snapshot.names->speakers.table(), columns.speaker_names);
  for (const std::uint32_t entry : entries) {
    const Where where = Find(snapshot, entry);
    EntryRow row;
    if (where.part != nullptr) {
      row = where.part->Row(where.local);
      AppendTokens(where, columns.tokens, columns.spans);
      where.part->AppendExtras(where.local, columns.extras);
    } else {
      columns.spans.insert(columns.spans.end(), 2, 0);
    }
    columns.token_offsets.push_back(EndOf(columns.tokens));
    columns.extras_offsets.push_back(EndOf(columns.extras));
    columns.roles.push_back(row.role);
    columns.at.push_back(static_cast<double>(row.at));
    columns.ingested.push_back(static_cast<double>(row.ingested));
    columns.expires.push_back(AsDouble(bank.ExpiresAt(entry)));
    columns.origins.push_back(bank.OriginOf(entry));
    columns.sessions.push_back(sessions.IndexOf(snapshot.SessionOf(entry)));
    columns.speakers.push_back(speakers.IndexOf(snapshot.SpeakerOf(entry)));
  }
  return columns;
}

ExtrasColumn ReadExtras(const Snapshot& snapshot, std::span<const std::uint32_t> entries) {
  ExtrasColumn column;
  column.offsets.push_back(0);
  for (const std::uint32_t entry : entries) {
    const Where where = Find(snapshot, entry);
    if (where.part != nullptr) where.part->AppendExtras(where.local, column.bytes);
    column.offsets.push_back(EndOf(column.bytes));
  }
  return column;
}

std::vector<std::uint32_t> TokenCounts(const Snapshot& snapshot,
                                       std::span<const std::uint32_t> entries) {
  std::vector<std::uint32_t> counts;
  counts.reserve(entries.size());
  for (const std::uint32_t entry : entries) {
    const Where where = Find(snapshot, entry);
    counts.push_back(where.part == nullptr ? 0 : where.part->TokenSpan(where.local).size());
  }
  return counts;
}

std::vector<double> EventTimes(const Snapshot& snapshot, std::span<const std::uint32_t> entries) {
  std::vector<double> times;
  times.reserve(entries.size());
  for (const std::uint32_t entry : entries) {
    const Where where = Find(snapshot, entry);
    times.push_back(where.part == nullptr ? 0
                                          : static_cast<double>(where.part->Row(where.local).at));
  }
  return times;
}

std::uint64_t CountTokens(const Snapshot& snapshot) {
  std::uint64_t count = 0;
  for (const PlacedPart& placed : snapshot.parts) {
    for (std::uint32_t local = 0; local < placed.size; ++local) {
      if (snapshot.current[placed.first_entry + local]) {
        count += placed.part->TokenSpan(local).size();
      }
    }
  }
  return count;
}

std::vector<std::uint32_t> CurrentVersions(const Snapshot& snapshot, const Bank& bank,
                                           std::span<const std::uint32_t> origins) {
  std::vector<std::uint32_t> versions;
  versions.reserve(origins.size());
  for (const std::uint32_t origin : origins) {
    // The bank may have newer ones than the snapshot by now.
    std::uint32_t newest = kNone;
    if (origin < snapshot.entry_count && bank.OriginOf(origin) == origin) {
      for (const std::uint32_t version : bank.Versions(origin)) {
        if (version < snapshot.entry_count && snapshot.current[version]) newest = version;
      }
    }
    versions.push_back(newest);
  }
  return versions;
}

}  // namespace dentate::bank
