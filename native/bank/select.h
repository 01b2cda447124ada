// Which of a snapshot's entries: by what their rows say.
//
// Cost. O(rows of the snapshot) for a condition on rows, a copy of n / 8 bytes for none.
//
// Threads. Any.

#ifndef DENTATE_BANK_SELECT_H_
#define DENTATE_BANK_SELECT_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bank/bank.h"
#include "bank/snapshot.h"

namespace dentate::bank {

// Half-open, Unix ms.
struct TimeSpan {
  std::int64_t begin = std::numeric_limits<std::int64_t>::min();
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  bool Holds(std::int64_t time) const noexcept { return begin <= time && time < end; }
};

// All that is given must hold.
struct Selection {
  std::optional<std::uint32_t> roles;  // bit i: role i
  std::optional<std::vector<std::string>> sessions;
  std::optional<std::vector<std::string>> speakers;
  std::optional<std::vector<std::uint32_t>> origins;  // numbers of first versions
  std::optional<TimeSpan> at;
  std::optional<TimeSpan> ingested;

  bool of_rows() const noexcept { return roles || sessions || speakers || at || ingested; }
};

// The current entries that are selected. `bank`: that of the snapshot.
EntryMask Select(const Snapshot& snapshot, const Bank& bank, const Selection& selection);

// The `limit` latest of `among` by their event time, latest first; of one moment, the last added
// comes first.
std::vector<std::uint32_t> Latest(const Snapshot& snapshot, const EntryMask& among,
                                  std::size_t limit);

// Current entries that follow each other and are of one UTC day. A run may hold others in between.
struct DayRun {
  std::int32_t day;  // since 1970-01-01
  std::uint32_t begin, end;
};
std::vector<DayRun> DayRuns(const Snapshot& snapshot);

// How many different sessions the current entries are of.
std::uint32_t CountSessions(const Snapshot& snapshot);

// What the current entries of one session come to.
struct SessionSize {
  std::uint32_t session = kNone;  // its bank-wide number
  std::uint32_t entries = 0;
  std::uint64_t tokens = 0;
  std::int64_t first = 0, last = 0;  // the earliest and the latest event time
};
// In the order of their first current entries.
std::vector<SessionSize> ListSessions(const Snapshot& snapshot);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_SELECT_H_
