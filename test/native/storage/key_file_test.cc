#include "storage/key_file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "storage/crypt_env.h"
#include "storage/fault_env.h"
#include "storage/log_format.h"
#include "storage/manifest.h"

namespace dentate::storage {
namespace {

SecretKey UserKey(std::uint8_t byte) {
  SecretKey key;
  std::fill(key.writable().begin(), key.writable().end(), byte);
  return key;
}

bool Equal(const DataKeys& a, const DataKeys& b) {
  return a.first_number == b.first_number &&
         std::ranges::equal(a.keys, b.keys, [](const SecretKey& left, const SecretKey& right) {
           return std::ranges::equal(left.bytes(), right.bytes());
         });
}

void WriteText(Env& env, const std::string& path, std::string_view text) {
  std::unique_ptr<WritableFile> file;
  REQUIRE(env.NewWritableFile(path, file).ok());
  REQUIRE(file->Append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}).ok());
  REQUIRE(file->Sync().ok());
  REQUIRE(file->Close().ok());
}

Status ReadText(Env& env, const std::string& path, std::string& text) {
  std::vector<std::uint8_t> bytes;
  Status status = env.ReadFile(path, bytes);
  text.assign(bytes.begin(), bytes.end());
  return status;
}

Status Open(Env& base, const SecretKey* key, NewStore new_store, std::shared_ptr<Env>& env,
            CryptEnv*& crypt) {
  return OpenStoreEnv(base, "/d", key, new_store, env, crypt);
}

ErrorCode OpenCode(Env& base, const SecretKey* key, NewStore new_store = NewStore::kCreate) {
  std::shared_ptr<Env> env;
  CryptEnv* crypt = nullptr;
  return Open(base, key, new_store, env, crypt).code();
}

// As a store does when it is opened for the first time.
void CreateStore(FaultEnv& base, const SecretKey* key) {
  REQUIRE(base.CreateDirectories("/d").ok());
  std::shared_ptr<Env> env;
  CryptEnv* crypt = nullptr;
  REQUIRE(Open(base, key, NewStore::kCreate, env, crypt).ok());
  Manifest manifest;
  manifest.store_id = std::string(32, 'a');
  manifest.generation = 1;
  REQUIRE(WriteManifest(*env, "/d", manifest).ok());
}

}  // namespace

TEST_CASE("data keys come back with the key they were wrapped with, and never with another") {
  FaultEnv env;
  DataKeys keys;
  keys.first_number = 5;
  for (int i = 0; i < 3; ++i) AddDataKey(env, keys);
  CHECK(keys.newest() == 7);
  CHECK(keys.Find(4) == nullptr);
  CHECK(keys.Find(8) == nullptr);
  CHECK(keys.Find(6) == &keys.keys[1]);
  std::vector<std::uint8_t> first;
  std::vector<std::uint8_t> second;
  REQUIRE(EncodeKeyFile(env, UserKey(1), keys, first).ok());
  REQUIRE(EncodeKeyFile(env, UserKey(1), keys, second).ok());
  CHECK(first != second);  // the salt
  DataKeys read;
  REQUIRE(DecodeKeyFile(first, "KEY", UserKey(1), read).ok());
  CHECK(Equal(read, keys));
  const Status wrong = DecodeKeyFile(first, "KEY", UserKey(2), read);
  CHECK(wrong.code() == ErrorCode::kKey);
  for (const SecretKey& key : keys.keys) {
    CHECK(std::search(first.begin(), first.end(), key.bytes().begin(), key.bytes().end()) ==
          first.end());
  }
}

TEST_CASE("damage of a key file is told from a wrong key") {
  FaultEnv env;
  DataKeys keys;
  AddDataKey(env, keys);
  std::vector<std::uint8_t> good;
  REQUIRE(EncodeKeyFile(env, UserKey(1), keys, good).ok());
  DataKeys read;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    auto bytes = good;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    CHECK(DecodeKeyFile(bytes, "KEY", UserKey(1), read).code() == ErrorCode::kCorruption);
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    CHECK(DecodeKeyFile(Bytes(good).first(size), "KEY", UserKey(1), read).code() ==
          ErrorCode::kCorruption);
  }
}

