#include "storage/crypt_env.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <utility>

#include "core/memory.h"
#include "storage/garbage.h"
#include "storage/manifest.h"

namespace dentate::storage {
namespace {

// More files than that are read in parts by nobody at once; the rest can be indexed again.
constexpr std::size_t kMostIndexes = 64;

// Text in memory of its own, at a page's start.
class DecryptedFile final : public MappedFile {
 public:
  explicit DecryptedFile(std::size_t capacity)
      : capacity_(std::max(capacity, kPage)),
        bytes_(static_cast<std::uint8_t*>(AllocateSecretPages(capacity_))) {
    if (bytes_ == nullptr) throw std::bad_alloc();
  }
  DecryptedFile(const DecryptedFile&) = delete;
  DecryptedFile& operator=(const DecryptedFile&) = delete;
  ~DecryptedFile() override { FreeSecretPages(bytes_, capacity_); }

  std::span<std::uint8_t> memory() noexcept { return {bytes_, capacity_}; }
  void set_size(std::size_t size) noexcept { size_ = size; }
  Bytes bytes() const noexcept override { return {bytes_, size_}; }

 private:
  static constexpr std::size_t kPage = 4096;

  std::size_t capacity_;
  std::size_t size_ = 0;
  std::uint8_t* bytes_;
};

class CryptReadableFile final : public ReadableFile {
 public:
  // Without an index: a file that was never begun, with no text.
  CryptReadableFile(std::unique_ptr<ReadableFile> file, std::shared_ptr<ChunkIndex> index)
      : file_(std::move(file)), index_(std::move(index)) {}

  Status ReadAt(std::uint64_t offset, std::span<std::uint8_t> out,
                std::size_t& read) const override {
    read = 0;
    return index_ == nullptr ? Status::Ok() : index_->Read(*file_, offset, out, read);
  }
  Status Size(std::uint64_t& size) const override {
    size = 0;
    return index_ == nullptr ? Status::Ok() : index_->Refresh(*file_, size);
  }

