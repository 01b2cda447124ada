#include "store/backup.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/file_log.h"
#include "storage/key_file.h"
#include "storage/log_format.h"
#include "storage/log_recovery.h"
#include "storage/manifest.h"
#include "storage/segment_name.h"
#include "storage/sha256.h"

namespace dentate::store {
namespace {

// How often the writer may replace what is about to be copied before that is given up.
constexpr int kAttempts = 20;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
// Not 1: an empty log file 1 without a manifest is a store in the making, which an opening goes on
// with; any other number is a copy that has not been finished.
constexpr std::uint64_t kLogFile = 2;
constexpr char kLockName[] = "LOCK";

class Copier {
 public:
  Copier(storage::Env& env, const std::string& directory, storage::Env& to_env,
         const std::string& to, std::uint64_t through, const Cancelled& cancelled,
         storage::CryptEnv* crypt)
      : env_(env),
        directory_(directory),
        to_env_(&to_env),
        to_(to),
        through_(through),
        cancelled_(cancelled),
        crypt_(crypt) {}

  Status Run() {
    Status status = TakeDirectory();
    if (!status.ok()) return status;
    if (crypt_ != nullptr) status = OpenCopy();
    if (status.ok()) status = CopyStore();
    // A KEY that was there is not ours to remove, be it one for this key or another.
    if (!status.ok()) RemoveAll(!had_key_);
    return status;
  }

 private:
  struct Source {
    std::string name;
    std::unique_ptr<storage::ReadableFile> file;
  };

  Status CheckCancelled() const {
    if (cancelled_ && cancelled_()) return {ErrorCode::kAborted, "the backup was aborted"};
    return Status::Ok();
  }

  Status TakeDirectory() {
    if (Status status = to_env_->CreateDirectories(to_); !status.ok()) return status;
    const std::string note =
        "pid " + std::to_string(to_env_->ProcessId()) + " on " + to_env_->HostName();
    Status status = to_env_->LockFile(to_ + "/" + kLockName, note, true, lock_);
    if (!status.ok()) return status;
    std::vector<std::string> names;
    status = to_env_->ListDirectory(to_, names);
    if (!status.ok()) return status;
    for (const std::string& name : names) {
      if (name == kLockName) continue;
      if (name == storage::kKeyFileName && crypt_ != nullptr) {  // of a backup that was killed
        had_key_ = true;
        continue;
      }
      return {ErrorCode::kIo, "\"" + to_ + "\" is not empty: it has \"" + name + "\"", ENOTEMPTY};
    }
    return status;
  }

  // Not before the directory is known to be ours: it makes a KEY there.
  Status OpenCopy() {
    Status status = crypt_->OpenCopy(to_, copy_env_);
    if (status.ok()) to_env_ = copy_env_.get();
    return status;
  }

  Status CopyStore() {
    storage::Manifest manifest;
    std::vector<Source> sources;
    Status status;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      bool changed = false;
      status = Pin(manifest, sources);
      if (status.ok()) status = CopyLog(manifest);
      if (status.ok() || status.code() == ErrorCode::kAborted) break;
      if (Status seen = WasReplaced(manifest, changed); !seen.ok()) return seen;
      if (!changed) return status;
    }
    for (std::size_t i = 0; i < sources.size() && status.ok(); ++i) status = Copy(sources[i]);
    if (!status.ok()) return status;

    manifest.store_id = store_id_;
    manifest.generation = 1;
    manifest.first_log_file = kLogFile;
    return storage::WriteManifest(*to_env_, to_, manifest);
  }

  // The manifest, and its segments opened: what is open can be read even when its name is gone.
  Status Pin(storage::Manifest& manifest, std::vector<Source>& sources) {
    bool found = false;
    Status status = storage::ReadManifest(env_, directory_, manifest, found);
    if (status.ok() && !found) {
      status = {ErrorCode::kIo, "\"" + directory_ + "\" has no manifest", ENOENT};
    }
    sources.clear();
    for (const storage::SegmentEntry& entry : manifest.segments) {
      Source source{entry.name, nullptr};
      if (status.ok()) status = env_.NewReadableFile(directory_ + "/" + entry.name, source.file);
      sources.push_back(std::move(source));
    }
    return status;
  }

