#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/crypt_env.h"
#include "storage/log_recovery.h"
#include "store/disk_core.h"
#include "store/key_cursor.h"

namespace dentate::store {
namespace {

// The store whose content is taken, held so that nobody writes it meanwhile.
struct Source {
  std::unique_ptr<storage::FileLock> lock;
  std::shared_ptr<storage::Env> env;
  std::shared_ptr<const View> view;
};

Status OpenSource(storage::Env& base, const std::string& directory, const storage::SecretKey* key,
                  Source& source) {
  const std::string note = "pid " + std::to_string(base.ProcessId()) + " on " + base.HostName();
  Status status = base.LockFile(directory + "/LOCK", note, true, source.lock);
  if (!status.ok()) return status;
  storage::CryptEnv* crypt = nullptr;
  status =
      storage::OpenStoreEnv(base, directory, key, storage::NewStore::kRefuse, source.env, crypt);
  storage::Manifest manifest;
  bool found = false;
  if (status.ok()) status = storage::ReadManifest(*source.env, directory, manifest, found);
  if (!status.ok()) return status;
  if (!found) return {ErrorCode::kCorruption, "\"" + directory + "\" has no manifest"};
  storage::LogTail tail;
  status = storage::RecoverLog(
      *source.env, directory, manifest.store_id, manifest.first_log_file, manifest.sealed_through,
      [](const storage::LogPosition&, storage::Bytes) { return Status::Ok(); }, tail);
  if (!status.ok()) return status;
  if (tail.sequence > manifest.sealed_through) {
    return {ErrorCode::kInternal, "\"" + directory + "\" is not sealed to the end"};
  }
  return OpenView(*source.env, directory, std::move(manifest), nullptr, source.view);
}

// One blob, whatever number of segments they come from.
Status CopyChunks(const View& view, const std::string& name, std::uint64_t incarnation,
                  SegmentBuild& build) {
  const std::vector<BlobPlace> parts = view.Blobs(name);
  if (parts.empty()) return Status::Ok();
  bank::ChunkRows rows;
  for (const auto& source : ChunkSourcesOf(view, name, parts.back().info.incarnation)) {
    bank::ChunkRows newer;
    Status status = source->Read(newer);
    if (status.ok()) status = bank::ExtendChunks(rows, newer);
    if (!status.ok()) return status;
  }
  return rows.dimensions == 0 ? Status::Ok() : build.AddChunks(name, incarnation, rows);
}

Status WrittenMeanwhile(const std::string& directory) {
  return {ErrorCode::kAborted, "\"" + directory + "\" was written meanwhile"};
}

}  // namespace

// The other store has sequences of its own. Ours go on, so that its banks are given an incarnation
// that is one of ours: the newest group that the new segment covers. Those that are made later are
// then newer, as they must be.
Status DiskCore::AdoptStore(const std::string& from, const storage::SecretKey* key,
                            std::uint64_t sequence, const Cancelled& cancelled) {
  return InForeground([&] {
    Status status = SealTail(cancelled);  // so that no group of the log counts any more
    storage::Env& base = reach_.crypt == nullptr ? env_ : reach_.crypt->base();
    Source source;
    if (status.ok()) status = OpenSource(base, from, key, source);
    if (!status.ok()) return status;

    storage::Manifest manifest = catalog_.view()->manifest;
    const std::uint64_t through = manifest.sealed_through;
    if (through != sequence) return WrittenMeanwhile(directory_);
    if (through == 0 && !source.view->segments.empty()) {
      return Status(ErrorCode::kInternal, "a store without groups cannot adopt another");
    }
    SegmentBuild build(env_, directory_, 1, through);
    KeyCursor cursor(*source.view, 0, source.view->segments.size());
    std::string name;
    std::vector<BlobPlace> rows;
    while (cursor.Next(name, rows)) {
      for (const BlobPlace& blob : source.view->Blobs(name)) {
        if (cancelled && cancelled())
          return Status(ErrorCode::kAborted, "the adoption was aborted");
        status = build.Copy(*source.view->segments[blob.segment], blob.index, through);
        if (!status.ok()) return status;
      }
      status = CopyChunks(*source.view, name, through, build);
      if (!status.ok()) return status;
    }
    std::optional<storage::SegmentEntry> segment;
    status = build.Finish(segment);
    if (!status.ok()) return status;
    manifest.settings = source.view->manifest.settings;
    manifest.segments.clear();
    if (segment) manifest.segments.push_back(*segment);

    {
      // Nobody may write between the last look and the end of this store.
      const std::lock_guard lock(writer_);
      if (catalog_.has_tail()) {
        return WrittenMeanwhile(directory_);
      }
      status = Swap(std::move(manifest), false);
      if (!status.ok() && !manifest_unknown_) return status;
      // Where it is unknown which of the two a crash would leave, no group may follow either.
      closing_.store(true, std::memory_order_relaxed);
      closed_.store(true, std::memory_order_release);
    }
    if (status.ok()) static_cast<void>(RemoveGarbage());
    return status;
  });
}

}  // namespace dentate::store
