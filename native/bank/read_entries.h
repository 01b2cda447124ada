// Entries read back from a snapshot, as columns.
//
// Cost. That of the parts' Tokens and AppendExtras; a look-up an entry for the rest.
//
// Threads. Any.

#ifndef DENTATE_BANK_READ_ENTRIES_H_
#define DENTATE_BANK_READ_ENTRIES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bank/bank.h"
#include "bank/snapshot.h"

namespace dentate::bank {

// In the order asked for. A number that the snapshot has no row for reads as an erased entry.
struct EntryColumns {
  std::vector<std::uint32_t> tokens, token_offsets;  // n + 1 offsets
  std::vector<std::uint8_t> extras;
  std::vector<std::uint32_t> extras_offsets;
  std::vector<std::uint8_t> roles;
  std::vector<double> at, ingested, expires;  // Unix ms; infinity: never
  std::vector<std::uint32_t> origins;
  std::vector<std::uint32_t> spans;  // begin and end, in the part's content stream
  // Indices into the names, each of which is here once; kNone. The names live as long as the
  // snapshot.
  std::vector<std::uint32_t> sessions, speakers;
  std::vector<std::string_view> session_names, speaker_names;
};

// `bank`: that of the snapshot. std::bad_alloc, also for more than 2^32 - 1 tokens or extras.
EntryColumns ReadEntries(const Snapshot& snapshot, const Bank& bank,
                         std::span<const std::uint32_t> entries);

struct ExtrasColumn {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint32_t> offsets;
};
ExtrasColumn ReadExtras(const Snapshot& snapshot, std::span<const std::uint32_t> entries);

std::vector<std::uint32_t> TokenCounts(const Snapshot& snapshot,
                                       std::span<const std::uint32_t> entries);
std::vector<double> EventTimes(const Snapshot& snapshot, std::span<const std::uint32_t> entries);

// Of all current entries.
std::uint64_t CountTokens(const Snapshot& snapshot);

// The version that is current of what began as each; kNone where there is none.
std::vector<std::uint32_t> CurrentVersions(const Snapshot& snapshot, const Bank& bank,
                                           std::span<const std::uint32_t> origins);

}  // namespace dentate::bank

#endif  // DENTATE_BANK_READ_ENTRIES_H_
