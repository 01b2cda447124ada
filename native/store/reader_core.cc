#include "store/reader_core.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "storage/log_format.h"
#include "storage/log_recovery.h"
#include "storage/manifest.h"
#include "storage/settings.h"
#include "storage/sha256.h"
#include "store/backup.h"
#include "store/verify.h"

namespace dentate::store {
namespace {

// The writer may replace what a manifest names before it has been opened: how often to look again.
constexpr int kAttempts = 20;
constexpr std::size_t kRegistrationBytes = 8;  // of the random name

bool IsMissing(const Status& status) {
  return status.code() == ErrorCode::kIo && status.os_error() == ENOENT;
}

}  // namespace

ReaderCore::ReaderCore(StoreReach reach, std::string directory, const StoreOptions& options)
    : StoreCore(options, true),
      reach_(std::move(reach)),
      env_(*reach_.env),
      directory_(std::move(directory)) {}

ReaderCore::~ReaderCore() {
  StopThread();
  Unregister();
}

Status ReaderCore::Open(storage::Env& env, const std::string& directory,
                        const StoreOptions& options, std::shared_ptr<StoreCore>& core) {
  StoreReach reach;
  Status status = StoreReach::Open(env, directory, options.key, storage::NewStore::kRefuse, reach);
  if (!status.ok()) return status;
  auto opened = std::make_shared<ReaderCore>(std::move(reach), directory, options);
  {
    const std::lock_guard lock(opened->following_);
    // Before anything is opened, so that no purge overlooks it.
    if (env.Exists(directory + "/" + storage::kManifestName)) opened->Register();
    status = opened->ReadStore();
    if (!status.ok()) return status;
  }
  if (!options.inline_work) opened->thread_ = std::thread([raw = opened.get()] { raw->Run(); });
  core = std::move(opened);
  return Status::Ok();
}

// So that a purge can name this process. Where it may not write, nobody can.
void ReaderCore::Register() {
  const std::string directory = directory_ + "/" + kReadersName;
  if (!env_.CreateDirectories(directory).ok()) return;
  const std::string note = "pid " + std::to_string(env_.ProcessId()) + " on " + env_.HostName();
  // A purge that comes between the making of the file and its lock takes it for a dead reader's.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::array<std::uint8_t, kRegistrationBytes> random{};
    env_.RandomBytes(random);
    registration_path_ = directory + "/" + storage::ToHex(random);
    if (!env_.LockFile(registration_path_, note, true, registration_).ok()) return;
    if (env_.Exists(registration_path_)) return;
  }
}

void ReaderCore::Unregister() {
  if (registration_ != nullptr) static_cast<void>(env_.Remove(registration_path_));
  registration_.reset();
}

void ReaderCore::Run() {
  const std::chrono::milliseconds poll(options_.poll_milliseconds);
  std::unique_lock lock(stop_mutex_);
  while (!stop_changed_.wait_for(lock, poll, [&] { return stop_; })) {
    lock.unlock();
    // What fails now is tried again the next time; who wants to know calls Refresh.
    static_cast<void>(Refresh());
    lock.lock();
  }
}

void ReaderCore::StopThread() {
  {
    const std::lock_guard lock(stop_mutex_);
    stop_ = true;
  }
  stop_changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status ReaderCore::Refresh() {
  const std::lock_guard lock(following_);
  Status status = CheckOpen();
  return status.ok() ? ReadStore() : status;
}

Status ReaderCore::Backup(const std::string& to, const Cancelled& cancelled) {
  if (Status status = Refresh(); !status.ok()) return status;
  return BackupStore(env_, directory_, env_, to, sequence(), cancelled, reach_.crypt);
}

Status ReaderCore::Verify(const Cancelled& cancelled, std::vector<DamagedPlace>& damage) {
  if (Status status = CheckOpen(); !status.ok()) return status;
  return VerifyStore(env_, directory_, cancelled, damage);
}

Status ReaderCore::ReadStore() {
  if (has_ended_.load(std::memory_order_relaxed)) return ended_;
  const std::string path = directory_ + "/" + storage::kManifestName;
  Status status;
  std::uint64_t tried = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    storage::Manifest manifest;
    bool found = false;
    Status read = storage::ReadManifest(env_, directory_, manifest, found);
    if (read.ok() && !found) read = {ErrorCode::kIo, "\"" + path + "\" is missing", ENOENT};
    if (!read.ok()) return read;
    // What is missing or wrong by one manifest may be right by the next: files that it does not
    // name go. There is none.
    if (manifest.generation == tried) return status;
    tried = manifest.generation;
    const bool known =
        loader_ != nullptr && catalog_.view()->manifest.generation == manifest.generation;
    status = known ? Status::Ok() : Adopt(manifest);
    if (status.ok()) status = recovered_ ? Follow() : Recover();
    if (!IsMissing(status) && status.code() != ErrorCode::kCorruption) return status;
  }
  return status;
}

