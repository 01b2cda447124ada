#include "bank/entry_table.h"

#include <algorithm>
#include <utility>

namespace dentate::bank {

void EntryTable::Prepare(std::span<Row> rows, std::size_t extras_bytes) {
  if (rows.empty()) return;
  std::size_t sessions = session_ends_.size();
  for (const Row& row : rows) {
    if (row.session != kNone) sessions = std::max<std::size_t>(sessions, row.session + 1);
  }
  const std::size_t first = rows_.size();
  rows_.Reserve(first + rows.size());
  next_.Reserve(first + rows.size());
  extras_.Reserve(extras_.size() + extras_bytes);
  block_entries_.Reserve(rows.back().code_end / kCodesPerBlock + 1);
  session_ends_.Reserve(sessions);
  while (session_ends_.size() < sessions) session_ends_.push_back({Cell(kNone), Cell(kNone)});

  if (newest_.size() < sessions) newest_.resize(sessions, kNone);

  // The links within the batch need the session's newest entry as the batch goes on: it is put back
  // afterwards, since the batch may yet be refused.
  const auto extras_begin = static_cast<std::uint32_t>(extras_.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    const auto entry = static_cast<std::uint32_t>(first + i);
    row.extras_end += extras_begin;
    row.previous = kNone;
    row.run_begin = entry;
    if (row.session == kNone) continue;
    row.previous = std::exchange(newest_[row.session], entry);
    if (row.previous != kNone && row.previous + 1 == entry) {
      row.run_begin = i > 0 ? rows[i - 1].run_begin : rows_[row.previous].run_begin;
    }
  }
  for (std::size_t i = rows.size(); i-- > 0;) {
    if (rows[i].session != kNone) newest_[rows[i].session] = rows[i].previous;
  }
}

void EntryTable::Publish(std::span<const Row> rows, std::span<const std::uint8_t> extras) noexcept {
  extras_.Append(extras);
  const std::size_t first = rows_.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto entry = static_cast<std::uint32_t>(first + i);
    const Row& row = rows[i];
    next_.push_back(Cell(kNone));
    if (row.previous != kNone) next_.Mutable(row.previous).Set(entry);
    if (row.session != kNone) {
      SessionEnds& ends = session_ends_.Mutable(row.session);
      if (ends.first.Get() == kNone) ends.first.Set(entry);
      ends.last.Set(entry);
      newest_[row.session] = entry;
    }
    while (block_entries_.size() * kCodesPerBlock < row.code_end) block_entries_.push_back(entry);
  }
  rows_.Append(rows);
}

std::uint32_t EntryTable::LastOfSession(std::uint32_t session, std::uint32_t size) const noexcept {
  if (session >= session_ends_.size()) return kNone;
  std::uint32_t entry = session_ends_[session].last.Get();
  // What the writer added since: its rows are there, since `last` was set after they were written,
  // but a reader may not see them yet. Their links back start at a row that it does see.
  if (entry == kNone || entry < size) return entry;
  entry = session_ends_[session].first.Get();
  if (entry >= size) return kNone;
  for (std::uint32_t following; (following = next(entry, size)) != kNone;) entry = following;
  return entry;
}

std::uint32_t EntryTable::EntryOfCode(std::uint32_t position, std::uint32_t from,
                                      std::uint32_t size) const noexcept {
  std::uint32_t entry = std::max(from, block_entries_[position / kCodesPerBlock]);
  while (entry < size && rows_[entry].code_end <= position) ++entry;
  return entry < size && rows_[entry].code_begin <= position ? entry : kNone;
}

void EntryTable::CopyExtras(std::uint32_t entry, std::vector<std::uint8_t>& out) const {
  const std::uint32_t end = rows_[entry].extras_end;
  for (std::uint32_t at = entry == 0 ? 0 : rows_[entry - 1].extras_end; at < end;) {
    const auto run = extras_.Run(at, end);
    out.insert(out.end(), run.begin(), run.end());
    at += static_cast<std::uint32_t>(run.size());
  }
}

std::size_t EntryTable::SizeInBytes() const noexcept {
  return rows_.SizeInBytes() + next_.SizeInBytes() + session_ends_.SizeInBytes() +
         block_entries_.SizeInBytes() + extras_.SizeInBytes() +
         newest_.capacity() * sizeof(std::uint32_t);
}

}  // namespace dentate::bank
