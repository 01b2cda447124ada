// How a store reaches its files: the Env that its opener gave, or a decrypting one over that.

#ifndef DENTATE_STORE_STORE_REACH_H_
#define DENTATE_STORE_STORE_REACH_H_

#include <memory>
#include <optional>
#include <string>

#include "core/status.h"
#include "storage/crypt_env.h"

namespace dentate::store {

struct StoreReach {
  std::shared_ptr<storage::Env> env;
  storage::CryptEnv* crypt = nullptr;  // `env` itself, where the store is encrypted

  static Status Open(storage::Env& base, const std::string& directory,
                     const std::optional<storage::SecretKey>& key, storage::NewStore new_store,
                     StoreReach& reach) {
    return storage::OpenStoreEnv(base, directory, key ? &*key : nullptr, new_store, reach.env,
                                 reach.crypt);
  }

  // kKey: this key, or none, does not open the store.
  Status CheckKey(const std::optional<storage::SecretKey>& key,
                  const std::string& directory) const {
    if (key && crypt != nullptr) return crypt->CheckUserKey(*key);
    if (!key && crypt == nullptr) return Status::Ok();
    return {ErrorCode::kKey, "\"" + directory +
                                 (key ? "\" is not encrypted, and a key was given"
                                      : "\" is encrypted, and no key was given")};
  }
};

}  // namespace dentate::store

#endif  // DENTATE_STORE_STORE_REACH_H_
