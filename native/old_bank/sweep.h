// The entries of a snapshot that hold a code: one ascending sweep over the signature stream.

#ifndef DENTATE_OLD_BANK_SWEEP_H_
#define DENTATE_OLD_BANK_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "old_bank/bank.h"

namespace dentate::old_bank {

// Calls visit(entry) for each occurrence of `code` in the first `size` entries, in ascending order:
// an entry that holds the code twice may be visited twice. `positions` is working memory.
// REQUIRES: 0 < size <= an entry_count() this thread has seen.
template <typename Visit>
void SweepCode(const Bank& bank, std::uint32_t code, std::uint32_t size,
               std::span<std::uint32_t> positions, Visit visit) {
  // The stream need not be asked about a code of one entry. A snapshot that has a second one has
  // its count too: it was stored before the snapshot's size.
  const std::uint32_t holders = bank.dictionary().EntriesWith(code);
  if (holders == 0) return;
  if (holders == 1) {
    const std::uint32_t entry = bank.dictionary().FirstEntryWith(code);
    if (entry < size) visit(entry);
    return;
  }
  const EntryTable& entries = bank.entries();
  const std::uint32_t code_end = entries.row(size - 1).code_end;
  const std::uint32_t symbol = Bank::CodeSymbol(code);
  std::uint32_t entry = 0;
  for (std::uint32_t from = 0;;) {
    const std::size_t count = bank.codes().Occurrences(symbol, from, positions);
    for (const std::uint32_t position : positions.first(count)) {
      if (position >= code_end) return;  // appended since the snapshot
      const std::uint32_t found = entries.EntryOfCode(position, entry, size);
      if (found == EntryTable::kNone) continue;  // a gap
      entry = found;
      visit(entry);
    }
    if (count < positions.size()) return;
    from += static_cast<std::uint32_t>(count);
  }
}

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_SWEEP_H_