TEST_CASE("a key where none belongs, none where one does, and a wrong one are each one error") {
  const SecretKey right = UserKey(1);
  const SecretKey wrong = UserKey(2);
  FaultEnv plain;
  CreateStore(plain, nullptr);
  CHECK(OpenCode(plain, nullptr) == ErrorCode::kOk);
  CHECK(OpenCode(plain, &right) == ErrorCode::kKey);
  CHECK(OpenCode(plain, &right, NewStore::kRefuse) == ErrorCode::kKey);
  CHECK(!plain.Exists("/d/KEY"));

  FaultEnv encrypted;
  CreateStore(encrypted, &right);
  CHECK(OpenCode(encrypted, &right) == ErrorCode::kOk);
  CHECK(OpenCode(encrypted, &right, NewStore::kRefuse) == ErrorCode::kOk);
  CHECK(OpenCode(encrypted, &wrong) == ErrorCode::kKey);
  CHECK(OpenCode(encrypted, nullptr) == ErrorCode::kKey);
  const auto key_file = encrypted.Content("/d/KEY");
  REQUIRE(encrypted.Remove("/d/KEY").ok());
  CHECK(OpenCode(encrypted, &right) == ErrorCode::kCorruption);
  CHECK(OpenCode(encrypted, nullptr) == ErrorCode::kCorruption);
  CHECK(!encrypted.Exists("/d/KEY"));  // never made anew over encrypted files
  encrypted.SetContent("/d/KEY", Bytes(key_file).first(50));
  CHECK(OpenCode(encrypted, &right) == ErrorCode::kCorruption);

  FaultEnv nothing;
  REQUIRE(nothing.CreateDirectories("/d").ok());
  CHECK(OpenCode(nothing, &right, NewStore::kRefuse) == ErrorCode::kOk);
  CHECK(OpenCode(nothing, nullptr, NewStore::kCreate) == ErrorCode::kOk);
  CHECK(!nothing.Exists("/d/KEY"));
}

TEST_CASE("after a rekey only the new key opens, what was written stays readable") {
  FaultEnv base;
  const SecretKey first = UserKey(1);
  const SecretKey second = UserKey(2);
  CreateStore(base, &first);
  std::shared_ptr<Env> env;
  CryptEnv* crypt = nullptr;
  REQUIRE(Open(base, &first, NewStore::kRefuse, env, crypt).ok());
  WriteText(*env, "/d/a", "before");
  REQUIRE(crypt->Rekey(second).ok());
  WriteText(*env, "/d/b", "after");
  CHECK(OpenCode(base, &first) == ErrorCode::kKey);
  std::shared_ptr<Env> reopened;
  REQUIRE(Open(base, &second, NewStore::kRefuse, reopened, crypt).ok());
  std::string text;
  REQUIRE(ReadText(*reopened, "/d/a", text).ok());
  CHECK(text == "before");
  REQUIRE(ReadText(*reopened, "/d/b", text).ok());
  CHECK(text == "after");
}

TEST_CASE("data keys are forgotten when no file needs them, and not before") {
  FaultEnv base;
  const SecretKey key = UserKey(1);
  CreateStore(base, &key);
  std::shared_ptr<Env> env;
  CryptEnv* crypt = nullptr;
  REQUIRE(Open(base, &key, NewStore::kRefuse, env, crypt).ok());
  std::shared_ptr<Env> reader;
  CryptEnv* reader_crypt = nullptr;
  REQUIRE(Open(base, &key, NewStore::kRefuse, reader, reader_crypt).ok());
  const std::string old_name = LogFilePath("/d", 1);
  const std::string new_name = LogFilePath("/d", 2);
  WriteText(*env, old_name, "old");
  const std::size_t one_key = base.Content("/d/KEY").size();
  REQUIRE(crypt->Rekey(key).ok());
  WriteText(*env, new_name, "new");
  std::string text;
  REQUIRE(ReadText(*env, old_name, text).ok());
  CHECK(text == "old");
  REQUIRE(ReadText(*reader, new_name, text).ok());  // with a key it had never seen
  CHECK(text == "new");
  REQUIRE(crypt->ForgetUnusedDataKeys().ok());
  CHECK(base.Content("/d/KEY").size() == one_key + SecretKey::kBytes);
  REQUIRE(ReadText(*env, old_name, text).ok());

  REQUIRE(env->Remove(old_name).ok());
  REQUIRE(crypt->ForgetUnusedDataKeys().ok());
  CHECK(base.Content("/d/KEY").size() == one_key + SecretKey::kBytes);  // the manifest has it
  Manifest manifest;
  manifest.store_id = std::string(32, 'a');
  manifest.generation = 2;
  REQUIRE(WriteManifest(*env, "/d", manifest).ok());
  REQUIRE(crypt->ForgetUnusedDataKeys().ok());
  CHECK(base.Content("/d/KEY").size() == one_key);
  REQUIRE(ReadText(*env, new_name, text).ok());
  CHECK(text == "new");
  CHECK(OpenCode(base, &key) == ErrorCode::kOk);
}

