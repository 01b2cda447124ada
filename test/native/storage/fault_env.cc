#include "storage/fault_env.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>
#include <thread>

#include "storage/posix_error.h"

namespace dentate::storage {
namespace {

// Without "//" and a trailing "/".
std::string Clean(const std::string& path) {
  std::string clean;
  for (const char c : path) {
    if (c != '/' || clean.empty() || clean.back() != '/') clean.push_back(c);
  }
  if (clean.size() > 1 && clean.back() == '/') clean.pop_back();
  return clean;
}

std::string FirstLine(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), std::find(bytes.begin(), bytes.end(), '\n')};
}

class MappedCopy final : public MappedFile {
 public:
  explicit MappedCopy(const std::vector<std::uint8_t>& bytes) : size_(bytes.size()) {
    if (size_ == 0) return;
    bytes_ = static_cast<std::uint8_t*>(::operator new(size_, kPage));
    std::copy(bytes.begin(), bytes.end(), bytes_);
  }
  MappedCopy(const MappedCopy&) = delete;
  MappedCopy& operator=(const MappedCopy&) = delete;
  ~MappedCopy() override { ::operator delete(bytes_, kPage); }
  Bytes bytes() const noexcept override { return {bytes_, size_}; }

 private:
  static constexpr std::align_val_t kPage{4096};
  std::uint8_t* bytes_ = nullptr;
  std::size_t size_;
};

}  // namespace

class FaultWritableFile final : public WritableFile {
 public:
  FaultWritableFile(FaultEnv& env, std::string path, FaultDisk::File file)
      : env_(env), path_(std::move(path)), file_(std::move(file)), epoch_(env.epoch_) {}
  ~FaultWritableFile() override {
    const std::lock_guard lock(env_.mutex_);
    if (env_.power_) GiveBack();
  }

  Status Append(Bytes bytes) override {
    const std::lock_guard lock(env_.mutex_);
    if (!broken_.ok()) return broken_;
    const bool reaches_disk = alive() && env_.power_;
    broken_ = Enter(kAppend, "write");
    if (broken_.ok()) {
      file_->Write(size_, bytes);
      size_ += bytes.size();
    } else if (reaches_disk) {
      file_->Write(size_, bytes.first(env_.TornSize(bytes.size())));
    }
    return broken_;
  }

  Status Reserve(std::uint64_t size) override {
    const std::lock_guard lock(env_.mutex_);
    const bool reaches_disk = alive() && env_.power_;
    Status status = Enter(kReserve, "write");
    const std::uint64_t end = file_->seen.size();
    if (!reaches_disk || end >= size) return status;
    const std::size_t more = static_cast<std::size_t>(size - end);
    file_->Write(end, std::vector<std::uint8_t>(status.ok() ? more : env_.TornSize(more)));
    return status;
  }

  Status Sync() override {
    const std::lock_guard lock(env_.mutex_);
    if (!broken_.ok()) return broken_;
    if (!alive()) return broken_ = SystemError("fdatasync", path_, EBADF);
    return broken_ = env_.SyncOrLose(kSync, path_, *file_);
  }

  Status Close() override {
    const std::lock_guard lock(env_.mutex_);
    Status status = Enter(kClose, "close");
    if (status.ok()) GiveBack();
    closed_ = true;
    if (broken_.ok()) broken_ = SystemError("write", path_, EBADF);
    return status;
  }

  std::uint64_t size() const noexcept override { return size_; }

 private:
  bool alive() const { return epoch_ == env_.epoch_ && !closed_; }
  Status Enter(Call kind, const char* name) {
    return alive() ? env_.Enter(kind, name, path_) : SystemError(name, path_, EBADF);
  }
  void GiveBack() {
    if (alive()) file_->Truncate(size_);
  }

  FaultEnv& env_;
  const std::string path_;
  const FaultDisk::File file_;
  const std::uint64_t epoch_;
  std::uint64_t size_ = 0;
  Status broken_;
  bool closed_ = false;
};

