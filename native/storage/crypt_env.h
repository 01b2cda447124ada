// Encryption at rest: an Env over another one, whose files are encrypted.
//
// What is encrypted: the content of every file written through it (crypt_format.h), with keys that
// the file `KEY` holds, wrapped with the user's key (key_file.h). What is not: the names, numbers
// and lengths of files, KEY's own form, and the notes of locks ("pid 42 on host").
//
// A mapped file is a decrypted copy in memory, left out of core dumps: opening a segment reads and
// decrypts all of it, and costs its length in memory.
//
// Rotation. Rekey wraps the data keys with another key of the user, and adds a data key for all
// files begun from then on: one atomic replacement of KEY, whatever the store's size. The user's
// old key then opens nothing any more, unless somebody kept the old KEY file. Who did still has the
// old data keys: these are forgotten when no file needs them, as merges, compaction and new log
// files rewrite what there is (ForgetUnusedDataKeys looks).
//
// A reader in another process that meets a file with a data key it does not know reads KEY again.
//
// Threads: any.

#ifndef DENTATE_STORAGE_CRYPT_ENV_H_
#define DENTATE_STORAGE_CRYPT_ENV_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/status.h"
#include "storage/aes_gcm.h"
#include "storage/crypt_file.h"
#include "storage/crypt_format.h"
#include "storage/env.h"
#include "storage/key_file.h"

namespace dentate::storage {

class CryptEnv final : public Env {
 public:
  CryptEnv(Env& base, std::string directory, const SecretKey& user_key, DataKeys keys)
      : base_(base),
        directory_(std::move(directory)),
        user_key_(user_key),
        keys_(std::move(keys)) {}

  // Both: REQUIRES the writer lock, and no other thread in either. A failure leaves everything as
  // it was; where only the last sync of the directory failed, a crash may leave the old KEY or the
  // new.
  Status Rekey(const SecretKey& user_key);
  bool HasOldDataKeys();
  // Those older than the oldest that a file in the directory was written with.
  Status ForgetUnusedDataKeys();

  // An env for a copy of the store in another directory, which the user's key opens too, with a
  // data key of its own. As OpenStoreEnv with kCreate.
  Status OpenCopy(const std::string& directory, std::shared_ptr<Env>& env);

  // What it decrypts.
  Env& base() noexcept { return base_; }

  // kKey unless it opens the store now.
  Status CheckUserKey(const SecretKey& user_key);

  Status NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>& file) override;
  Status NewReadableFile(const std::string& path, std::unique_ptr<ReadableFile>& file) override;
  Status MapFile(const std::string& path, std::shared_ptr<const MappedFile>& file) override;
  Status ReadFile(const std::string& path, std::vector<std::uint8_t>& bytes) override;

  Status ListDirectory(const std::string& path, std::vector<std::string>& names) override {
    return base_.ListDirectory(path, names);
  }
  Status CreateDirectories(const std::string& path) override {
    return base_.CreateDirectories(path);
  }
  Status SyncDirectory(const std::string& path) override { return base_.SyncDirectory(path); }
  Status SyncFile(const std::string& path) override { return base_.SyncFile(path); }
  Status Rename(const std::string& from, const std::string& to) override {
    return base_.Rename(from, to);
  }
  Status Remove(const std::string& path) override;
  bool Exists(const std::string& path) override { return base_.Exists(path); }
  Status CanonicalPath(const std::string& path, std::string& canonical) override {
    return base_.CanonicalPath(path, canonical);
  }
  Status FileStamp(const std::string& path, std::uint64_t& stamp) override {
    return base_.FileStamp(path, stamp);
  }
  Status LockFile(const std::string& path, const std::string& note, bool exclusive,
                  std::unique_ptr<FileLock>& lock) override {
    return base_.LockFile(path, note, exclusive, lock);
  }
  Status LockHolder(const std::string& path, bool& held, std::string& note) override {
    return base_.LockHolder(path, held, note);
  }
  std::int64_t NowMilliseconds() override { return base_.NowMilliseconds(); }
  void SleepMilliseconds(std::uint32_t milliseconds) override {
    base_.SleepMilliseconds(milliseconds);
  }
  void RandomBytes(std::span<std::uint8_t> out) override { base_.RandomBytes(out); }
  std::string HostName() override { return base_.HostName(); }
  std::uint32_t ProcessId() override { return base_.ProcessId(); }

 private:
  // Writes KEY with these and uses them from then on.
  Status Replace(const SecretKey& user_key, DataKeys keys);
  // For a file with this header.
  Status NewCipher(const std::string& path, const CryptHeader& header,
                   std::unique_ptr<AesGcm>& cipher);
  Status Decrypt(const std::string& path, Bytes file, std::span<std::uint8_t> text,
                 std::size_t& size);

  Env& base_;
  const std::string directory_;
  std::mutex mutex_;
  SecretKey user_key_;
  DataKeys keys_;
  std::map<std::string, std::shared_ptr<ChunkIndex>> indexes_;  // of files read in parts, by path
};

// What to do where there is neither a store nor a KEY yet.
enum class NewStore : std::uint8_t { kRefuse, kCreate };

// The env to reach the store in `directory` with: `base` itself where `user_key` is null, a
// CryptEnv (also as `crypt`) otherwise. kKey: the store is encrypted and no key was given, or
// another one; or a key was given and the store is not encrypted. kCorruption: files are encrypted,
// but KEY is missing. A new store gets its KEY here, durably, before any file that needs it; with
// kRefuse and no store, `base`, whose reader will say so.
//
// REQUIRES: with kCreate the writer lock, and that the directory exists.
Status OpenStoreEnv(Env& base, const std::string& directory, const SecretKey* user_key,
                    NewStore new_store, std::shared_ptr<Env>& env, CryptEnv*& crypt);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_CRYPT_ENV_H_
