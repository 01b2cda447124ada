#include <algorithm>
#include <span>
#include <utility>

#include "bank/facts.h"
#include "bank/part_builder.h"
#include "store/disk_core.h"
#include "store/key_cursor.h"

namespace dentate::store {
namespace {

// So many neighbours of about a size are merged: a group is written again log_4 n times.
constexpr std::size_t kFanIn = 4;

// The neighbours to merge: the newest run of at least kFanIn, each shorter than twice the longest
// of those behind it. Empty where no run is due.
std::pair<std::size_t, std::size_t> DueRun(const View& view) {
  const auto length = [&](std::size_t i) { return view.segments[i]->length(); };
  for (std::size_t last = view.segments.size(); last > 0;) {
    std::size_t first = last - 1;
    std::uint64_t longest = length(first);
    while (first > 0 && length(first - 1) < 2 * longest) {
      longest = std::max(longest, length(--first));
    }
    if (last - first >= kFanIn) return {first, last};
    last = first;
  }
  return {0, 0};
}

}  // namespace

Status DiskCore::MergeDue(const Cancelled& cancelled) {
  for (;;) {
    const auto [first, last] = DueRun(*catalog_.view());
    if (first == last) return Status::Ok();
    Status status = MergeRun(first, last, cancelled);
    if (!status.ok()) return status;
  }
}

Status DiskCore::MergeRun(std::size_t first, std::size_t last, const Cancelled& cancelled) {
  const auto view = catalog_.view();
  SegmentBuild build(env_, directory_, view->segments[first]->first_sequence(),
                     view->segments[last - 1]->last_sequence());
  std::vector<Moved> moved;
  KeyCursor cursor(*view, first, last);
  std::string name;
  std::vector<BlobPlace> rows;
  while (cursor.Next(name, rows)) {
    if (cancelled && cancelled()) return {ErrorCode::kAborted, "the merge was aborted"};
    std::uint64_t dropped = 0;
    for (const BlobPlace& row : rows) {
      if (row.info.dropped) dropped = std::max(dropped, row.info.incarnation);
    }
    Status status;
    if (dropped > 0 && view->HasUpTo(name, dropped, first)) status = build.AddDrop(name, dropped);
    if (status.ok()) status = MergeBank(*view, first, last, name, build, moved, cancelled);
    if (!status.ok()) return status;
  }
  std::optional<storage::SegmentEntry> segment;
  Status status = build.Finish(segment);
  if (!status.ok()) return status;

  storage::Manifest manifest = view->manifest;
  const auto begin = manifest.segments.begin() + static_cast<std::ptrdiff_t>(first);
  const auto after =
      manifest.segments.erase(begin, begin + static_cast<std::ptrdiff_t>(last - first));
  if (segment) manifest.segments.insert(after, *segment);
  status = Swap(std::move(manifest), false);
  if (!status.ok()) return status;
  if (segment) MoveLoaded(segment->name, moved, false);
  static_cast<void>(RemoveGarbage());
  return Status::Ok();
}

Status DiskCore::MergeBank(const View& view, std::size_t first, std::size_t last,
                           const std::string& name, SegmentBuild& build, std::vector<Moved>& moved,
                           const Cancelled& cancelled) {
  const std::vector<BlobPlace> all = view.Blobs(name);
  std::vector<BlobPlace> blobs;
  for (const BlobPlace& blob : all) {
    if (blob.segment >= first && blob.segment < last) blobs.push_back(blob);
  }
  if (blobs.empty()) {
    if (all.empty()) return Status::Ok();
    moved.push_back({name, all.back().info.incarnation, 0, 0, 0, false});
    return MergeBankChunks(view, first, last, all, {}, build);
  }
  const storage::BlobInfo& oldest = blobs.front().info;
  const storage::BlobInfo& newest = blobs.back().info;
  moved.push_back({name, newest.incarnation, oldest.first_entry,
                   newest.first_entry + newest.entry_count, build.size()});
  if (blobs.size() == 1) {
    Status status = build.Copy(*view.segments[blobs.front().segment], blobs.front().index);
    return status.ok() ? MergeBankChunks(view, first, last, all, {}, build) : status;
  }

  const auto has_row = [&](std::uint32_t entry) {
    return std::any_of(all.begin(), all.end(), [&](const BlobPlace& blob) {
      return entry >= blob.info.first_entry &&
             entry - blob.info.first_entry < blob.info.entry_count;
    });
  };
  const std::vector<bank::Interval32> all_rows = RowsOf(all);
  std::vector<std::shared_ptr<const bank::Part>> parts;
  std::vector<bank::PartSource> sources;
  bank::PartFacts facts;
  for (const BlobPlace& blob : blobs) {
    std::shared_ptr<const bank::Part> part;
    bank::PartFacts newer;
    Status status = OpenPart(view.segments[blob.segment], blob.index, all_rows, part, newer);
    if (!status.ok()) return status;
    facts = parts.empty() && facts.next_entry == 0 ? std::move(newer)
                                                   : bank::MergeFacts(facts, newer, has_row);
    if (part == nullptr) continue;
    sources.push_back({part.get(), blob.info.first_entry, blob.info.entry_count});
    parts.push_back(std::move(part));
  }
  const auto keep = [&](std::uint32_t entry) {
    return !std::binary_search(facts.deleted.begin(), facts.deleted.end(), entry);
  };
  bank::BuiltPart built;
  Status status = bank::BuildPart(sources, keep, facts, options_.signature_words, cancelled, built);
  if (status.ok()) status = build.AddPart(name, newest.incarnation, built);
  return status.ok() ? MergeBankChunks(view, first, last, all, facts.deleted, build) : status;
}

Status DiskCore::MergeBankChunks(const View& view, std::size_t first, std::size_t last,
                                 const std::vector<BlobPlace>& parts,
                                 const std::vector<std::uint32_t>& dead, SegmentBuild& build) {
  const storage::BlobInfo& newest = parts.back().info;
  const std::vector<BlobPlace> all = view.ChunkBlobs(newest.key, newest.incarnation);
  std::vector<BlobPlace> blobs;
  for (const BlobPlace& blob : all) {
    if (blob.segment >= first && blob.segment < last) blobs.push_back(blob);
  }
  if (blobs.empty()) return Status::Ok();
  if (blobs.size() == 1) {
    return build.Copy(*view.segments[blobs.front().segment], blobs.front().index);
  }
  bank::ChunkRows rows;
  for (const BlobPlace& blob : blobs) {
    bank::ChunkRows newer;
    Status status = ChunkSourceOf(view.segments[blob.segment], blob.index)->Read(newer);
    if (status.ok()) status = bank::ExtendChunks(rows, newer);
    if (!status.ok()) return status;
  }
  // What older blobs have of chunks that were moved has died, where there are none.
  if (blobs.front().segment == all.front().segment) rows.moves.clear();
  const std::vector<bank::Interval32> living = RowsOf(parts);
  return build.AddChunks(
      newest.key, newest.incarnation,
      bank::KeptChunks(rows, [&](std::span<const bank::ChunkPiece> pieces) {
        return HaveRows(living, pieces) &&
               std::none_of(pieces.begin(), pieces.end(), [&](const bank::ChunkPiece& piece) {
                 return std::binary_search(dead.begin(), dead.end(), piece.entry);
               });
      }));
}

}  // namespace dentate::store