class FaultReadableFile final : public ReadableFile {
 public:
  FaultReadableFile(FaultEnv& env, std::string path, FaultDisk::File file)
      : env_(env), path_(std::move(path)), file_(std::move(file)), epoch_(env.epoch_) {}

  Status ReadAt(std::uint64_t offset, std::span<std::uint8_t> out,
                std::size_t& read) const override {
    const std::lock_guard lock(env_.mutex_);
    read = 0;
    Status status = Enter("read");
    if (!status.ok() || offset >= file_->seen.size()) return status;
    read = std::min<std::size_t>(out.size(), file_->seen.size() - offset);
    std::copy_n(file_->seen.begin() + static_cast<std::ptrdiff_t>(offset), read, out.begin());
    return status;
  }
  Status Size(std::uint64_t& size) const override {
    const std::lock_guard lock(env_.mutex_);
    Status status = Enter("fstat");
    if (status.ok()) size = file_->seen.size();
    return status;
  }

 private:
  Status Enter(const char* name) const {
    return epoch_ == env_.epoch_ ? env_.Enter(kRead, name, path_) : SystemError(name, path_, EBADF);
  }

  FaultEnv& env_;
  const std::string path_;
  const FaultDisk::File file_;
  const std::uint64_t epoch_;
};

class FaultLock final : public FileLock {
 public:
  FaultLock(FaultEnv& env, std::string path)
      : env_(env), path_(std::move(path)), epoch_(env.epoch_) {}
  ~FaultLock() override { env_.ReleaseLock(path_, epoch_); }
  Status CheckInPlace() const override { return Status::Ok(); }

 private:
  FaultEnv& env_;
  const std::string path_;
  const std::uint64_t epoch_;
};

FaultEnv::FaultEnv(std::uint64_t seed) : random_(seed) {}

void FaultEnv::SetFault(const Fault& fault) {
  const std::lock_guard lock(mutex_);
  fault_ = fault;
  calls_to_fault_ = 0;
}

bool FaultEnv::fired() const {
  const std::lock_guard lock(mutex_);
  return fault_.at > 0 && calls_to_fault_ >= fault_.at;
}

std::uint64_t FaultEnv::calls(std::uint32_t kinds) const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kCallKinds; ++i) sum += (kinds >> i & 1) != 0 ? calls_[i] : 0;
  return sum;
}

std::unique_ptr<FaultEnv> FaultEnv::AfterCrash(Survival survival, std::uint64_t seed) const {
  const std::lock_guard lock(mutex_);
  auto env = std::make_unique<FaultEnv>(seed);
  env->disk_ = disk_.AfterCrash(survival, env->random_);
  env->process_ = process_ + 1;
  env->now_ = now_;
  return env;
}

void FaultEnv::Crash(Survival survival) {
  const std::lock_guard lock(mutex_);
  disk_ = disk_.AfterCrash(survival, random_);
  locks_.clear();
  fault_ = {};
  power_ = true;
  ++epoch_;
  ++process_;
}

std::vector<std::uint8_t> FaultEnv::Content(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const FaultDisk::File file = disk_.Find(Clean(path));
  return file == nullptr ? std::vector<std::uint8_t>{} : file->seen;
}

void FaultEnv::SetContent(const std::string& path, Bytes bytes) {
  const std::lock_guard lock(mutex_);
  const FaultDisk::File file = disk_.Create(Clean(path));
  if (file == nullptr) return;
  file->seen.assign(bytes.begin(), bytes.end());
  file->medium = file->seen;
  file->changes.clear();
  ++file->version;
  disk_.SyncNames(ParentPath(Clean(path)));
}

void FaultEnv::AdvanceClock(std::int64_t milliseconds) {
  const std::lock_guard lock(mutex_);
  now_ += milliseconds;
}

