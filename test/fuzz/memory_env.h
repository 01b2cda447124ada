// A directory of files in memory that always works, for fuzzers: calls cost what they copy. What
// the log asks for is there; the rest aborts. (The one that forgets and fails, fault_env.h, makes a
// run of theirs cost twice as much.)
//
// Threads: one.

#ifndef DENTATE_TEST_FUZZ_MEMORY_ENV_H_
#define DENTATE_TEST_FUZZ_MEMORY_ENV_H_

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/env.h"
#include "storage/posix_error.h"

namespace dentate::storage {

class MemoryEnv final : public Env {
 public:
  using Content = std::vector<std::uint8_t>;

  // `directory` is the one there is.
  explicit MemoryEnv(std::string directory) : directory_(std::move(directory)) {}

  void SetContent(const std::string& path, Content content) { *Make(path) = std::move(content); }

  Status NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>& file) override {
    std::shared_ptr<Content> content = Make(path);
    content->clear();
    file = std::make_unique<Writable>(std::move(content));
    return Status::Ok();
  }
  Status NewReadableFile(const std::string& path, std::unique_ptr<ReadableFile>& file) override {
    const auto found = Find(path);
    if (found == files_.end()) return SystemError("open", path, ENOENT);
    file = std::make_unique<Readable>(found->second);
    return Status::Ok();
  }
  Status ListDirectory(const std::string& path, std::vector<std::string>& names) override {
    if (path != directory_) std::abort();
    names.clear();
    for (const auto& [name, content] : files_) names.push_back(name);
    std::sort(names.begin(), names.end());
    return Status::Ok();
  }
  Status SyncDirectory(const std::string&) override { return Status::Ok(); }
  Status Remove(const std::string& path) override {
    const auto found = Find(path);
    if (found == files_.end()) return SystemError("unlink", path, ENOENT);
    files_.erase(found);
    return Status::Ok();
  }
  bool Exists(const std::string& path) override { return Find(path) != files_.end(); }
  std::int64_t NowMilliseconds() override { return INT64_C(1'800'000'000'000); }

  Status MapFile(const std::string&, std::shared_ptr<const MappedFile>&) override { std::abort(); }
  Status ReadFile(const std::string&, std::vector<std::uint8_t>&) override { std::abort(); }
  Status CreateDirectories(const std::string&) override { std::abort(); }
  Status SyncFile(const std::string&) override { std::abort(); }
  Status Rename(const std::string&, const std::string&) override { std::abort(); }
  Status CanonicalPath(const std::string&, std::string&) override { std::abort(); }
  Status FileStamp(const std::string&, std::uint64_t&) override { std::abort(); }
  Status LockFile(const std::string&, const std::string&, bool,
                  std::unique_ptr<FileLock>&) override {
    std::abort();
  }
  Status LockHolder(const std::string&, bool&, std::string&) override { std::abort(); }
  void SleepMilliseconds(std::uint32_t) override { std::abort(); }
  void RandomBytes(std::span<std::uint8_t>) override { std::abort(); }
  std::string HostName() override { std::abort(); }
  std::uint32_t ProcessId() override { return 1; }

 private:
  class Writable final : public WritableFile {
   public:
    explicit Writable(std::shared_ptr<Content> content) : content_(std::move(content)) {}
    ~Writable() override { GiveBack(); }
    Status Append(Bytes bytes) override {
      if (content_->size() < size_ + bytes.size()) content_->resize(size_ + bytes.size());
      std::copy(bytes.begin(), bytes.end(), content_->begin() + static_cast<std::ptrdiff_t>(size_));
      size_ += bytes.size();
      return Status::Ok();
    }
    Status Reserve(std::uint64_t size) override {
      if (content_->size() < size) content_->resize(static_cast<std::size_t>(size));
      return Status::Ok();
    }
    Status Sync() override { return Status::Ok(); }
    Status Close() override {
      GiveBack();
      return Status::Ok();
    }
    std::uint64_t size() const noexcept override { return size_; }

   private:
    void GiveBack() {
      if (content_ != nullptr) content_->resize(size_);
      content_.reset();
    }

    std::shared_ptr<Content> content_;  // null once closed
    std::size_t size_ = 0;
  };

  class Readable final : public ReadableFile {
   public:
    explicit Readable(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
    Status ReadAt(std::uint64_t offset, std::span<std::uint8_t> out,
                  std::size_t& read) const override {
      read = 0;
      if (offset >= content_->size()) return Status::Ok();
      const auto from = static_cast<std::size_t>(offset);
      read = std::min(out.size(), content_->size() - from);
      std::copy_n(content_->begin() + static_cast<std::ptrdiff_t>(from), read, out.begin());
      return Status::Ok();
    }
    Status Size(std::uint64_t& size) const override {
      size = content_->size();
      return Status::Ok();
    }

   private:
    const std::shared_ptr<const Content> content_;
  };

  using Files = std::vector<std::pair<std::string, std::shared_ptr<Content>>>;

  std::string_view NameOf(const std::string& path) const {
    const std::size_t directory = directory_.size();
    if (path.size() <= directory || !path.starts_with(directory_) || path[directory] != '/') {
      std::abort();
    }
    return std::string_view(path).substr(directory + 1);
  }
  Files::iterator Find(const std::string& path) {
    const std::string_view name = NameOf(path);
    return std::find_if(files_.begin(), files_.end(),
                        [name](const auto& file) { return file.first == name; });
  }
  std::shared_ptr<Content> Make(const std::string& path) {
    const auto found = Find(path);
    if (found != files_.end()) return found->second;
    return files_.emplace_back(NameOf(path), std::make_shared<Content>()).second;
  }

  const std::string directory_;
  Files files_;
};

}  // namespace dentate::storage

#endif  // DENTATE_TEST_FUZZ_MEMORY_ENV_H_
