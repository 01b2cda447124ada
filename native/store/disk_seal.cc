#include <algorithm>
#include <span>
#include <utility>

#include "bank/part_builder.h"
#include "store/disk_core.h"

namespace dentate::store {

Status DiskCore::SealTail(const Cancelled& cancelled) {
  if (!catalog_.sealing()) {
    if (!catalog_.has_tail()) return Status::Ok();
    Status status = CheckInPlace();
    if (status.ok()) status = log_->PrepareRotate();
    if (!status.ok()) return status;
    const std::lock_guard lock(writer_);
    status = log_->Rotate(first_log_file_);
    if (!status.ok()) return status;
    catalog_.BeginSeal(log_->sequence());
    old_log_bytes_ = 0;
    log_bytes_.store(log_->bytes(), std::memory_order_relaxed);
    seal_wanted_.store(false, std::memory_order_relaxed);
  }
  // What a broken log has not written must not become part of the store by the back door.
  Status status = log_->Flush();
  if (!status.ok()) return status;

  const auto view = catalog_.view();
  const std::uint64_t boundary = catalog_.boundary();
  const TailIndex::Banks& banks = catalog_.SealingBanks();
  std::vector<const TailIndex::Banks::value_type*> sorted;
  sorted.reserve(banks.size());
  for (const auto& bank : banks) sorted.push_back(&bank);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });

  SegmentBuild build(env_, directory_, view->manifest.sealed_through + 1, boundary);
  std::vector<Moved> moved;
  for (const auto* bank : sorted) {
    if (cancelled && cancelled()) return {ErrorCode::kAborted, "the seal was aborted"};
    status = SealBank(bank->first, bank->second, build, moved, cancelled);
    if (!status.ok()) return status;
  }
  std::optional<storage::SegmentEntry> segment;
  status = build.Finish(segment);
  if (!status.ok()) return status;

  storage::Manifest manifest = view->manifest;
  if (segment) manifest.segments.push_back(*segment);
  manifest.sealed_through = boundary;
  manifest.first_log_file = first_log_file_;
  status = Swap(std::move(manifest), true);
  if (!status.ok()) return status;
  if (segment) MoveLoaded(segment->name, moved, true);
  static_cast<void>(RemoveGarbage());
  return Status::Ok();
}

Status DiskCore::SealBank(const std::string& name, const TailBank& groups, SegmentBuild& build,
                          std::vector<Moved>& moved, const Cancelled& cancelled) {
  const auto view = catalog_.view();
  if (groups.dropped > 0 && view->HasUpTo(name, groups.dropped, view->segments.size())) {
    Status status = build.AddDrop(name, groups.dropped);
    if (!status.ok()) return status;
  }
  if (groups.incarnation == 0 || catalog_.DroppedSince(name)) return Status::Ok();
  bank::Frozen frozen;
  if (!FreezeLoaded(name, frozen)) {
    // Its groups alone would not do: what they delete or touch lies in older parts.
    Loaded loaded;
    Status status = loader_->Load(name, Plan{view, groups, {}, 0, 0}, loaded);
    if (!status.ok()) return status;
    frozen = std::move(*loaded.frozen);
  }
  if (frozen.empty() && frozen.chunks == nullptr) return Status::Ok();

  std::vector<bank::PartSource> sources;
  for (const bank::PlacedPart& placed : frozen.parts) {
    sources.push_back({placed.part.get(), placed.first_entry, placed.size});
    const std::uint32_t first = placed.first_entry - frozen.parts.front().first_entry;
    for (std::uint32_t i = 0; i < placed.size; ++i) {
      if (!frozen.living[first + i] && placed.part->Row(i).session != bank::kNone) ++erased_;
    }
  }
  const std::uint32_t begin = sources.empty() ? 0 : sources.front().first_entry;
  const std::uint32_t end = sources.empty() ? 0 : sources.back().first_entry + sources.back().size;
  const auto keep = [&](std::uint32_t entry) { return frozen.living[entry - begin]; };
  moved.push_back({name, groups.incarnation, begin, end, build.size(), !frozen.empty()});
  if (!frozen.empty()) {
    bank::BuiltPart part;
    Status status =
        bank::BuildPart(sources, keep, frozen.facts, options_.signature_words, cancelled, part);
    if (status.ok()) status = build.AddPart(name, groups.incarnation, part);
    if (!status.ok()) return status;
  }
  if (frozen.chunks == nullptr) return Status::Ok();
  const auto lives = [&](std::span<const bank::ChunkPiece> pieces) {
    return bank::AllIn(frozen.current, pieces);
  };
  return build.AddChunks(name, groups.incarnation, bank::KeptChunks(*frozen.chunks, lives));
}

bool DiskCore::FreezeLoaded(const std::string& name, bank::Frozen& frozen) {
  const auto slot = catalog_.FindSlot(name);
  if (slot == nullptr) return false;
  const std::lock_guard lock(writer_);
  std::shared_ptr<bank::Bank> bank;
  if (!catalog_.Find(slot, bank) || bank == nullptr || !catalog_.Pin(*slot, bank)) return false;
  catalog_.FreezeAtBoundary(*slot);
  std::optional<bank::Frozen> found = catalog_.FrozenOf(*slot);
  catalog_.Unpin(*slot);
  if (!found) return false;
  frozen = std::move(*found);
  return true;
}

}  // namespace dentate::store
