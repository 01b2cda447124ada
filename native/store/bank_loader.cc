#include "store/bank_loader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bank/sealed_part.h"
#include "storage/log_format.h"
#include "store/group.h"

namespace dentate::store {
namespace {

// The same condition, with the place where the reason lies.
Status AtGroup(const Status& status, const storage::LogPosition& position) {
  if (status.code() != ErrorCode::kCorruption || status.place() != nullptr) return status;
  return Status::Damage(storage::LogFileName(position.file), position.offset, status.message());
}

class ChunkBlob final : public bank::ChunkSource {
 public:
  ChunkBlob(std::shared_ptr<const storage::Segment> segment, std::size_t index)
      : segment_(std::move(segment)), index_(index) {}

  Status Read(bank::ChunkRows& rows) const override {
    storage::Bytes bytes;
    Status status = segment_->Blob(index_, bytes);
    if (status.ok()) status = bank::DecodeChunkBlob(bytes, rows);
    if (status.code() != ErrorCode::kCorruption || status.place() != nullptr) return status;
    return Status::Damage(segment_->name(), segment_->Info(index_).offset, status.message());
  }

 private:
  const std::shared_ptr<const storage::Segment> segment_;
  const std::size_t index_;
};

// The record in a group that the tail's index says is this bank's.
Status RecordOf(const storage::LogReader& log, const storage::LogPosition& position,
                const bank::Bank& bank, std::vector<std::uint8_t>& bytes,
                std::span<const std::uint8_t>& record) {
  Status status = log.Read(position, bytes);
  if (!status.ok()) return status;
  Group group;
  status = DecodeGroup(bytes, group);
  if (!status.ok()) return AtGroup(status, position);
  if (group.type != GroupType::kRecord || group.bank != bank.name() ||
      group.incarnation != bank.incarnation()) {
    return AtGroup({ErrorCode::kCorruption, "group is none of bank \"" + bank.name() + "\""},
                   position);
  }
  record = group.body;
  return Status::Ok();
}

}  // namespace

std::vector<bank::Interval32> RowsOf(const std::vector<BlobPlace>& blobs) {
  std::vector<bank::Interval32> rows;
  for (const BlobPlace& blob : blobs) {
    // A row takes a bit at least. A blob that is said to have more rows will not open.
    if (blob.info.entry_count / 8 > blob.info.length) continue;
    rows.push_back({blob.info.first_entry, blob.info.first_entry + blob.info.entry_count});
  }
  return rows;
}

bool HaveRows(std::span<const bank::Interval32> rows, std::span<const bank::ChunkPiece> pieces) {
  return std::all_of(pieces.begin(), pieces.end(), [&](const bank::ChunkPiece& piece) {
    const auto after = std::upper_bound(
        rows.begin(), rows.end(), piece.entry,
        [](std::uint32_t entry, const bank::Interval32& row) { return entry < row.begin; });
    return after != rows.begin() && piece.entry < after[-1].end;
  });
}

Status OpenPart(const std::shared_ptr<const storage::Segment>& segment, std::size_t index,
                std::span<const bank::Interval32> rows, std::shared_ptr<const bank::Part>& part,
                bank::PartFacts& facts) {
  storage::Bytes image;
  Status status = segment->Blob(index, image);
  if (!status.ok()) return status;
  const storage::BlobInfo info = segment->Info(index);
  status = bank::SealedPart::ReadFacts(image, rows, facts);
  std::shared_ptr<const bank::SealedPart> sealed;
  if (status.ok() && info.entry_count > 0) {
    status = bank::SealedPart::Open(image, segment, sealed);
    if (status.ok() &&
        (sealed->entry_count() != info.entry_count || sealed->first_entry() != info.first_entry)) {
      status = {ErrorCode::kCorruption, "the part has other entries than the directory says"};
    }
  }
  if (!status.ok()) {
    return status.code() == ErrorCode::kCorruption
               ? Status::Damage(segment->name(), info.offset, status.message())
               : status;
  }
  part = std::move(sealed);
  return status;
}

std::shared_ptr<const bank::ChunkSource> ChunkSourceOf(
    std::shared_ptr<const storage::Segment> segment, std::size_t index) {
  return std::make_shared<ChunkBlob>(std::move(segment), index);
}

bank::ChunkSources ChunkSourcesOf(const View& view, std::string_view name,
                                  std::uint64_t incarnation) {
  bank::ChunkSources sources;
  for (const BlobPlace& blob : view.ChunkBlobs(name, incarnation)) {
    sources.push_back(ChunkSourceOf(view.segments[blob.segment], blob.index));
  }
  return sources;
}

Status BankLoader::Load(const std::string& name, const Plan& plan, Loaded& loaded) const {
  loaded = {};
  const std::uint64_t dropped = std::max(plan.sealing.dropped, plan.current.dropped);
  const bool old_tail = plan.current.dropped == 0 && plan.sealing.incarnation != 0;
  const auto blobs = plan.view->Blobs(name, dropped);
  std::uint64_t incarnation = plan.current.incarnation;
  if (incarnation == 0 && old_tail) incarnation = plan.sealing.incarnation;
  if (incarnation == 0 && !blobs.empty()) incarnation = blobs.back().info.incarnation;
  if (incarnation == 0) return Status::Ok();

  auto bank = std::make_shared<bank::Bank>(settings_, name, incarnation);
  const std::vector<bank::Interval32> rows = RowsOf(blobs);
  for (const BlobPlace& blob : blobs) {
    if (blob.info.incarnation != incarnation) continue;
    std::shared_ptr<const bank::Part> part;
    bank::PartFacts facts;
    Status status = OpenPart(plan.view->segments[blob.segment], blob.index, rows, part, facts);
    if (status.ok()) status = bank->AddSealed(std::move(part), blob.info.first_entry, facts);
    if (!status.ok()) return status;
  }
  bank->chunks().ReplaceSources(ChunkSourcesOf(*plan.view, name, incarnation), true);
  if (old_tail) {
    Status status = Apply(plan.sealing, *bank);
    if (!status.ok()) return status;
    loaded.frozen = bank->Freeze();
  }
  Status status = Apply(plan.current, *bank);
  if (status.ok()) loaded.bank = std::move(bank);
  return status;
}

Status BankLoader::Apply(const TailBank& groups, bank::Bank& bank) const {
  std::vector<std::uint8_t> bytes;
  for (const storage::LogPosition& position : groups.groups) {
    std::span<const std::uint8_t> record;
    Status status = RecordOf(log_, position, bank, bytes, record);
    if (status.ok()) status = bank.ApplyRecord(record);
    if (!status.ok()) return AtGroup(status, position);
  }
  return Status::Ok();
}

}  // namespace dentate::store
