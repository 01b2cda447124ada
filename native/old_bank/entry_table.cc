#include "old_bank/entry_table.h"

#include <algorithm>
#include <cassert>

namespace dentate::old_bank {

void EntryTable::Prepare(std::span<Row> rows, std::size_t metadata_bytes) {
  if (rows.empty()) return;
  std::uint32_t sessions = session_limit();
  for (const Row& row : rows) sessions = std::max(sessions, row.session + 1);
  const std::size_t first = rows_.size();
  rows_.Reserve(first + rows.size());
  next_.Reserve(first + rows.size());
  run_begins_.Reserve(first + rows.size());
  speakers_.Reserve(first + rows.size());
  metadata_.Reserve(metadata_.size() + metadata_bytes);
  block_entries_.Reserve(rows.back().code_end / kCodesPerBlock + 1);
  first_of_session_.Reserve(sessions);
  if (last_of_session_.size() < sessions) last_of_session_.resize(sessions, kNone);

  // The links within the batch need the session's newest entry as the batch goes on: it is put back
  // afterwards, since the batch may yet be refused.
  std::vector<std::uint32_t> before(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::uint32_t& last = last_of_session_[rows[i].session];
    before[i] = rows[i].previous = last;
    last = static_cast<std::uint32_t>(first + i);
    rows[i].metadata_end += metadata_.size();
  }
  for (std::size_t i = rows.size(); i-- > 0;) last_of_session_[rows[i].session] = before[i];
}

void EntryTable::Publish(std::span<const Row> rows, std::span<const std::uint32_t> speakers,
                         std::span<const std::uint8_t> metadata) noexcept {
  metadata_.Append(metadata);
  speakers_.Append(speakers);
  const std::size_t first = rows_.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto entry = static_cast<std::uint32_t>(first + i);
    const Row& row = rows[i];
    next_.push_back(Cell(kNone));
    if (row.previous != kNone) next_.Mutable(row.previous).Set(entry);
    const bool goes_on = row.previous != kNone && row.previous + 1 == entry;
    run_begins_.push_back(goes_on ? run_begins_[row.previous] : entry);
    while (first_of_session_.size() <= row.session) first_of_session_.push_back(Cell(kNone));
    Cell& head = first_of_session_.Mutable(row.session);
    if (head.Get() == kNone) head.Set(entry);
    last_of_session_[row.session] = entry;
    while (block_entries_.size() * kCodesPerBlock < row.code_end) block_entries_.push_back(entry);
  }
  rows_.Append(rows);
}

std::uint32_t EntryTable::EntryOfCode(std::uint32_t position, std::uint32_t from,
                                      std::uint32_t size) const noexcept {
  std::uint32_t entry = std::max(from, block_entries_[position / kCodesPerBlock]);
  while (entry < size && rows_[entry].code_end <= position) ++entry;
  return entry < size && rows_[entry].code_begin <= position ? entry : kNone;
}

std::size_t EntryTable::MetadataLength(std::uint32_t entry) const noexcept {
  const std::uint64_t begin = entry == 0 ? 0 : rows_[entry - 1].metadata_end;
  return static_cast<std::size_t>(rows_[entry].metadata_end - begin);
}

void EntryTable::CopyMetadata(std::uint32_t entry, std::vector<std::uint8_t>& out) const {
  const std::uint64_t end = rows_[entry].metadata_end;
  for (std::uint64_t at = end - MetadataLength(entry); at < end;) {
    const auto run = metadata_.Run(at, end);
    out.insert(out.end(), run.begin(), run.end());
    at += run.size();
  }
}

std::size_t EntryTable::SizeInBytes() const noexcept {
  return rows_.SizeInBytes() + next_.SizeInBytes() + run_begins_.SizeInBytes() +
         speakers_.SizeInBytes() + first_of_session_.SizeInBytes() + block_entries_.SizeInBytes() +
         last_of_session_.capacity() * sizeof(std::uint32_t);
}

}  // namespace dentate::old_bank