  Status WasReplaced(const storage::Manifest& manifest, bool& replaced) {
    storage::Manifest newer;
    bool found = false;
    Status status = storage::ReadManifest(env_, directory_, newer, found);
    replaced = found && newer.generation != manifest.generation;
    return status;
  }

  Status CopyLog(const storage::Manifest& manifest) {
    RemoveAll(false);  // what an attempt before has left
    std::array<std::uint8_t, storage::kStoreIdBytes> id{};
    to_env_->RandomBytes(id);
    store_id_ = storage::ToHex(id);
    const std::uint64_t after = manifest.sealed_through;
    Status status = storage::CreateEmptyLogFile(*to_env_, to_, store_id_, kLogFile, after + 1);
    if (!status.ok()) return status;
    storage::LogOptions options;
    options.durability = storage::Durability::kNone;  // Flush syncs
    options.inline_commit = true;
    std::unique_ptr<storage::FileLog> log;
    status = storage::FileLog::Open(
        *to_env_, to_, store_id_, kLogFile, after, options,
        [](const storage::LogPosition&, storage::Bytes) { return Status::Ok(); }, {}, log);
    if (!status.ok()) return status;

    bool complete = after >= through_;
    const auto visit = [&](const storage::LogPosition& position, storage::Bytes group) {
      if (complete) return Status(ErrorCode::kAborted, "the rest is not wanted");
      Status copied = CheckCancelled();
      storage::LogPosition ignored;
      if (copied.ok()) copied = log->Append(group, ignored);
      complete = copied.ok() && position.sequence == through_;
      return copied;
    };
    storage::LogTail tail;
    if (!complete) {
      status = storage::RecoverLog(env_, directory_, manifest.store_id, manifest.first_log_file,
                                   after, visit, tail);
    }
    if (complete) return log->Flush();
    if (!status.ok()) return status;
    return {ErrorCode::kCorruption, "the log of \"" + directory_ + "\" ends with group " +
                                        std::to_string(tail.sequence) + ", before " +
                                        std::to_string(through_)};
  }

  Status Copy(const Source& source) {
    std::unique_ptr<storage::WritableFile> out;
    Status status = to_env_->NewWritableFile(to_ + "/" + source.name, out);
    storage::Sha256 hash;
    std::vector<std::uint8_t> chunk(kChunkBytes);
    for (std::uint64_t offset = 0; status.ok();) {
      std::size_t read = 0;
      if (status = CheckCancelled(); !status.ok()) break;
      if (status = source.file->ReadAt(offset, chunk, read); !status.ok() || read == 0) break;
      const storage::Bytes bytes = storage::Bytes(chunk).first(read);
      hash.Update(bytes);
      status = out->Append(bytes);
      offset += read;
    }
    if (status.ok()) status = out->Sync();
    if (status.ok()) status = out->Close();
    if (!status.ok()) return status;
    const std::string name = storage::SegmentName(hash.Finish());
    if (name == source.name) return status;
    return Status::Damage(directory_ + "/" + source.name, 0,
                          "the bytes are those of \"" + name + "\"");
  }

  // So that the directory can be tried again. What can't be removed is no store all the same.
  void RemoveAll(bool with_key) {
    std::vector<std::string> names;
    if (!to_env_->ListDirectory(to_, names).ok()) return;
    for (const std::string& name : names) {
      if (name == kLockName || (name == storage::kKeyFileName && !with_key)) continue;
      static_cast<void>(to_env_->Remove(to_ + "/" + name));
    }
  }

  storage::Env& env_;
  const std::string& directory_;
  storage::Env* to_env_;  // the copy's own, once it is opened
  const std::string& to_;
  const std::uint64_t through_;
  const Cancelled& cancelled_;
  storage::CryptEnv* const crypt_;  // of an encrypted store
  bool had_key_ = false;
  std::shared_ptr<storage::Env> copy_env_;
  std::unique_ptr<storage::FileLock> lock_;
  std::string store_id_;
};

}  // namespace

Status BackupStore(storage::Env& env, const std::string& directory, storage::Env& to_env,
                   const std::string& to, std::uint64_t through, const Cancelled& cancelled,
                   storage::CryptEnv* crypt) {
  return Copier(env, directory, to_env, to, through, cancelled, crypt).Run();
}

}  // namespace dentate::store
