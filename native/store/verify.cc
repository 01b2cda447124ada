#include "store/verify.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bank/record.h"
#include "bank/sealed_part.h"
#include "core/coding.h"
#include "storage/log_format.h"
#include "storage/log_recovery.h"
#include "storage/manifest.h"
#include "storage/segment.h"
#include "storage/segment_name.h"
#include "store/group.h"

namespace dentate::store {
namespace {

// How often the writer may replace what is being read before that is given up.
constexpr int kAttempts = 20;

Status CheckRecord(std::span<const std::uint8_t> bytes) {
  bank::RecordKind kind{};
  if (Status status = bank::DecodeKind(bytes, kind); !status.ok()) return status;
  if (kind == bank::RecordKind::kAppend) {
    Decoder in(bytes);
    in.Varint();  // version
    in.Varint();  // kind
    const std::uint32_t words = in.Varint32();
    bank::RecordStorage storage;
    bank::AppendRecord record;
    return bank::DecodeAppend(bytes, words, storage, record);
  }
  if (kind == bank::RecordKind::kChunks) {
    bank::ChunkRows rows;
    return bank::DecodeChunkRecord(bytes, rows);
  }
  std::int64_t time = 0;
  std::vector<std::uint32_t> entries;
  return bank::DecodeEntries(bytes, kind, time, entries);
}

class Verifier {
 public:
  Verifier(storage::Env& env, const std::string& directory, const Cancelled& cancelled,
           std::vector<DamagedPlace>& damage)
      : env_(env), directory_(directory), cancelled_(cancelled), damage_(damage) {}

  Status Run() {
    Status status = VerifyStoreFiles();
    damage_.clear();
    damage_.insert(damage_.end(), in_segments_.begin(), in_segments_.end());
    damage_.insert(damage_.end(), elsewhere_.begin(), elsewhere_.end());
    return status;
  }

 private:
  // Where the parts of a bank end, by the rows met so far.
  struct BankEnd {
    std::uint64_t incarnation = 0;
    std::uint64_t entry = 0;
  };

  using Places = std::vector<DamagedPlace>;

  std::string PathOf(const std::string& name) const { return directory_ + "/" + name; }

  // What is damage is listed; what is not comes back.
  static Status Note(const Status& status, const std::string& path, std::uint64_t offset,
                     Places& places) {
    if (const DamagedPlace* place = status.place()) {
      places.push_back(*place);
      return Status::Ok();
    }
    if (status.code() != ErrorCode::kCorruption && status.code() != ErrorCode::kIo) return status;
    places.push_back({path, offset, status.message()});
    return Status::Ok();
  }

  Status CheckCancelled() const {
    if (cancelled_ && cancelled_()) return {ErrorCode::kAborted, "the verification was aborted"};
    return Status::Ok();
  }

  Status VerifyStoreFiles() {
    const std::string path = PathOf(storage::kManifestName);
    storage::Manifest manifest;
    bool found = false;
    Status status = storage::ReadManifest(env_, directory_, manifest, found);
    if (!status.ok()) {
      status = Note(status, path, 0, elsewhere_);
      return status.ok() ? VerifyListed() : status;
    }
    if (!found) return {ErrorCode::kIo, "\"" + path + "\" is missing", ENOENT};
    for (int attempt = 1; attempt <= kAttempts; ++attempt) {
      elsewhere_.clear();
      status = VerifyAll(manifest);
      if (!status.ok() || elsewhere_.empty()) return status;
      // What is wrong by the manifest that was read may be right by the one there is now.
      storage::Manifest newer;
      status = storage::ReadManifest(env_, directory_, newer, found);
      if (!status.ok() || !found || newer.generation == manifest.generation) return Status::Ok();
      manifest = std::move(newer);
    }
    return Status::Ok();
  }

  Status VerifyAll(const storage::Manifest& manifest) {
    std::unordered_map<std::string, BankEnd> banks;
    for (const storage::SegmentEntry& entry : manifest.segments) {
      std::shared_ptr<const storage::Segment> segment;
      Status status = VerifySegment(entry.name, segment);
      if (!status.ok()) return status;
      if (segment == nullptr) continue;
      if (segment->length() != entry.length || segment->first_sequence() != entry.first_sequence ||
          segment->last_sequence() != entry.last_sequence) {
        elsewhere_.push_back(
            {PathOf(entry.name), 0, "the manifest has another length or sequence"});
      }
      VerifyRows(*segment, banks);
    }
    return VerifyLog(manifest);
  }

  // The manifest is lost: what can be said is said of each segment by itself.
  Status VerifyListed() {
    std::vector<std::string> names;
    Status status = env_.ListDirectory(directory_, names);
    for (std::size_t i = 0; i < names.size() && status.ok(); ++i) {
      std::array<std::uint8_t, storage::kSegmentNameBytes> hash{};
      if (!storage::ParseSegmentName(names[i], hash)) continue;
      std::shared_ptr<const storage::Segment> segment;
      status = VerifySegment(names[i], segment);
    }
    return status;
  }

