#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "bank/facts.h"
#include "bank/part_builder.h"
#include "core/free_memory.h"
#include "store/disk_core.h"
#include "store/key_cursor.h"
#include "store/reader_core.h"

namespace dentate::store {
namespace {

// What has to become of a segment's rows.
struct RowChange {
  enum class Kind : std::uint8_t { kRemove, kRebuild, kChunks } kind;
  std::shared_ptr<const std::vector<std::uint32_t>> dead;   // of the bank, ascending; for kRebuild
  std::shared_ptr<const bank::ChunkRows> chunks = nullptr;  // that stay; for kChunks
};
using Changes = std::map<std::size_t, RowChange>;  // by row

bool Contains(const std::vector<std::uint32_t>& sorted, std::uint32_t entry) {
  return std::binary_search(sorted.begin(), sorted.end(), entry);
}

// How many rows with something in them are among `dead`.
std::uint64_t DeadRows(const bank::Part* part, const storage::BlobInfo& info,
                       const std::vector<std::uint32_t>& dead) {
  if (part == nullptr) return 0;
  std::uint64_t rows = 0;
  for (auto entry = std::lower_bound(dead.begin(), dead.end(), info.first_entry);
       entry != dead.end() && *entry - info.first_entry < info.entry_count; ++entry) {
    if (part->Row(*entry - info.first_entry).session != bank::kNone) ++rows;
  }
  return rows;
}

bool SaysSomethingOf(const bank::PartFacts& facts, const std::vector<std::uint32_t>& dead) {
  const auto of_dead = [&](const auto& fact) { return Contains(dead, fact.entry); };
  return std::any_of(facts.versions.begin(), facts.versions.end(), of_dead) ||
         std::any_of(facts.expiries.begin(), facts.expiries.end(), of_dead) ||
         std::any_of(facts.strengths.begin(), facts.strengths.end(), of_dead);
}

// The bank's living rows, all of which go.
Status CountRows(const View& view, const BlobPlace& row, std::uint64_t& entries) {
  std::shared_ptr<const bank::Part> part;
  bank::PartFacts facts;
  Status status = OpenPart(view.segments[row.segment], row.index, {}, part, facts);
  for (std::uint32_t i = 0; status.ok() && part != nullptr && i < part->entry_count(); ++i) {
    if (part->Row(i).session != bank::kNone) ++entries;
  }
  return status;
}

// Chunks die with any of their entries; their vectors say something of all.
Status ExamineChunks(const View& view, const BlobPlace& row,
                     std::span<const bank::Interval32> living,
                     const std::vector<std::uint32_t>& dead, std::vector<Changes>& changes) {
  bank::ChunkRows rows;
  Status status = ChunkSourceOf(view.segments[row.segment], row.index)->Read(rows);
  if (!status.ok()) return status;
  auto kept = std::make_shared<bank::ChunkRows>(
      bank::KeptChunks(rows, [&](std::span<const bank::ChunkPiece> pieces) {
        return HaveRows(living, pieces) &&
               std::none_of(pieces.begin(), pieces.end(), [&](const bank::ChunkPiece& piece) {
                 return Contains(dead, piece.entry);
               });
      }));
  if (kept->size() == rows.size()) return status;
  changes[row.segment].emplace(row.index,
                               RowChange{RowChange::Kind::kChunks, nullptr, std::move(kept)});
  return status;
}

// Which rows of one bank have to change, by segment.
Status Examine(const View& view, const std::string& name, const std::vector<BlobPlace>& rows,
               std::vector<Changes>& changes, std::uint64_t& entries) {
  const std::vector<BlobPlace> living = view.Blobs(name);
  const auto lives = [&](const BlobPlace& row) {
    if (row.info.chunks) {
      return !living.empty() && row.info.incarnation == living.back().info.incarnation;
    }
    return std::any_of(living.begin(), living.end(), [&](const BlobPlace& blob) {
      return blob.segment == row.segment && blob.index == row.index;
    });
  };
  for (const BlobPlace& row : rows) {
    if (lives(row)) continue;
    changes[row.segment].emplace(row.index, RowChange{RowChange::Kind::kRemove, nullptr, nullptr});
    if (row.info.dropped || row.info.chunks) continue;
    Status status = CountRows(view, row, entries);
    if (!status.ok()) return status;
  }
  std::vector<std::shared_ptr<const bank::Part>> parts(living.size());
  std::vector<bank::PartFacts> facts(living.size());
  const std::vector<bank::Interval32> all = RowsOf(living);
  std::set<std::uint32_t> deleted;
  for (std::size_t i = 0; i < living.size(); ++i) {
    Status status =
        OpenPart(view.segments[living[i].segment], living[i].index, all, parts[i], facts[i]);
    if (!status.ok()) return status;
    deleted.insert(facts[i].deleted.begin(), facts[i].deleted.end());
  }
  const auto dead =
      std::make_shared<const std::vector<std::uint32_t>>(deleted.begin(), deleted.end());
  for (const BlobPlace& row : rows) {
    if (!row.info.chunks || !lives(row)) continue;
    Status status = ExamineChunks(view, row, all, *dead, changes);
    if (!status.ok()) return status;
  }
  if (deleted.empty()) return Status::Ok();
  for (std::size_t i = 0; i < living.size(); ++i) {
    const std::uint64_t gone = DeadRows(parts[i].get(), living[i].info, *dead);
    entries += gone;
    if (gone > 0 || SaysSomethingOf(facts[i], *dead)) {
      changes[living[i].segment].emplace(living[i].index,
                                         RowChange{RowChange::Kind::kRebuild, dead, nullptr});
    }
  }
  return Status::Ok();
}

// The row without what is dead.
Status Rebuild(const std::shared_ptr<const storage::Segment>& segment, std::size_t index,
               const std::vector<std::uint32_t>& dead, std::size_t signature_words,
               const Cancelled& cancelled, bank::BuiltPart& built) {
  std::shared_ptr<const bank::Part> part;
  bank::PartFacts facts;
  // No deleted entries: they are all in `dead`.
  Status status = OpenPart(segment, index, {}, part, facts);
  if (!status.ok()) return status;
  const auto keep = [&](std::uint32_t entry) { return !Contains(dead, entry); };
  const bank::PartFacts kept = bank::WithoutRowless(facts, keep);
  std::vector<bank::PartSource> sources;
  if (part != nullptr) {
    const storage::BlobInfo info = segment->Info(index);
    sources.push_back({part.get(), info.first_entry, info.entry_count});
  }
  return bank::BuildPart(sources, keep, kept, signature_words, cancelled, built);
}

}  // namespace

Status DiskCore::Purge(const Cancelled& cancelled, PurgeReceipt& receipt) {
  receipt = {};
  // Deleting comes before the mutex: it writes to the log as everybody does.
  std::uint64_t unreachable = 0;
  Status status = CheckWritable();
  if (status.ok()) {
    status = DeleteUnreachable(*this, env_.NowMilliseconds(), cancelled, unreachable);
  }
  if (!status.ok()) return status;
  Status purged = InForeground([&] {
    const StoreStats before = Stats();
    const std::uint64_t erased_before = erased_;
    // What a seal under way began before those deletions, another one has to follow.
    Status done = SealTail(cancelled);
    if (done.ok()) done = SealTail(cancelled);
    receipt.entries = erased_ - erased_before;
    if (done.ok()) done = Rewrite(cancelled, receipt);
    if (done.ok() && manifest_unknown_) done = Swap(catalog_.view()->manifest, false);
    // Whoever purges wants to know if a file could not be removed.
    if (done.ok()) done = RemoveGarbage();
    if (!done.ok()) return done;
    const StoreStats after = Stats();
    if (after.file_bytes < before.file_bytes) {
      receipt.bytes_freed = before.file_bytes - after.file_bytes;
    }
    receipt.unreached = Readers();
    done = env_.SyncDirectory(directory_);  // so that no removed name comes back
    return done.ok() ? ForgetUnusedDataKeys() : done;
  });
  GiveBackFreeMemory();
  return purged;
}

Status DiskCore::Rewrite(const Cancelled& cancelled, PurgeReceipt& receipt) {
  const auto view = catalog_.view();
  std::vector<Changes> changes(view->segments.size());
  KeyCursor cursor(*view, 0, view->segments.size());
  std::string name;
  std::vector<BlobPlace> rows;
  while (cursor.Next(name, rows)) {
    if (cancelled && cancelled()) return {ErrorCode::kAborted, "the purge was aborted"};
    Status status = Examine(*view, name, rows, changes, receipt.entries);
    if (!status.ok()) return status;
  }

  storage::Manifest manifest = view->manifest;
  manifest.segments.clear();
  std::vector<std::pair<std::string, std::vector<Moved>>> rewritten;
  for (std::size_t i = 0; i < view->segments.size(); ++i) {
    const auto& segment = view->segments[i];
    if (changes[i].empty()) {
      manifest.segments.push_back(view->manifest.segments[i]);
      continue;
    }
    SegmentBuild build(env_, directory_, segment->first_sequence(), segment->last_sequence());
    std::vector<Moved> moved;
    for (std::size_t row = 0; row < segment->blob_count(); ++row) {
      if (cancelled && cancelled()) return {ErrorCode::kAborted, "the purge was aborted"};
      const auto change = changes[i].find(row);
      if (change != changes[i].end() && change->second.kind == RowChange::Kind::kRemove) continue;
      const storage::BlobInfo info = segment->Info(row);
      moved.push_back({info.key, info.incarnation, info.first_entry,
                       info.first_entry + info.entry_count, build.size(), !info.chunks});
      Status status;
      if (change == changes[i].end()) {
        status = build.Copy(*segment, row);
      } else if (info.chunks) {
        status = build.AddChunks(info.key, info.incarnation, *change->second.chunks);
      } else {
        bank::BuiltPart part;
        status =
            Rebuild(segment, row, *change->second.dead, options_.signature_words, cancelled, part);
        if (status.ok()) status = build.AddPart(info.key, info.incarnation, part);
      }
      if (!status.ok()) return status;
    }
    std::optional<storage::SegmentEntry> entry;
    Status status = build.Finish(entry);
    if (!status.ok()) return status;
    ++receipt.segments_rewritten;
    if (!entry) continue;
    manifest.segments.push_back(*entry);
    rewritten.emplace_back(entry->name, std::move(moved));
  }
  if (receipt.segments_rewritten == 0) return Status::Ok();
  Status status = Swap(std::move(manifest), false);
  if (!status.ok()) return status;
  for (const auto& [segment, moved] : rewritten) MoveLoaded(segment, moved, false);
  static_cast<void>(RemoveGarbage());
  return Status::Ok();
}

std::vector<std::string> DiskCore::Readers() {
  std::vector<std::string> readers;
  std::vector<std::string> names;
  const std::string directory = PathOf(kReadersName);
  std::string path;
  if (!env_.Exists(directory) || !env_.ListDirectory(directory, names).ok()) return readers;
  for (const std::string& name : names) {
    bool held = false;
    std::string note;
    path.assign(directory).append("/").append(name);
    if (!env_.LockHolder(path, held, note).ok()) continue;
    if (held) {
      readers.push_back("reader " + note);
    } else {
      static_cast<void>(env_.Remove(path));
    }
  }
  return readers;
}

}  // namespace dentate::store
