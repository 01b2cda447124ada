#include "bank/select.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace dentate::bank {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

// visit(part index, entry, number in the part), ascending, for what is in both the mask and a part.
template <typename Visit>
void ForEach(const Snapshot& snapshot, const EntryMask& mask, const Visit& visit) {
  const auto words = mask.words();
  for (std::size_t p = 0; p < snapshot.parts.size(); ++p) {
    const PlacedPart& placed = snapshot.parts[p];
    const std::uint32_t end = std::min(placed.first_entry + placed.size, mask.size());
    for (std::uint32_t i = placed.first_entry; i < end;) {
      const std::uint64_t rest = words[i / 64] >> i % 64;
      i = rest == 0 ? (i / 64 + 1) * 64 : i + static_cast<std::uint32_t>(std::countr_zero(rest));
      if (i >= end) break;
      if (rest != 0) visit(p, i, i - placed.first_entry), ++i;
    }
  }
}

// Which local numbers of a part stand for one of the names.
class NamesWanted {
 public:
  NamesWanted(const NameChains& chains, const std::optional<std::vector<std::string>>& names)
      : chains_(chains), any_(!names) {
    if (any_) return;
    for (const std::string& name : *names) {
      const std::uint32_t number = chains.table().Find(name);
      if (number != kNone) numbers_.push_back(number);
    }
  }

  void BeginPart(std::uint32_t part) {
    locals_.clear();
    for (const std::uint32_t number : numbers_) {
      const std::uint32_t local = chains_.LocalIn(part, number);
      if (local != kNone) locals_.push_back(local);
    }
    std::sort(locals_.begin(), locals_.end());
  }

  bool Holds(std::uint32_t local) const {
    return any_ || std::binary_search(locals_.begin(), locals_.end(), local);
  }

 private:
  const NameChains& chains_;
  const bool any_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> locals_;
};

EntryMask SelectRows(const Snapshot& snapshot, const EntryMask& among, const Selection& selection) {
  EntryMask selected(snapshot.entry_count, false);
  if (snapshot.parts.empty()) return selected;
  NamesWanted sessions(snapshot.names->sessions, selection.sessions);
  NamesWanted speakers(snapshot.names->speakers, selection.speakers);
  std::size_t part = snapshot.parts.size();
  ForEach(snapshot, among, [&](std::size_t p, std::uint32_t entry, std::uint32_t local) {
    if (p != part) {
      part = p;
      sessions.BeginPart(static_cast<std::uint32_t>(p));
      speakers.BeginPart(static_cast<std::uint32_t>(p));
    }
    const EntryRow row = snapshot.parts[p].part->Row(local);
    if (selection.roles && (*selection.roles >> row.role & 1) == 0) return;
    if (selection.at && !selection.at->Holds(row.at)) return;
    if (selection.ingested && !selection.ingested->Holds(row.ingested)) return;
    if (sessions.Holds(row.session) && speakers.Holds(row.speaker)) selected.Set(entry);
  });
  return selected;
}

// The entries of `among` that are versions of these.
EntryMask SelectOrigins(const Bank& bank, const EntryMask& among,
                        std::span<const std::uint32_t> origins) {
  EntryMask selected(among.size(), false);
  for (const std::uint32_t origin : origins) {
    if (origin >= among.size() || bank.OriginOf(origin) != origin) continue;
    for (const std::uint32_t version : bank.Versions(origin)) {
      if (version < among.size() && among[version]) selected.Set(version);
    }
  }
  return selected;
}

}  // namespace

EntryMask Select(const Snapshot& snapshot, const Bank& bank, const Selection& selection) {
  if (!selection.origins) {
    return selection.of_rows() ? SelectRows(snapshot, snapshot.current, selection)
                               : snapshot.current;
  }
  EntryMask selected = SelectOrigins(bank, snapshot.current, *selection.origins);
  return selection.of_rows() ? SelectRows(snapshot, selected, selection) : selected;
}

std::vector<std::uint32_t> Latest(const Snapshot& snapshot, const EntryMask& among,
                                  std::size_t limit) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> entries;
  ForEach(snapshot, among, [&](std::size_t p, std::uint32_t entry, std::uint32_t local) {
    entries.emplace_back(snapshot.parts[p].part->Row(local).at, entry);
  });
  const std::size_t count = std::min(limit, entries.size());
  const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(entries.begin(), middle, entries.end(), std::greater<>());
  std::vector<std::uint32_t> latest;
  latest.reserve(count);
  std::transform(entries.begin(), middle, std::back_inserter(latest),
                 [](const auto& entry) { return entry.second; });
  return latest;
}

std::vector<DayRun> DayRuns(const Snapshot& snapshot) {
  std::vector<DayRun> runs;
  ForEach(snapshot, snapshot.current, [&](std::size_t p, std::uint32_t entry, std::uint32_t local) {
    const std::int64_t at = snapshot.parts[p].part->Row(local).at;
    const auto day = static_cast<std::int32_t>((at - (at < 0 ? kDayMs - 1 : 0)) / kDayMs);
    if (!runs.empty() && runs.back().day == day) {
      runs.back().end = entry + 1;
    } else {
      runs.push_back({day, entry, entry + 1});
    }
  });
  return runs;
}

std::uint32_t CountSessions(const Snapshot& snapshot) {
  std::vector<bool> seen;
  std::uint32_t count = 0;
  ForEach(snapshot, snapshot.current, [&](std::size_t p, std::uint32_t, std::uint32_t local) {
    const std::uint32_t session = snapshot.names->sessions.NumberOf(
        static_cast<std::uint32_t>(p), snapshot.parts[p].part->Row(local).session);
    if (session >= seen.size()) seen.resize(std::max<std::size_t>(session + 1, 2 * seen.size()));
    if (!seen[session]) {
      seen[session] = true;
      ++count;
    }
  });
  return count;
}

std::vector<SessionSize> ListSessions(const Snapshot& snapshot) {
  std::vector<SessionSize> sizes;
  std::vector<std::uint32_t> places;  // by session: one more than its index in `sizes`
  ForEach(snapshot, snapshot.current, [&](std::size_t p, std::uint32_t, std::uint32_t local) {
    const Part& part = *snapshot.parts[p].part;
    const EntryRow row = part.Row(local);
    const std::uint32_t session =
        snapshot.names->sessions.NumberOf(static_cast<std::uint32_t>(p), row.session);
    if (session >= places.size())
      places.resize(std::max<std::size_t>(session + 1, 2 * places.size()));
    if (places[session] == 0) {
      sizes.push_back({session, 0, 0, row.at, row.at});
      places[session] = static_cast<std::uint32_t>(sizes.size());
    }
    SessionSize& size = sizes[places[session] - 1];
    ++size.entries;
    size.tokens += part.TokenSpan(local).size();
    size.first = std::min(size.first, row.at);
    size.last = std::max(size.last, row.at);
  });
  return sizes;
}

}  // namespace dentate::bank