  // `segment` stays null where it does not open. Blobs are read the first time only.
  Status VerifySegment(const std::string& name, std::shared_ptr<const storage::Segment>& segment) {
    const std::string path = PathOf(name);
    Status status = storage::Segment::Open(env_, directory_, name, segment);
    if (!status.ok()) return Note(status, path, 0, elsewhere_);
    if (!verified_.insert(name).second) return status;
    const std::size_t before = in_segments_.size();
    for (std::size_t i = 0; i < segment->blob_count(); ++i) {
      if (status = CheckCancelled(); !status.ok()) return status;
      if (status = VerifyBlob(*segment, i, path); !status.ok()) return status;
    }
    // Damage in a blob makes the name wrong too, which would tell nothing more.
    if (in_segments_.size() == before) status = segment->VerifyName();
    return status.ok() ? status : Note(status, path, 0, in_segments_);
  }

  Status VerifyBlob(const storage::Segment& segment, std::size_t index, const std::string& path) {
    const storage::BlobInfo info = segment.Info(index);
    if (info.dropped) return Status::Ok();
    Status status = segment.VerifyBlob(index);
    if (!status.ok()) return Note(status, path, info.offset, in_segments_);
    storage::Bytes bytes;
    status = segment.Blob(index, bytes);
    if (info.chunks) {
      bank::ChunkRows rows;
      if (status.ok()) status = bank::DecodeChunkBlob(bytes, rows);
      if (status.ok()) return status;
      return Note({status.code(), "the chunks of \"" + info.key + "\": " + status.message()}, path,
                  info.offset, in_segments_);
    }
    std::shared_ptr<const bank::SealedPart> part;
    if (status.ok()) status = bank::SealedPart::Open(bytes, nullptr, part);
    if (status.ok()) status = part->Validate();
    if (status.ok() &&
        (part->first_entry() != info.first_entry || part->entry_count() != info.entry_count)) {
      status = {ErrorCode::kCorruption, "it has other entries than the directory says"};
    }
    if (status.ok()) return status;
    const Status named(status.code(), "the part of \"" + info.key + "\": " + status.message());
    return Note(named, path, info.offset, in_segments_);
  }

  // Rows of one bank, over all segments, ascend like those of one segment.
  void VerifyRows(const storage::Segment& segment,
                  std::unordered_map<std::string, BankEnd>& banks) {
    for (std::size_t i = 0; i < segment.blob_count(); ++i) {
      const storage::BlobInfo info = segment.Info(i);
      if (info.chunks) continue;
      BankEnd& end = banks[info.key];
      if (info.incarnation < end.incarnation ||
          (info.incarnation == end.incarnation && !info.dropped && info.entry_count != 0 &&
           info.first_entry < end.entry)) {
        elsewhere_.push_back({PathOf(segment.name()), info.offset,
                              "the part of \"" + info.key + "\" is older than one before it"});
        continue;
      }
      if (info.incarnation != end.incarnation) end.entry = 0;
      end.incarnation = info.incarnation;
      end.entry =
          std::max<std::uint64_t>(end.entry, std::uint64_t{info.first_entry} + info.entry_count);
    }
  }

  Status VerifyLog(const storage::Manifest& manifest) {
    Status failed;  // what ends the reading without being damage
    const auto visit = [&](const storage::LogPosition& position, storage::Bytes payload) {
      Group group;
      failed = CheckCancelled();
      if (!failed.ok()) return failed;
      Status status = DecodeGroup(payload, group);
      if (status.ok() && group.type == GroupType::kRecord) status = CheckRecord(group.body);
      if (!status.ok()) {
        const Status named(status.code(),
                           "group " + std::to_string(position.sequence) + ": " + status.message());
        failed = Note(named, storage::LogFilePath(directory_, position.file), position.offset,
                      elsewhere_);
      }
      return failed;
    };
    storage::LogTail tail;
    Status status =
        storage::RecoverLog(env_, directory_, manifest.store_id, manifest.first_log_file,
                            manifest.sealed_through, visit, tail);
    if (!failed.ok() || status.ok()) return failed;
    return Note(status, storage::LogFilePath(directory_, manifest.first_log_file), 0, elsewhere_);
  }

  storage::Env& env_;
  const std::string& directory_;
  const Cancelled& cancelled_;
  std::vector<DamagedPlace>& damage_;
  std::set<std::string> verified_;  // segments whose blobs were read
  Places in_segments_;              // what was found in these
  Places elsewhere_;                // what may be so because the writer went on
};

}  // namespace

Status VerifyStore(storage::Env& env, const std::string& directory, const Cancelled& cancelled,
                   std::vector<DamagedPlace>& damage) {
  return Verifier(env, directory, cancelled, damage).Run();
}

}  // namespace dentate::store
