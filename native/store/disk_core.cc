#include "store/disk_core.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "core/free_memory.h"
#include "storage/garbage.h"
#include "storage/log_format.h"
#include "storage/log_recovery.h"
#include "storage/settings.h"
#include "storage/sha256.h"
#include "store/backup.h"
#include "store/new_directory.h"
#include "store/verify.h"

namespace dentate::store {
namespace {

constexpr char kLockName[] = "LOCK";
// Closing seals a tail of more than this: applying it again would take the next opener longer.
constexpr std::uint64_t kSealAtClose = std::uint64_t{256} << 10;
constexpr std::chrono::milliseconds kRetry{1000};  // after a seal or merge has failed
// A loaded bank that has more than this of what is gone, and more than half of all it has, is let
// go, and whoever needs it loads it without that.
constexpr std::size_t kMostStale = std::size_t{64} << 10;

bool IsStale(const bank::Bank& bank) {
  const std::size_t stale = bank.StaleBytes();
  return stale > kMostStale && stale > bank.SizeInBytes() / 2;
}

std::string LockNote(storage::Env& env) {
  return "pid " + std::to_string(env.ProcessId()) + " on " + env.HostName();
}

}  // namespace

DiskCore::DiskCore(StoreReach reach, std::string directory, const StoreOptions& options,
                   std::unique_ptr<storage::FileLock> lock)
    : StoreCore(options, true),
      reach_(std::move(reach)),
      env_(*reach_.env),
      directory_(std::move(directory)),
      lock_(std::move(lock)) {}

DiskCore::~DiskCore() {
  worker_.Stop();
  log_.reset();  // before what its listener calls
}

Status DiskCore::Open(storage::Env& env, const std::string& directory, const StoreOptions& options,
                      std::shared_ptr<StoreCore>& core) {
  std::unique_ptr<storage::FileLock> lock;
  Status status = env.LockFile(directory + "/" + kLockName, LockNote(env), true, lock);
  StoreReach reach;
  if (status.ok()) {
    status = StoreReach::Open(env, directory, options.key, storage::NewStore::kCreate, reach);
  }
  if (!status.ok()) return status;
  auto opened = std::make_shared<DiskCore>(std::move(reach), directory, options, std::move(lock));
  status = opened->Recover();
  if (!status.ok()) return status;
  if (!options.inline_work) {
    opened->worker_.Start([raw = opened.get()] { return raw->Background(); }, kRetry);
    opened->Written(false);
  }
  core = std::move(opened);
  return status;
}

Status DiskCore::Recover() {
  storage::Manifest manifest;
  bool found = false;
  Status status = storage::ReadManifest(env_, directory_, manifest, found);
  if (status.ok() && !found) status = Create(manifest);
  if (status.ok()) status = storage::CheckSettings(options_.settings, manifest.settings);
  if (!status.ok()) return status;

  std::shared_ptr<const View> view;
  status = OpenView(env_, directory_, manifest, nullptr, view);
  if (!status.ok()) return status;
  catalog_.SetView(view, false);
  status = storage::LogReader::Create(env_, directory_, manifest.store_id, log_reader_);
  if (!status.ok()) return status;
  loader_ = std::make_unique<BankLoader>(bank_settings_, *log_reader_);

  std::uint64_t bytes = 0;
  const auto visit = [&](const storage::LogPosition& position, storage::Bytes payload) {
    Group group;
    Status decoded = DecodeGroup(payload, group);
    if (!decoded.ok()) {
      return decoded.code() == ErrorCode::kCorruption
                 ? Status::Damage(storage::LogFilePath(directory_, position.file), position.offset,
                                  decoded.message())
                 : decoded;
    }
    bytes += storage::kFrameHeaderBytes + payload.size();
    catalog_.AddGroup(group, position);
    return Status::Ok();
  };
  storage::LogOptions log_options;
  log_options.durability = options_.durability;
  log_options.interval_milliseconds = options_.interval_milliseconds;
  log_options.inline_commit = options_.inline_work;
  log_options.room_bytes = options_.log_room_bytes;
  status = storage::FileLog::Open(
      env_, directory_, manifest.store_id, manifest.first_log_file, manifest.sealed_through,
      log_options, visit,
      [this](std::uint64_t durable, const Status& broken) { listeners_.Call(durable, broken); },
      log_);
  if (!status.ok()) return status;
  sequence_ = log_->sequence();
  listeners_.Call(log_->durable(), Status::Ok());
  log_bytes_ = bytes;
  old_log_bytes_ = bytes;
  generation_ = manifest.generation;
  first_log_file_ = manifest.first_log_file;
  static_cast<void>(RemoveGarbage());
  return Status::Ok();
}

Status DiskCore::Create(storage::Manifest& manifest) {
  Status status = CheckNewDirectory(env_, directory_);
  if (!status.ok()) return status;
  std::array<std::uint8_t, storage::kStoreIdBytes> id{};
  env_.RandomBytes(id);
  manifest.store_id = storage::ToHex(id);
  manifest.generation = 1;
  manifest.created = env_.NowMilliseconds();
  manifest.settings = options_.settings;
  manifest.first_log_file = kFirstLogFile;
  status = storage::CreateEmptyLogFile(env_, directory_, manifest.store_id, kFirstLogFile, 1);
  return status.ok() ? storage::WriteManifest(env_, directory_, manifest) : status;
}

Status DiskCore::LoadPlanned(const std::string& name, const Plan& plan, Loaded& loaded) {
  if (plan.newest > durable()) {  // until then it may be in the log's buffer only
    Status status = listeners_.Wait(plan.newest);
    if (!status.ok()) return status;
  }
  return loader_->Load(name, plan, loaded);
}

Status DiskCore::AppendToLog(std::span<const std::uint8_t> group, storage::LogPosition& position) {
  Status status = log_->Append(group, position);
  if (!status.ok()) return status;
  sequence_.store(position.sequence, std::memory_order_release);
  log_bytes_.store(old_log_bytes_ + log_->bytes(), std::memory_order_relaxed);
  return status;
}

void DiskCore::Written(bool full) {
  if (full) seal_wanted_.store(true, std::memory_order_relaxed);
  if (options_.inline_work) return;
  if (full || log_bytes_.load(std::memory_order_relaxed) >= options_.seal_bytes) worker_.Wake();
}

bool DiskCore::Background() {
  const std::lock_guard lock(maintenance_);
  const Cancelled sealing = [this] { return worker_.stopping(); };
  const Cancelled merging = [this] {
    worker_.Pause();
    return worker_.stopping();
  };
  const bool due = log_bytes_.load(std::memory_order_relaxed) >= options_.seal_bytes ||
                   catalog_.sealing() || seal_wanted_.load(std::memory_order_relaxed);
  if (due && !SealTail(sealing).ok()) return listeners_.broken().ok();
  // What fails here fails again until something has changed: the next seal tries again.
  static_cast<void>(MergeDue(merging));
  return false;
}

Status DiskCore::InForeground(const std::function<Status()>& work) {
  const Worker::Hurry hurry(worker_);
  const std::lock_guard lock(maintenance_);
  if (closing_.load(std::memory_order_relaxed)) return {ErrorCode::kClosed, "the store is closed"};
  if (Status status = CheckInPlace(); !status.ok()) return status;
  return work();
}

Status DiskCore::Seal() {
  return InForeground([&] { return SealTail({}); });
}

Status DiskCore::Merge() {
  return InForeground([&] { return MergeDue({}); });
}

Status DiskCore::Compact(const Cancelled& cancelled) {
  Status compacted = InForeground([&] {
    Status status = SealTail(cancelled);
    const std::size_t segments = catalog_.view()->segments.size();
    // A single one only to have its bytes under the newest data key.
    const bool merges = segments > 1 || (segments == 1 && HasOldDataKeys());
    if (status.ok() && merges) status = MergeRun(0, segments, cancelled);
    return status.ok() ? ForgetUnusedDataKeys() : status;
  });
  GiveBackFreeMemory();
  return compacted;
}

Status DiskCore::Rekey(const storage::SecretKey& key) {
  return InForeground([&]() -> Status {
    if (reach_.crypt != nullptr) return reach_.crypt->Rekey(key);
    return {ErrorCode::kKey, "\"" + directory_ + "\" is not encrypted"};
  });
}

Status DiskCore::Flush() {
  const std::shared_lock lock(log_mutex_);
  return log_ == nullptr ? CheckOpen() : log_->Flush();
}

Status DiskCore::Backup(const std::string& to, const Cancelled& cancelled) {
  const std::uint64_t through = sequence();
  if (Status status = Flush(); !status.ok()) return status;
  return BackupStore(env_, directory_, env_, to, through, cancelled, reach_.crypt);
}

Status DiskCore::Verify(const Cancelled& cancelled, std::vector<DamagedPlace>& damage) {
  if (Status status = CheckOpen(); !status.ok()) return status;
  return VerifyStore(env_, directory_, cancelled, damage);
}

Status DiskCore::Swap(storage::Manifest manifest, bool sealed) {
  manifest.generation = ++generation_;
  std::shared_ptr<const View> view;
  Status status = OpenView(env_, directory_, manifest, catalog_.view().get(), view);
  if (status.ok()) status = CheckInPlace();
  if (!status.ok()) return status;
  manifest_unknown_ = true;
  status = storage::WriteManifest(env_, directory_, view->manifest);
  if (!status.ok()) return status;
  manifest_unknown_ = false;
  const TailIndex::Banks freed = catalog_.SetView(view, sealed);
  return Status::Ok();
}

Status DiskCore::RemoveGarbage() {
  const auto view = catalog_.view();
  if (manifest_unknown_) return {ErrorCode::kIo, "the last manifest may not have been written"};
  if (Status status = CheckInPlace(); !status.ok()) return status;
  log_reader_->Forget(view->manifest.first_log_file);
  return storage::RemoveGarbage(env_, directory_, view->manifest);
}

void DiskCore::MoveLoaded(const std::string& segment, const std::vector<Moved>& moved,
                          bool sealed) {
  const auto view = catalog_.view();
  const auto found = std::find_if(
      view->segments.begin(), view->segments.end(),
      [&](const std::shared_ptr<const storage::Segment>& s) { return s->name() == segment; });
  for (const Moved& blob : moved) {
    const auto slot = catalog_.FindSlot(blob.bank);
    if (slot == nullptr || !catalog_.loaded(*slot)) continue;
    std::shared_ptr<const bank::Part> part;
    bank::PartFacts facts;
    Status opened;
    if (blob.has_part) opened = OpenPart(*found, blob.index, {}, part, facts);
    Catalog::Banks freed;
    const std::lock_guard lock(writer_);
    std::shared_ptr<bank::Bank> bank;
    if (!catalog_.Find(slot, bank) || bank == nullptr || bank->incarnation() != blob.incarnation ||
        !catalog_.Pin(*slot, bank)) {
      continue;
    }
    std::vector<const bank::Part*> old;
    const auto snapshot = bank->Read(0);
    for (const bank::PlacedPart& placed : snapshot->parts) {
      if (placed.first_entry >= blob.begin && placed.first_entry < blob.end) {
        old.push_back(placed.part.get());
      }
    }
    if (opened.ok()) {
      if (!old.empty()) {
        const std::uint32_t first_entry = (*found)->Info(blob.index).first_entry;
        bank->ReplaceParts(old, std::move(part), first_entry);
      }
      bank->chunks().ReplaceSources(ChunkSourcesOf(*view, blob.bank, blob.incarnation), sealed);
      catalog_.ClearFrozen(*slot);
    }
    catalog_.Unpin(*slot);
    if (!opened.ok()) {
      catalog_.Unload(*slot, freed);  // the next who asks is told why
    } else if (IsStale(*bank)) {
      catalog_.LetGo(*slot, durable(), freed);
    }
  }
}

StoreStats DiskCore::Stats() {
  StoreStats stats = StoreCore::Stats();
  const auto view = catalog_.view();
  stats.segments = view->segments.size();
  for (const auto& segment : view->segments) stats.file_bytes += segment->length();
  stats.log_bytes = log_bytes_.load(std::memory_order_relaxed);
  stats.file_bytes += stats.log_bytes;
  stats.sealed_through = view->manifest.sealed_through;
  std::vector<std::string> names;
  if (env_.ListDirectory(directory_, names).ok()) stats.files = names.size();
  return stats;
}

Status DiskCore::Close() {
  closing_.store(true, std::memory_order_relaxed);
  worker_.Stop();
  const std::lock_guard maintenance(maintenance_);
  Status status;
  // A seal that the worker had to give up is ended, or else the next opening would replay its
  // groups.
  if (catalog_.sealing()) status = SealTail({});
  if (status.ok() && log_bytes_.load(std::memory_order_relaxed) > kSealAtClose) {
    status = SealTail({});
  }
  {
    const std::lock_guard lock(writer_);
    closed_.store(true, std::memory_order_release);
  }
  Status flushed = log_->Flush();
  if (status.ok()) status = std::move(flushed);
  {
    const std::lock_guard lock(log_mutex_);
    log_.reset();
  }
  Catalog::Banks freed;
  for (const auto& slot : catalog_.LoadedSlots()) catalog_.Unload(*slot, freed);
  catalog_.SetView(std::make_shared<View>(), false);
  lock_.reset();
  return status;
}

}  // namespace dentate::store
