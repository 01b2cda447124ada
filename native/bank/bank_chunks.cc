#include "bank/bank_chunks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/heap_block.h"

namespace dentate::bank {
namespace {

// A ChunkSource that says where its blob lies.
constexpr std::size_t kSourceBytes = 4 * sizeof(void*);

}  // namespace

// --- the writer's

void BankChunks::ReplaceSources(ChunkSources sources, bool sealed) {
  const std::lock_guard lock(mutex_);
  sources_ = std::move(sources);
  if (sealed) unsealed_.clear();
}

Status BankChunks::Apply(ChunkRows rows) {
  const std::lock_guard index_lock(index_mutex_);
  const bool regroups = !rows.moves.empty() || rows.threshold != ChunkRows::kNoThreshold ||
                        (index_ != nullptr && index_->threshold() == ChunkRows::kNoThreshold);
  // One that does not follow: whoever makes the index says so.
  if (index_ != nullptr && (regroups || rows.dimensions != index_->dimensions() ||
                            (rows.size() > 0 && rows.numbers[0] < index_->next_chunk()))) {
    SetIndex(nullptr);
  }
  {
    const std::lock_guard lock(mutex_);
    if (Status status = ExtendChunks(pending_, rows); !status.ok()) return status;
  }
  if (index_ != nullptr) {
    index_->Extend(rows);
    mask_version_ = 0;  // what came may have died before
    CountIndex();
  }
  return Status::Ok();
}

std::shared_ptr<const ChunkRows> BankChunks::Freeze() {
  const std::lock_guard lock(mutex_);
  if (pending_.empty()) return nullptr;
  auto rows = std::make_shared<ChunkRows>();
  unsealed_.reserve(unsealed_.size() + 1);
  std::swap(*rows, pending_);
  unsealed_.push_back(rows);
  return rows;
}

// --- new chunks

bool BankChunks::IsFree(const PlannedChunks& chunks) const {
  const EntryMask& chunked = index_->chunked();
  return AllIn(mask_, chunks.pieces) &&
         std::none_of(chunks.pieces.begin(), chunks.pieces.end(), [&](const ChunkPiece& piece) {
           return piece.entry < chunked.size() && chunked[piece.entry];
         });
}

Status BankChunks::MakePlan(const NewChunks& chunks, Plan& plan) {
  plan = {};
  const std::lock_guard lock(index_mutex_);
  mask_version_ = 0;  // entries that have come since are not in the mask
  if (Status status = Refresh(); !status.ok()) return status;
  if (chunks.chunks.size() == 0 || !IsFree(chunks.chunks)) return Status::Ok();
  if (index_->dimensions() != 0 && index_->dimensions() != chunks.dimensions) {
    return {ErrorCode::kMismatch, "the bank's chunks have vectors of " +
                                      std::to_string(index_->dimensions()) + " dimensions, not " +
                                      std::to_string(chunks.dimensions)};
  }
  const bool known = index_->threshold() != ChunkRows::kNoThreshold;
  const bool given = chunks.threshold != ChunkRows::kNoThreshold;
  const std::size_t count = index_->alive_count() + chunks.chunks.size();
  plan.taken = true;
  if (known && (!given || chunks.threshold == index_->threshold())) {
    plan.record = index_->Cluster(chunks.chunks, chunks.values);
    CountIndex();
    return Status::Ok();
  }

  // Everything there is, with the new chunks behind it and without atoms yet.
  ChunkRows all;
  if (Status status = ReadAll(all); !status.ok()) return status;
  plan.regroups = true;
  plan.record.dimensions = all.dimensions = chunks.dimensions;
  const std::uint32_t first = all.next_chunk;
  const auto dimensions = std::size_t{chunks.dimensions};
  for (std::size_t i = 0; i < chunks.chunks.size(); ++i) {
    all.Push(all.next_chunk, kNone, chunks.chunks.PiecesOf(i),
             std::span(chunks.values).subspan(i * dimensions, dimensions));
  }
  if (given) {
    all.threshold = chunks.threshold;
  } else if (count >= kCalibration) {
    all.threshold = ThresholdOf(
        KeptChunks(all, [&](std::span<const ChunkPiece> pieces) { return AllIn(mask_, pieces); }),
        kCalibration);
  }
  const ChunkIndex grouped(all, mask_);
  std::vector<std::uint32_t> atoms(chunks.chunks.size(), kNone);
  for (const ChunkRows::Move& move : grouped.moves()) {
    if (move.chunk >= first) {
      atoms[move.chunk - first] = move.atom;
    } else {
      plan.record.moves.push_back(move);
    }
  }
  plan.record.threshold = all.threshold;
  plan.record.next_chunk = first;
  for (std::size_t i = 0; i < chunks.chunks.size(); ++i) {
    plan.record.Push(first + static_cast<std::uint32_t>(i), atoms[i], chunks.chunks.PiecesOf(i),
                     std::span(chunks.values).subspan(i * dimensions, dimensions));
  }
  return Status::Ok();
}

Status BankChunks::Commit(const Plan& plan, const std::function<Status(const ChunkRows&)>& record) {
  {
    const std::lock_guard lock(mutex_);
    PrepareExtend(pending_, plan.record);
  }
  if (Status status = record(plan.record); !status.ok()) return status;
  // A freeze, which is the writer's, may have come between no more than that.
  const std::lock_guard lock(mutex_);
  return ExtendChunks(pending_, plan.record);
}

void BankChunks::DropIndex() {
  const std::lock_guard lock(index_mutex_);
  SetIndex(nullptr);
}

// --- the index

Status BankChunks::ReadAll(ChunkRows& rows) const {
  ChunkSources sources;
  std::vector<std::shared_ptr<const ChunkRows>> unsealed;
  ChunkRows pending;
  {
    const std::lock_guard lock(mutex_);
    sources = sources_;
    unsealed = unsealed_;
    pending = pending_;
  }
  rows = ChunkRows();
  for (const auto& source : sources) {
    ChunkRows read;
    Status status = source->Read(read);
    if (status.ok()) status = ExtendChunks(rows, read);
    if (!status.ok()) return status;
  }
  for (const auto& frozen : unsealed) {
    if (Status status = ExtendChunks(rows, *frozen); !status.ok()) return status;
  }
  return pending.empty() ? Status::Ok() : ExtendChunks(rows, pending);
}

void BankChunks::SetIndex(std::unique_ptr<ChunkIndex> index) const {
  index_ = std::move(index);
  CountIndex();
}

void BankChunks::CountIndex() const {
  const bool none = index_ == nullptr;
  index_bytes_.store(none ? 0 : index_->SizeInBytes(), std::memory_order_relaxed);
  stale_bytes_.store(none ? 0 : index_->StaleBytes(), std::memory_order_relaxed);
}

Status BankChunks::Refresh() const {
  const bool stale = current_.version() != mask_version_;
  if (stale) mask_version_ = current_.copy(mask_);
  if (index_ == nullptr) {
    ChunkRows rows;
    if (Status status = ReadAll(rows); !status.ok()) return status;
    SetIndex(std::make_unique<ChunkIndex>(rows, mask_));
  } else if (stale) {
    index_->Sync(mask_);
    CountIndex();
  }
  return Status::Ok();
}

Status BankChunks::Use(const std::function<Status(const ChunkIndex&)>& use) const {
  for (bool fresh = false;;) {
    {
      const std::shared_lock lock(index_mutex_);
      fresh = fresh || current_.version() == mask_version_;
      if (index_ != nullptr && fresh) return use(*index_);
    }
    const std::lock_guard lock(index_mutex_);
    if (Status status = Refresh(); !status.ok()) return status;
    fresh = true;  // as it was when it was called
  }
}

std::size_t BankChunks::SizeInBytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = pending_.SizeInBytes() - sizeof(pending_) +
                      HeapBlock(sources_.capacity() * sizeof(sources_[0])) +
                      sources_.size() * SharedBlock(kSourceBytes);
  for (const auto& rows : unsealed_) bytes += rows->SizeInBytes();
  return bytes;
}

}  // namespace dentate::bank
