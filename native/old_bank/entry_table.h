// The entries of a bank: one row each, in the order they were added.
//
//   row   offset  size  field
//              0     4  token_begin     the entry's span in the content stream ...
//              4     4  token_end
//              8     4  code_begin      ... and in the signature stream
//             12     4  code_end
//             16     4  session
//             20     4  previous        the session's entry before this one, or kNone
//             24     8  metadata_end    the entry's metadata ends here; it begins where the row
//                                       before ends
//
// Beside the rows:
//
//   next_              the session's following entry or kNone, which the writer sets later
//   run_begins_        the first of the consecutive entries up to this one that are of one session
//   speakers_          the speaker's ordinal, or kNone
//   metadata_          bytes, back to back
//   first_of_session_
//   block_entries_     the first entry whose codes end behind position 64 * b, from which the entry
//                      of a code is at most a few rows away
//
// Spans may have gaps between them: symbols that an append wrote before it failed belong to no
// entry (bank.h says why), so EntryOfCode may find none.
//
// Threads. One writer. Publish makes entries visible all at once, by the size of rows_, with
// release. A reader takes size() once: its snapshot. It skips links that lead past the snapshot,
// for the writer may have set them since.
//
// Space: 44 bytes an entry, its metadata, and 4 bytes for each 64 codes.

#ifndef DENTATE_OLD_BANK_ENTRY_TABLE_H_
#define DENTATE_OLD_BANK_ENTRY_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "old_bank/cell.h"
#include "core/append_vector.h"

namespace dentate::old_bank {

class EntryTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint32_t kMaxSessions = std::uint32_t{1} << 24;

  struct Row {
    std::uint32_t token_begin;
    std::uint32_t token_end;
    std::uint32_t code_begin;
    std::uint32_t code_end;
    std::uint32_t session;
    std::uint32_t previous;
    std::uint64_t metadata_end;
  };
  static_assert(sizeof(Row) == 32, "the diagram above says 32");

  // Allocates what Publish needs for these entries, and links `rows[i].previous`. Of the rows
  // everything else is set, metadata_end counted from the first byte of this batch. When memory
  // runs out, std::bad_alloc is thrown and no reader sees a difference. Writer only.
  void Prepare(std::span<Row> rows, std::size_t metadata_bytes);

  // Makes prepared entries visible. Writer only.
  void Publish(std::span<const Row> rows, std::span<const std::uint32_t> speakers,
               std::span<const std::uint8_t> metadata) noexcept;

  // What follows is for any thread, for entries below a size() it has seen.
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(rows_.size()); }
  const Row& row(std::uint32_t entry) const noexcept { return rows_[entry]; }
  std::uint32_t previous(std::uint32_t entry) const noexcept { return rows_[entry].previous; }
  // The session's following entry within a snapshot of `size` entries, or kNone.
  std::uint32_t next(std::uint32_t entry, std::uint32_t size) const noexcept {
    const std::uint32_t next = next_[entry].Get();
    return next < size ? next : kNone;
  }

  // The entries [run_begin(entry), entry] are all of one session.
  std::uint32_t run_begin(std::uint32_t entry) const noexcept { return run_begins_[entry]; }
  // By entry; its runs go to a scan.
  const AppendVector<std::uint32_t, 32>& speakers() const noexcept { return speakers_; }

  // Sessions that have an entry are below this; some below it may have none.
  std::uint32_t session_limit() const noexcept {
    return static_cast<std::uint32_t>(first_of_session_.size());
  }
  // kNone where the session has no entry. Any session.
  std::uint32_t FirstOfSession(std::uint32_t session) const noexcept {
    return session < session_limit() ? first_of_session_[session].Get() : kNone;
  }

  // The entry whose codes include `position`, at or after entry `from`; kNone in a gap.
  // REQUIRES: position < code_end of an entry below `size`.
  std::uint32_t EntryOfCode(std::uint32_t position, std::uint32_t from,
                            std::uint32_t size) const noexcept;

  // Appends the entry's metadata to `out`.
  void CopyMetadata(std::uint32_t entry, std::vector<std::uint8_t>& out) const;
  std::size_t MetadataLength(std::uint32_t entry) const noexcept;

  std::size_t metadata_size() const noexcept { return metadata_.size(); }
  std::size_t SizeInBytes() const noexcept;
  std::size_t MetadataSizeInBytes() const noexcept { return metadata_.SizeInBytes(); }

 private:
  static constexpr std::uint32_t kCodesPerBlock = 64;

  AppendVector<Cell, 32> next_;
  AppendVector<std::uint32_t, 32> run_begins_;
  AppendVector<std::uint32_t, 32> speakers_;
  AppendVector<std::uint8_t, 1024> metadata_;
  AppendVector<Cell, 16> first_of_session_;
  AppendVector<std::uint32_t, 32> block_entries_;
  AppendVector<Row, 32> rows_;
  std::vector<std::uint32_t> last_of_session_;  // writer only
};

}  // namespace dentate::old_bank

#endif  // DENTATE_OLD_BANK_ENTRY_TABLE_H_