TEST_CASE("a reader with the old key of a user learns that it is another now") {
  FaultEnv base;
  const SecretKey first = UserKey(1);
  CreateStore(base, &first);
  std::shared_ptr<Env> env;
  std::shared_ptr<Env> reader;
  CryptEnv* crypt = nullptr;
  CryptEnv* reader_crypt = nullptr;
  REQUIRE(Open(base, &first, NewStore::kRefuse, env, crypt).ok());
  REQUIRE(Open(base, &first, NewStore::kRefuse, reader, reader_crypt).ok());
  WriteText(*env, "/d/a", "before");
  REQUIRE(crypt->Rekey(UserKey(2)).ok());
  WriteText(*env, "/d/b", "after");
  std::string text;
  CHECK(ReadText(*reader, "/d/a", text).ok());
  CHECK(ReadText(*reader, "/d/b", text).code() == ErrorCode::kKey);
  CHECK(reader_crypt->CheckUserKey(first).code() == ErrorCode::kKey);
  CHECK(reader_crypt->CheckUserKey(UserKey(2)).ok());
}

TEST_CASE(
    "at each power cut of a rekey the old or the new key opens the store, with all its data") {
  const SecretKey first = UserKey(1);
  const SecretKey second = UserKey(2);
  std::uint64_t cuts = 0;
  for (std::uint64_t cut = 1;; ++cut) {
    FaultEnv base(cut);
    CreateStore(base, &first);
    std::shared_ptr<Env> env;
    CryptEnv* crypt = nullptr;
    REQUIRE(Open(base, &first, NewStore::kCreate, env, crypt).ok());
    WriteText(*env, "/d/a", "text");
    REQUIRE(base.SyncDirectory("/d").ok());
    base.SetFault({.at = cut, .kinds = kChanges, .power_loss = true});
    const bool reported = crypt->Rekey(second).ok();
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto after = base.AfterCrash(Survival::kRandom, seed);
      std::shared_ptr<Env> reopened;
      const bool is_new = Open(*after, &second, NewStore::kCreate, reopened, crypt).ok();
      REQUIRE((is_new || !reported));
      if (!is_new) REQUIRE(Open(*after, &first, NewStore::kCreate, reopened, crypt).ok());
      std::string text;
      REQUIRE(ReadText(*reopened, "/d/a", text).ok());
      CHECK(text == "text");
    }
    if (!base.fired()) {
      cuts = cut - 1;
      break;
    }
  }
  MESSAGE("power cuts at " << cuts << " calls, 20 crashes each");
}

TEST_CASE("a disk that is full or fails leaves a rekey undone") {
  const SecretKey first = UserKey(1);
  for (const int error : {ENOSPC, EIO}) {
    for (std::uint64_t call = 1;; ++call) {
      FaultEnv base(call);
      CreateStore(base, &first);
      std::shared_ptr<Env> env;
      CryptEnv* crypt = nullptr;
      REQUIRE(Open(base, &first, NewStore::kCreate, env, crypt).ok());
      base.SetFault({.at = call, .error = error});
      const Status status = crypt->Rekey(UserKey(2));
      if (!base.fired()) break;
      CHECK(status.os_error() == error);
      // Only a failed sync of the directory comes too late to leave the old key in place.
      const bool renamed = OpenCode(base, &first) == ErrorCode::kKey;
      if (renamed) {
        const SecretKey second = UserKey(2);
        CHECK(OpenCode(base, &second) == ErrorCode::kOk);
      }
      WriteText(*env, "/d/a", "goes on");
      std::string text;
      CHECK(ReadText(*env, "/d/a", text).ok());
    }
  }
}

TEST_CASE("a first opening that was cut leaves no store or one that the key opens") {
  const SecretKey key = UserKey(1);
  for (std::uint64_t cut = 1;; ++cut) {
    FaultEnv base(cut);
    REQUIRE(base.CreateDirectories("/d").ok());
    base.SetFault({.at = cut, .kinds = kChanges, .power_loss = true});
    std::shared_ptr<Env> env;
    CryptEnv* crypt = nullptr;
    const bool opened = Open(base, &key, NewStore::kCreate, env, crypt).ok();
    CHECK(opened != base.fired());
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto after = base.AfterCrash(Survival::kRandom, seed);
      CHECK(OpenCode(*after, &key) == ErrorCode::kOk);
    }
    if (!base.fired()) break;
  }
}

}  // namespace dentate::storage
