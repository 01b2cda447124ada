// The entries of a live part: one row each, in the order they were added.
//
//   row   offset  size  field
//              0     8  at              event time, Unix ms
//              8     8  ingested        when it was added, Unix ms
//             16     4  token_begin     the entry's span in the content stream ...
//             20     4  token_end
//             24     4  code_begin      ... and in the signature stream
//             28     4  code_end
//             32     4  session         kNone: erased
//             36     4  previous        the session's entry before this one, or kNone
//             40     4  run_begin       the first of the consecutive entries up to this one that
//             are
//                                       of one session
//             44     4  speaker         or kNone
//             48     4  extras_end      the entry's extras end here; they begin where the row
//             before
//                                       ends
//             52     1  role
//             53     3  0
//
// Beside the rows:
//
//   next_              the session's following entry or kNone, which the writer sets later
//   extras_            bytes, back to back
//   session_ends_      by session: its first entry and its newest, or kNone
//   block_entries_     the first entry whose codes end behind position 64 * b, from which the entry
//                      of a code is at most a few rows away
//
// Spans may have gaps between them: symbols that an append wrote before it failed belong to no
// entry (live_part.h says why), so EntryOfCode may find none.
//
// Threads. One writer. Publish makes entries visible all at once, by the size of rows_, with
// release. A reader takes size() once: its snapshot. It skips links that lead past the snapshot,
// for the writer may have set them since.
//
// Space: 60 bytes an entry, its extras, 12 bytes a session and 4 for each 64 codes.

#ifndef DENTATE_BANK_ENTRY_TABLE_H_
#define DENTATE_BANK_ENTRY_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bank/batch.h"
#include "bank/cell.h"
#include "core/append_vector.h"

namespace dentate::bank {

class EntryTable {
 public:
  static constexpr std::uint64_t kMaxExtras = 0xffffffff;  // bytes, of all entries

  struct Row {
    std::int64_t at;
    std::int64_t ingested;
    std::uint32_t token_begin;
    std::uint32_t token_end;
    std::uint32_t code_begin;
    std::uint32_t code_end;
    std::uint32_t session;
    std::uint32_t previous;
    std::uint32_t run_begin;
    std::uint32_t speaker;
    std::uint32_t extras_end;
    std::uint8_t role;
    std::uint8_t zeros[3];
  };
  static_assert(sizeof(Row) == 56, "the drawing above says 56");

  // Allocates what Publish needs for these entries, and links `rows[i].previous` and `run_begin`.
  // Of the rows everything else is set, extras_end counted from the first byte of this batch. When
  // memory runs out, std::bad_alloc is thrown and no reader sees a difference. Writer only.
  void Prepare(std::span<Row> rows, std::size_t extras_bytes);

  // Makes prepared entries visible. Writer only.
  void Publish(std::span<const Row> rows, std::span<const std::uint8_t> extras) noexcept;

  // What follows is for any thread, for entries below a size() it has seen.
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(rows_.size()); }
  const Row& row(std::uint32_t entry) const noexcept { return rows_[entry]; }
  // The session's following entry within a snapshot of `size` entries, or kNone.
  std::uint32_t next(std::uint32_t entry, std::uint32_t size) const noexcept {
    const std::uint32_t next = next_[entry].Get();
    return next < size ? next : kNone;
  }

  // kNone where the session has no entry. Any session.
  std::uint32_t FirstOfSession(std::uint32_t session) const noexcept {
    return session < session_ends_.size() ? session_ends_[session].first.Get() : kNone;
  }
  // The last one below `size`.
  std::uint32_t LastOfSession(std::uint32_t session, std::uint32_t size) const noexcept;

  // The entry whose codes include `position`, at or after entry `from`; kNone in a gap.
  // REQUIRES: position < code_end of an entry below `size`.
  std::uint32_t EntryOfCode(std::uint32_t position, std::uint32_t from,
                            std::uint32_t size) const noexcept;

  // Appends the entry's extras to `out`.
  void CopyExtras(std::uint32_t entry, std::vector<std::uint8_t>& out) const;

  std::size_t extras_size() const noexcept { return extras_.size(); }
  std::size_t SizeInBytes() const noexcept;

 private:
  static constexpr std::uint32_t kCodesPerBlock = 64;

  struct SessionEnds {
    Cell first, last;
  };

  AppendVector32<Cell, 32> next_;
  AppendVector32<std::uint8_t, 1024> extras_;
  AppendVector32<SessionEnds, 8> session_ends_;
  AppendVector32<std::uint32_t, 32> block_entries_;
  AppendVector32<Row, 32> rows_;
  std::vector<std::uint32_t> newest_;  // by session: its last entry, for Prepare; writer only
};

}  // namespace dentate::bank

#endif  // DENTATE_BANK_ENTRY_TABLE_H_