Status FaultEnv::Enter(Call kind, const char* name, const std::string& path) {
  if (!power_) return SystemError(name, path, EIO);
  ++calls_[static_cast<std::size_t>(std::countr_zero(static_cast<std::uint32_t>(kind)))];
  if (fault_.at == 0 || (fault_.kinds & kind) == 0) return Status::Ok();
  ++calls_to_fault_;
  if (calls_to_fault_ < fault_.at) return Status::Ok();
  if (calls_to_fault_ > fault_.at && !fault_.lasting) return Status::Ok();
  power_ = !fault_.power_loss;
  return SystemError(name, path, fault_.error);
}

Status FaultEnv::FindFile(Call kind, const char* name, const std::string& path,
                          FaultDisk::File& file) {
  Status status = Enter(kind, name, path);
  if (!status.ok()) return status;
  file = disk_.Find(Clean(path));
  if (file != nullptr) return Status::Ok();
  return SystemError(name, path, disk_.IsDirectory(Clean(path)) ? EISDIR : ENOENT);
}

std::size_t FaultEnv::TornSize(std::size_t size) {
  return std::uniform_int_distribution<std::size_t>(0, size)(random_);
}

Status FaultEnv::SyncOrLose(Call kind, const std::string& path, FaultFile& file) {
  const bool had_power = power_;
  Status status = Enter(kind, "fdatasync", path);
  if (status.ok()) {
    file.Sync();
  } else if (had_power && power_) {
    file.FailSync(random_);
  }
  return status;
}

void FaultEnv::ReleaseLock(const std::string& path, std::uint64_t epoch) {
  const std::lock_guard lock(mutex_);
  if (epoch != epoch_) return;
  const auto held = locks_.find(path);
  if (--held->second.holders == 0) locks_.erase(held);
}

Status FaultEnv::NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>& file) {
  const std::lock_guard lock(mutex_);
  Status status = Enter(kCreate, "open", path);
  if (!status.ok()) return status;
  if (disk_.IsDirectory(Clean(path))) return SystemError("open", path, EISDIR);
  FaultDisk::File made = disk_.Create(Clean(path));
  if (made == nullptr) return SystemError("open", path, ENOENT);
  made->Truncate(0);
  file = std::make_unique<FaultWritableFile>(*this, path, std::move(made));
  return status;
}

Status FaultEnv::NewReadableFile(const std::string& path, std::unique_ptr<ReadableFile>& file) {
  const std::lock_guard lock(mutex_);
  FaultDisk::File found;
  Status status = FindFile(kOpen, "open", path, found);
  if (status.ok()) file = std::make_unique<FaultReadableFile>(*this, path, std::move(found));
  return status;
}

Status FaultEnv::MapFile(const std::string& path, std::shared_ptr<const MappedFile>& file) {
  const std::lock_guard lock(mutex_);
  FaultDisk::File found;
  Status status = FindFile(kOpen, "mmap", path, found);
  if (status.ok()) file = std::make_shared<MappedCopy>(found->seen);
  return status;
}

Status FaultEnv::ReadFile(const std::string& path, std::vector<std::uint8_t>& bytes) {
  const std::lock_guard lock(mutex_);
  FaultDisk::File found;
  Status status = FindFile(kOpen, "read", path, found);
  if (status.ok()) bytes = found->seen;
  return status;
}

Status FaultEnv::ListDirectory(const std::string& path, std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  names.clear();
  Status status = Enter(kList, "opendir", path);
  if (!status.ok()) return status;
  if (!disk_.IsDirectory(Clean(path))) return SystemError("opendir", path, ENOENT);
  names = disk_.List(Clean(path));
  return status;
}

Status FaultEnv::CreateDirectories(const std::string& path) {
  const std::lock_guard lock(mutex_);
  Status status = Enter(kCreateDirectories, "mkdir", path);
  if (!status.ok()) return status;
  if (disk_.Find(Clean(path)) != nullptr) return SystemError("mkdir", path, ENOTDIR);
  disk_.CreateDirectories(Clean(path));
  return status;
}