Status ReaderCore::Adopt(const storage::Manifest& manifest) {
  Status status = storage::CheckSettings(options_.settings, manifest.settings);
  if (!status.ok()) return loader_ == nullptr ? status : End(status);
  const auto before = catalog_.view();
  if (loader_ != nullptr && manifest.store_id != before->manifest.store_id) {
    return {ErrorCode::kCorruption, "\"" + directory_ + "\" is another store now"};
  }
  std::shared_ptr<const View> view;
  status = OpenView(env_, directory_, manifest, before.get(), view);
  if (!status.ok()) return status;
  std::unique_ptr<storage::LogFollower> follower;
  if (follower_ == nullptr || follower_->sequence() < manifest.sealed_through ||
      follower_->file() < manifest.first_log_file) {
    // What this reads again is passed over by Take.
    status =
        storage::LogFollower::Create(env_, directory_, manifest.store_id, manifest.first_log_file,
                                     manifest.sealed_through, follower);
    if (!status.ok()) return status;
  }
  if (loader_ == nullptr) {
    status = storage::LogReader::Create(env_, directory_, manifest.store_id, log_reader_);
    if (!status.ok()) return status;
    loader_ = std::make_unique<BankLoader>(bank_settings_, *log_reader_);
  }
  if (follower != nullptr) follower_ = std::move(follower);

  catalog_.Follow(view);
  sequence_.store(std::max(sequence(), manifest.sealed_through), std::memory_order_release);
  log_reader_->Forget(manifest.first_log_file);
  std::vector<const storage::Segment*> changed;
  const auto add_missing = [&](const View& from, const View& to) {
    for (const auto& segment : from.segments) {
      const auto same = [&](const auto& other) { return other->name() == segment->name(); };
      if (std::none_of(to.segments.begin(), to.segments.end(), same)) {
        changed.push_back(segment.get());
      }
    }
  };
  add_missing(*before, *view);
  add_missing(*view, *before);
  Catalog::Banks freed;
  for (const auto& slot : catalog_.LoadedSlots()) {
    const bool touched = std::any_of(changed.begin(), changed.end(), [&](const auto* segment) {
      std::size_t first = 0, last = 0;
      segment->Find(slot->name, first, last);
      return first < last;
    });
    // Of a bank that was dropped before it was ever sealed, no segment says anything. Rule 2.
    const bool other = catalog_.LoadedIncarnation(*slot) != catalog_.IncarnationOf(slot->name);
    if (touched || other) catalog_.Unload(*slot, freed);
  }
  return Status::Ok();
}

Status ReaderCore::End(const Status& why) {
  ended_ = why;
  has_ended_.store(true, std::memory_order_release);
  Catalog::Banks freed;
  for (const auto& slot : catalog_.LoadedSlots()) catalog_.Unload(*slot, freed);
  return why;
}

Status ReaderCore::Recover() {
  const auto view = catalog_.view();
  const storage::Manifest& manifest = view->manifest;
  storage::LogTail tail;
  Status status = storage::RecoverLog(
      env_, directory_, manifest.store_id, manifest.first_log_file, *follower_,
      [&](const storage::LogPosition& position, storage::Bytes payload) {
        return Take(position, payload);
      },
      tail);
  recovered_ = status.ok();
  return status;
}

Status ReaderCore::Follow() {
  bool vanished = false;
  Status status = follower_->Poll([&](const storage::LogPosition& position,
                                      storage::Bytes payload) { return Take(position, payload); },
                                  vanished);
  if (status.ok() && vanished) {  // a newer manifest is there, or will be
    status = {ErrorCode::kIo, "a log file of \"" + directory_ + "\" is gone", ENOENT};
  }
  return status;
}

Status ReaderCore::Take(const storage::LogPosition& position, storage::Bytes payload) {
  Group group;
  Status status = DecodeGroup(payload, group);
  if (!status.ok()) return status;
  if (position.sequence <= sequence()) return status;  // read before, from a file read again
  catalog_.PrepareGroup(group.bank);
  catalog_.AddGroup(group, position);
  sequence_.store(position.sequence, std::memory_order_release);
  Apply(group, position);
  return status;
}

void ReaderCore::Apply(const Group& group, const storage::LogPosition& position) {
  const auto slot = catalog_.FindSlot(group.bank);
  if (slot == nullptr) return;
  Catalog::Banks freed;
  std::shared_ptr<bank::Bank> bank;
  if (!catalog_.PinBehind(*slot, position.sequence, bank)) return;
  const bool applies = bank != nullptr && group.type == GroupType::kRecord &&
                       bank->incarnation() == group.incarnation &&
                       bank->ApplyRecord(group.body).ok();
  catalog_.Unpin(*slot);
  // A bank that came, went, or cannot be gone on with: whoever asks next loads it, or is told why
  // not.
  if (!applies) catalog_.Unload(*slot, freed);
}

Status ReaderCore::LoadPlanned(const std::string& name, const Plan& plan, Loaded& loaded) {
  if (has_ended_.load(std::memory_order_acquire)) return ended_;
  Status status = loader_->Load(name, plan, loaded);
  // The writer has sealed what the plan names: a newer manifest makes another plan.
  if (IsMissing(status)) static_cast<void>(Refresh());
  return status;
}

StoreStats ReaderCore::Stats() {
  StoreStats stats = StoreCore::Stats();
  const auto view = catalog_.view();
  stats.segments = view->segments.size();
  for (const auto& segment : view->segments) stats.file_bytes += segment->length();
  for (std::uint64_t file = view->manifest.first_log_file;; ++file) {
    std::unique_ptr<storage::ReadableFile> log;
    std::uint64_t size = 0;
    const std::string path = directory_ + "/" + storage::LogFileName(file);
    // The last one, or one that the writer has sealed meanwhile.
    if (!env_.NewReadableFile(path, log).ok() || !log->Size(size).ok()) break;
    stats.log_bytes += size;
  }
  stats.file_bytes += stats.log_bytes;
  stats.sealed_through = view->manifest.sealed_through;
  std::vector<std::string> names;
  if (env_.ListDirectory(directory_, names).ok()) stats.files = names.size();
  return stats;
}

Status ReaderCore::Close() {
  StopThread();
  closed_.store(true, std::memory_order_release);
  const std::lock_guard lock(following_);
  Catalog::Banks freed;
  for (const auto& slot : catalog_.LoadedSlots()) catalog_.Unload(*slot, freed);
  catalog_.SetView(std::make_shared<View>(), false);
  Unregister();
  return Status::Ok();
}

}  // namespace dentate::store