 private:
  std::unique_ptr<ReadableFile> file_;
  std::shared_ptr<ChunkIndex> index_;
};

// Whether nothing lies behind the header: so that a header that is damaged or was never written
// whole is that of a file without text.
Status IsUnbegun(const ReadableFile& file, bool& unbegun) {
  std::vector<std::uint8_t> window(std::size_t{64} << 10);
  unbegun = true;
  for (std::uint64_t offset = kCryptHeaderBytes; unbegun; offset += window.size()) {
    std::size_t read = 0;
    if (Status status = file.ReadAt(offset, window, read); !status.ok()) return status;
    unbegun = std::all_of(window.begin(), window.begin() + static_cast<std::ptrdiff_t>(read),
                          [](std::uint8_t byte) { return byte == 0; });
    if (read < window.size()) break;
  }
  return Status::Ok();
}

// `encrypted`: the file at `path` begins like an encrypted one.
Status LooksEncrypted(Env& env, const std::string& path, bool& encrypted) {
  std::unique_ptr<ReadableFile> file;
  if (Status status = env.NewReadableFile(path, file); !status.ok()) return status;
  std::array<std::uint8_t, kCryptMagic.size()> magic{};
  std::size_t read = 0;
  Status status = file->ReadAt(0, magic, read);
  encrypted = magic == kCryptMagic;
  return status;
}

}  // namespace

Status CryptEnv::Replace(const SecretKey& user_key, DataKeys keys) {
  if (Status status = WriteKeyFile(base_, directory_, user_key, keys); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  user_key_ = user_key;
  keys_ = std::move(keys);
  return Status::Ok();
}

Status CryptEnv::Rekey(const SecretKey& user_key) {
  std::unique_lock lock(mutex_);
  DataKeys keys = keys_;
  lock.unlock();
  // At the limit the store goes on with the newest until something has been rewritten.
  if (keys.keys.size() < kMostDataKeys) AddDataKey(base_, keys);
  return Replace(user_key, std::move(keys));
}

bool CryptEnv::HasOldDataKeys() {
  const std::lock_guard lock(mutex_);
  return keys_.keys.size() > 1;
}

Status CryptEnv::ForgetUnusedDataKeys() {
  std::unique_lock lock(mutex_);
  DataKeys keys = keys_;
  const SecretKey user_key = user_key_;
  lock.unlock();
  if (keys.keys.size() == 1) return Status::Ok();
  std::vector<std::string> names;
  if (Status status = base_.ListDirectory(directory_, names); !status.ok()) return status;
  std::uint32_t oldest = keys.newest();
  for (const std::string& name : names) {
    if (name != kManifestName && !IsDataName(name)) continue;
    const std::string path = directory_ + "/" + name;
    std::unique_ptr<ReadableFile> file;
    CryptHeaderBytes bytes{};
    std::size_t read = 0;
    Status status = base_.NewReadableFile(path, file);
    if (status.os_error() == ENOENT) continue;  // removed since
    if (status.ok()) status = file->ReadAt(0, bytes, read);
    if (!status.ok()) return status;
    CryptHeader header;
    // A file without a header has no text, or none that can be read.
    if (!DecodeCryptHeader(Bytes(bytes).first(read), path, header).ok()) continue;
    oldest = std::min(oldest, header.key_number);
  }
  if (oldest <= keys.first_number) return Status::Ok();
  keys.keys.erase(keys.keys.begin(),
                  keys.keys.begin() + static_cast<std::ptrdiff_t>(oldest - keys.first_number));
  keys.first_number = oldest;
  return Replace(user_key, std::move(keys));
}

Status CryptEnv::OpenCopy(const std::string& directory, std::shared_ptr<Env>& env) {
  std::unique_lock lock(mutex_);
  const SecretKey user_key = user_key_;
  lock.unlock();
  CryptEnv* crypt = nullptr;
  return OpenStoreEnv(base_, directory, &user_key, NewStore::kCreate, env, crypt);
}

Status CryptEnv::CheckUserKey(const SecretKey& user_key) {
  DataKeys keys;
  return ReadKeyFile(base_, directory_, user_key, keys);
}

Status CryptEnv::NewCipher(const std::string& path, const CryptHeader& header,
                           std::unique_ptr<AesGcm>& cipher) {
  const std::lock_guard lock(mutex_);
  if (keys_.Find(header.key_number) == nullptr) {
    // Another process, the writer, has added one since.
    DataKeys keys;
    Status status = ReadKeyFile(base_, directory_, user_key_, keys);
    if (!status.ok()) return status;
    keys_ = std::move(keys);
  }
  const SecretKey* const key = keys_.Find(header.key_number);
  if (key != nullptr) return AesGcm::Create(FileKey(*key, header.file_id), cipher);
  return Status::Damage(
      path, 0, "data key " + std::to_string(header.key_number) + " is not in " + kKeyFileName);
}

Status CryptEnv::NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>& file) {
  CryptHeader header;
  base_.RandomBytes(header.file_id);
  std::unique_lock lock(mutex_);
  header.key_number = keys_.newest();
  const SecretKey data_key = keys_.keys.back();
  lock.unlock();
  std::unique_ptr<WritableFile> base;
  if (Status status = base_.NewWritableFile(path, base); !status.ok()) return status;
  return BeginCryptFile(std::move(base), path, header, data_key, file);
}

Status CryptEnv::NewReadableFile(const std::string& path, std::unique_ptr<ReadableFile>& file) {
  std::unique_ptr<ReadableFile> base;
  if (Status status = base_.NewReadableFile(path, base); !status.ok()) return status;
  CryptHeaderBytes bytes{};
  std::size_t read = 0;
  if (Status status = base->ReadAt(0, bytes, read); !status.ok()) return status;
  CryptHeader header;
  Status status = DecodeCryptHeader(Bytes(bytes).first(read), path, header);
  if (status.code() == ErrorCode::kCorruption) {
    bool unbegun = false;
    if (Status looked = IsUnbegun(*base, unbegun); !looked.ok()) return looked;
    if (!unbegun) return status;
    file = std::make_unique<CryptReadableFile>(std::move(base), nullptr);
    return Status::Ok();
  }
  if (!status.ok()) return status;

  std::unique_lock lock(mutex_);
  const auto known = indexes_.find(path);
  std::shared_ptr<ChunkIndex> index = known == indexes_.end() ? nullptr : known->second;
  lock.unlock();
  if (index == nullptr || index->file_id() != header.file_id) {
    std::unique_ptr<AesGcm> cipher;
    if (status = NewCipher(path, header, cipher); !status.ok()) return status;
    index = std::make_shared<ChunkIndex>(header.file_id, std::move(cipher));
    lock.lock();
    if (indexes_.size() >= kMostIndexes) indexes_.clear();
    indexes_[path] = index;
  }
  file = std::make_unique<CryptReadableFile>(std::move(base), std::move(index));
  return status;
}

Status CryptEnv::Remove(const std::string& path) {
  std::unique_lock lock(mutex_);
  indexes_.erase(path);
  lock.unlock();
  return base_.Remove(path);
}

Status CryptEnv::Decrypt(const std::string& path, Bytes file, std::span<std::uint8_t> text,
                         std::size_t& size) {
  CryptHeader header;
  std::unique_ptr<AesGcm> cipher;
  Status status = DecodeCryptHeader(file, path, header);
  if (status.ok()) status = NewCipher(path, header, cipher);
  if (status.ok()) status = DecryptWhole(file, path, header.file_id, *cipher, text, size);
  return status;
}

Status CryptEnv::MapFile(const std::string& path, std::shared_ptr<const MappedFile>& file) {
  std::shared_ptr<const MappedFile> base;
  if (Status status = base_.MapFile(path, base); !status.ok()) return status;
  // The text is shorter than the file.
  auto decrypted = std::make_shared<DecryptedFile>(base->bytes().size());
  std::size_t size = 0;
  Status status = Decrypt(path, base->bytes(), decrypted->memory(), size);
  if (!status.ok()) return status;
  decrypted->set_size(size);
  file = std::move(decrypted);
  return status;
}

Status CryptEnv::ReadFile(const std::string& path, std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint8_t> file;
  if (Status status = base_.ReadFile(path, file); !status.ok()) return status;
  bytes.resize(file.size());
  std::size_t size = 0;
  Status status = Decrypt(path, file, bytes, size);
  bytes.resize(size);
  return status;
}

Status OpenStoreEnv(Env& base, const std::string& directory, const SecretKey* user_key,
                    NewStore new_store, std::shared_ptr<Env>& env, CryptEnv*& crypt) {
  crypt = nullptr;
  // Owns nothing.
  const std::shared_ptr<Env> plain(std::shared_ptr<void>(), &base);
  const std::string manifest = directory + "/" + kManifestName;
  const bool has_key_file = base.Exists(directory + "/" + kKeyFileName);
  const bool has_store = base.Exists(manifest);
  if (!has_key_file && has_store) {
    bool encrypted = false;
    Status status = LooksEncrypted(base, manifest, encrypted);
    if (!status.ok()) return status;
    if (encrypted) {
      return {ErrorCode::kCorruption,
              '"' + directory + "\" is encrypted, but its file " + kKeyFileName + " is missing"};
    }
    if (user_key != nullptr) {
      return {ErrorCode::kKey, '"' + directory + "\" is not encrypted, and a key was given"};
    }
  }
  if (user_key == nullptr) {
    env = plain;
    if (!has_key_file) return Status::Ok();
    return {ErrorCode::kKey, '"' + directory + "\" is encrypted, and no key was given"};
  }
  DataKeys keys;
  if (has_key_file) {
    if (Status status = ReadKeyFile(base, directory, *user_key, keys); !status.ok()) return status;
  } else if (new_store == NewStore::kRefuse) {
    env = plain;
    return Status::Ok();
  } else {
    AddDataKey(base, keys);
    Status status = WriteKeyFile(base, directory, *user_key, keys);
    if (!status.ok()) return status;
  }
  auto made = std::make_shared<CryptEnv>(base, directory, *user_key, std::move(keys));
  crypt = made.get();
  env = std::move(made);
  return Status::Ok();
}

}  // namespace dentate::storage