Status FaultEnv::SyncDirectory(const std::string& path) {
  const std::lock_guard lock(mutex_);
  Status status = Enter(kSyncDirectory, "fsync", path);
  if (!status.ok()) return status;
  if (!disk_.IsDirectory(Clean(path))) return SystemError("fsync", path, ENOENT);
  disk_.SyncNames(Clean(path));
  return status;
}

Status FaultEnv::SyncFile(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const FaultDisk::File found = disk_.Find(Clean(path));
  if (found != nullptr) return SyncOrLose(kSyncFile, path, *found);
  Status status = Enter(kSyncFile, "open", path);
  return status.ok() ? SystemError("open", path, ENOENT) : status;
}

Status FaultEnv::Rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  Status status = Enter(kRename, "rename", from);
  if (!status.ok()) return status;
  return disk_.Rename(Clean(from), Clean(to)) ? status : SystemError("rename", from, ENOENT);
}

Status FaultEnv::Remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  Status status = Enter(kRemove, "unlink", path);
  if (!status.ok()) return status;
  return disk_.Remove(Clean(path)) ? status : SystemError("unlink", path, ENOENT);
}

bool FaultEnv::Exists(const std::string& path) {
  const std::lock_guard lock(mutex_);
  return disk_.Find(Clean(path)) != nullptr || disk_.IsDirectory(Clean(path));
}

Status FaultEnv::CanonicalPath(const std::string& path, std::string& canonical) {
  const std::lock_guard lock(mutex_);
  Status status = Enter(kStat, "realpath", path);
  if (!status.ok()) return status;
  canonical = Clean(path);
  const bool found = disk_.Find(canonical) != nullptr || disk_.IsDirectory(canonical);
  return found ? status : SystemError("realpath", path, ENOENT);
}

Status FaultEnv::FileStamp(const std::string& path, std::uint64_t& stamp) {
  const std::lock_guard lock(mutex_);
  FaultDisk::File found;
  Status status = FindFile(kStat, "stat", path, found);
  if (status.ok()) stamp = found->number << 32 | found->version;
  return status;
}

Status FaultEnv::LockFile(const std::string& path, const std::string& note, bool exclusive,
                          std::unique_ptr<FileLock>& lock) {
  const std::lock_guard guard(mutex_);
  const std::string name = Clean(path);
  Status status = Enter(kLock, "lock", path);
  if (!status.ok()) return status;
  const FaultDisk::File file = disk_.Create(name);
  if (file == nullptr) return SystemError("open", path, ENOENT);
  if (const auto held = locks_.find(name);
      held != locks_.end() && (exclusive || held->second.exclusive)) {
    return {ErrorCode::kLocked, "\"" + path + "\" is locked by " + FirstLine(file->seen), EAGAIN};
  }
  Lock& state = locks_[name];
  state.exclusive = exclusive;
  ++state.holders;
  const std::string line = note + "\n";
  file->Write(0, {reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
  file->Truncate(line.size());
  lock = std::make_unique<FaultLock>(*this, name);
  return status;
}

Status FaultEnv::LockHolder(const std::string& path, bool& held, std::string& note) {
  const std::lock_guard lock(mutex_);
  held = false;
  note.clear();
  FaultDisk::File found;
  Status status = FindFile(kStat, "lock", path, found);
  if (!status.ok()) return status;
  held = locks_.contains(Clean(path));
  note = FirstLine(found->seen);
  return status;
}

std::int64_t FaultEnv::NowMilliseconds() {
  const std::lock_guard lock(mutex_);
  return now_;
}

void FaultEnv::SleepMilliseconds(std::uint32_t milliseconds) {
  AdvanceClock(milliseconds);
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min(milliseconds, 1U)));
}

void FaultEnv::RandomBytes(std::span<std::uint8_t> out) {
  const std::lock_guard lock(mutex_);
  for (auto& byte : out) byte = static_cast<std::uint8_t>(random_());
}

}  // namespace dentate::storage
