// How a bank changes: appends, deletions, touches, and the records of them.

#include <algorithm>
#include <new>
#include <utility>

#include "bank/bank.h"
#include "bank/lease.h"
#include "bank/live_part.h"
#include "bank/record.h"

namespace dentate::bank {
namespace {

Status NoMemory() { return Status(ErrorCode::kOutOfMemory, "not enough memory for the change"); }

Status NotNext() {
  return Status(ErrorCode::kCorruption, "a log record is not the one that follows");
}

std::vector<BankFacts::NewEntry> NewEntriesOf(const AppendRecord& record) {
  std::vector<BankFacts::NewEntry> entries(record.sessions.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = {record.origins[i], record.expires[i], record.sessions[i] == kNone};
  }
  return entries;
}

LivePart::Demand DemandOf(const Batch& batch) {
  return {batch.tokens.size(),
          batch.code_tokens.size(),
          batch.sessions.size(),
          batch.extras.size(),
          batch.words.stems.size(),
          batch.words.pieces.size() + batch.speaker_words.pieces.size() +
              batch.speaker_words.stems.size()};
}

LivePart::Demand DemandOf(const AppendRecord& record) {
  return {record.tokens.size(),
          record.codes.size(),
          record.sessions.size(),
          record.extras.size(),
          record.new_words.stems.size(),
          record.new_words.pieces.size() + record.speaker_words.pieces.size() +
              record.speaker_words.stems.size()};
}

std::vector<std::uint32_t> SortedUnique(std::span<const std::uint32_t> entries) {
  std::vector<std::uint32_t> sorted(entries.begin(), entries.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

}  // namespace

// What an append allocates beside the live part.
void Bank::PrepareShared(std::span<const BankFacts::NewEntry> entries) {
  const std::lock_guard lock(mutex_);
  NameParts();
  facts_.PrepareAppend(next_entry(), entries);
}

void Bank::PublishShared(std::span<const BankFacts::NewEntry> entries) noexcept {
  const std::lock_guard lock(mutex_);
  facts_.Append(next_entry(), entries);
  next_entry_.fetch_add(static_cast<std::uint32_t>(entries.size()), std::memory_order_release);
  Changed();
}

// A version of a version is one of the first. The log says so outright: whoever replays it may have
// forgotten the one between.
void Bank::ResolveOrigins(std::span<const std::uint32_t> origins,
                          std::vector<std::uint32_t>& resolved) const {
  resolved.assign(origins.begin(), origins.end());
  const std::uint32_t first = next_entry();
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    std::uint32_t& origin = resolved[i];
    if (origin == kNone) continue;
    if (origin < first) {
      origin = facts_.OriginOf(origin);
    } else if (origin - first < i && resolved[origin - first] != kNone) {
      origin = resolved[origin - first];
    }
  }
}

Status Bank::AppendKept(const Batch& batch, const Sink& sink) {
  if (batch.sessions.size() >= kNone - next_entry()) {
    return Status(ErrorCode::kOutOfMemory, "the bank has given all its numbers");
  }
  LivePart& live = Live();
  if (Status room = live.CheckRoom(DemandOf(batch)); !room.ok()) return room;
  const Lease<AppendScratch> lease;
  AppendScratch& scratch = *lease;
  AppendRecord record;
  live.Resolve(batch, scratch, record);
  record.first_entry = next_entry();
  ResolveOrigins(batch.origins, scratch.record.origins);
  record.origins = scratch.record.origins;
  if (Status shape = CheckShape(record, settings_.signature_words); !shape.ok()) return shape;
  const std::vector<BankFacts::NewEntry> entries = NewEntriesOf(record);
  EncodeAppend(record, settings_.signature_words, scratch.group);
  live.Prepare(record, scratch);
  PrepareShared(entries);
  Status logged;
  try {
    logged = sink(scratch.group);
  } catch (const std::bad_alloc&) {
    logged = NoMemory();
  }
  if (!logged.ok()) {
    const std::lock_guard lock(mutex_);
    facts_.GiveUpAppend(next_entry(), entries);
    return logged;
  }
  live.Publish(record, scratch);
  PublishShared(entries);
  return Status::Ok();
}

Status Bank::DeleteExactly(std::span<const std::uint32_t> entries, const Sink& sink) {
  if (entries.empty()) return Status::Ok();
  std::vector<std::uint8_t> group;
  EncodeEntries(RecordKind::kDelete, 0, entries, group);
  {
    const std::lock_guard lock(mutex_);
    facts_.PrepareDelete(entries.size());
  }
  if (Status logged = sink(group); !logged.ok()) return logged;
  const std::lock_guard lock(mutex_);
  facts_.Delete(entries);
  Changed();
  return Status::Ok();
}

Status Bank::Delete(std::span<const std::uint32_t> entries, const Sink& sink,
                    std::uint32_t& deleted) {
  deleted = 0;
  try {
    std::vector<std::uint32_t> versions;
    std::uint32_t turns = 0;
    {
      const std::lock_guard lock(mutex_);
      std::vector<std::uint32_t> origins;
      for (const std::uint32_t entry : entries) origins.push_back(facts_.OriginOf(entry));
      for (const std::uint32_t origin : SortedUnique(origins)) {
        const std::vector<std::uint32_t> living = facts_.VersionsOf(origin);
        if (!living.empty()) ++turns;
        versions.insert(versions.end(), living.begin(), living.end());
      }
    }
    Status status = DeleteExactly(SortedUnique(versions), sink);
    if (status.ok()) deleted = turns;
    return status;
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

Status Bank::DeleteVersions(std::span<const std::uint32_t> entries, const Sink& sink,
                            std::uint32_t& deleted) {
  deleted = 0;
  try {
    std::vector<std::uint32_t> living = SortedUnique(entries);
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(living, [this](std::uint32_t entry) { return !facts_.IsLiving(entry); });
    }
    Status status = DeleteExactly(living, sink);
    if (status.ok()) deleted = static_cast<std::uint32_t>(living.size());
    return status;
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

Status Bank::Touch(std::span<const std::uint32_t> entries, std::int64_t now, const Sink& sink) {
  try {
    std::vector<std::uint32_t> living = SortedUnique(entries);
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(living, [this](std::uint32_t entry) { return !facts_.IsLiving(entry); });
      facts_.PrepareTouch(living);
    }
    if (living.empty()) return Status::Ok();
    std::vector<std::uint8_t> group;
    EncodeEntries(RecordKind::kTouch, now, living, group);
    if (Status logged = sink(group); !logged.ok()) return logged;
    const std::lock_guard lock(mutex_);
    facts_.Touch(living, now);
    return Status::Ok();
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

Status Bank::ApplyAppend(std::span<const std::uint8_t> bytes) {
  const Lease<AppendScratch> lease;
  AppendScratch& scratch = *lease;
  AppendRecord record;
  if (Status decoded = DecodeAppend(bytes, settings_.signature_words, scratch.record, record);
      !decoded.ok()) {
    return decoded;
  }
  if (record.first_entry != next_entry()) return NotNext();
  // The writer has begun a new part here.
  if (record.first_code == 0 && record.first_session == 0 && record.first_speaker == 0 &&
      live_ != nullptr && live_->logged_sessions() > 0) {
    EndLivePart();
  }
  LivePart& live = Live();
  if (Status room = live.CheckRoom(DemandOf(record)); !room.ok()) return room;
  if (Status adopted = live.Adopt(record, scratch); !adopted.ok()) return adopted;
  const std::vector<BankFacts::NewEntry> entries = NewEntriesOf(record);
  live.Prepare(record, scratch);
  PrepareShared(entries);
  live.Publish(record, scratch);
  PublishShared(entries);
  return Status::Ok();
}

Status Bank::ApplyEntries(std::span<const std::uint8_t> bytes) {
  RecordKind kind{};
  std::int64_t time = 0;
  std::vector<std::uint32_t> entries;
  if (Status decoded = DecodeEntries(bytes, kind, time, entries); !decoded.ok()) return decoded;
  if (entries.back() >= next_entry()) return NotNext();
  const std::lock_guard lock(mutex_);
  if (kind == RecordKind::kTouch) {
    facts_.PrepareTouch(entries);
    facts_.Touch(entries, time);
    return Status::Ok();
  }
  facts_.PrepareDelete(entries.size());
  facts_.Delete(entries);
  Changed();
  return Status::Ok();
}

Status Bank::RecordChunks(const BankChunks::Plan& plan, const Sink& sink) {
  try {
    {
      // A chunk of what was deleted since it was planned must not outlive a purge.
      const std::lock_guard lock(mutex_);
      const bool lives =
          std::all_of(plan.record.pieces.begin(), plan.record.pieces.end(),
                      [this](const ChunkPiece& piece) { return facts_.IsCurrent(piece.entry); });
      if (!lives) return Status::Ok();
    }
    return chunks_.Commit(plan, [&](const ChunkRows& rows) {
      std::vector<std::uint8_t> record;
      EncodeChunkRecord(rows, record);
      return sink(record);
    });
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

Status Bank::ApplyChunks(std::span<const std::uint8_t> bytes) {
  ChunkRows rows;
  if (Status decoded = DecodeChunkRecord(bytes, rows); !decoded.ok()) return decoded;
  const bool known = std::all_of(rows.pieces.begin(), rows.pieces.end(),
                                 [&](const auto& piece) { return piece.entry < next_entry(); });
  return known ? chunks_.Apply(std::move(rows)) : NotNext();
}

Status Bank::ApplyRecord(std::span<const std::uint8_t> record) {
  try {
    RecordKind kind{};
    if (Status head = DecodeKind(record, kind); !head.ok()) return head;
    if (kind == RecordKind::kAppend) return ApplyAppend(record);
    return kind == RecordKind::kChunks ? ApplyChunks(record) : ApplyEntries(record);
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

}  // namespace dentate::bank
