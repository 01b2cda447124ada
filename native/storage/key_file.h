// `KEY`: the data keys of an encrypted store, wrapped with the user's key.
//
//    0 magic "DENTATEY" 8 | 8 version 4 | 12 number of the first data key 4 | 16 count c 4 | 20
//    zero 12
//   32 salt 32 | 64 check 16 | 80 cipher text 32 c | tag 16 | checksum 4, of all before it
//
//   check         the first half of HMAC-SHA256(user's key, "dentate check" | salt)
//   cipher text   the data keys in order, sealed by AES-256-GCM under
//                 HMAC-SHA256(user's key, "dentate wrap" | salt), nonce 0, with bytes 0 to 79 as
//                 additional data
//
// The salt is random and new whenever the file is written, so that the wrapping key is too. Numbers
// are little-endian; the checksum is a CRC-32C.
//
// Damage and a wrong key are told apart: the checksum finds the one, the check the other. A file
// whose checksum and check hold but whose tag does not was tampered with: kCorruption.
//
// The file is replaced as a whole (KEY.tmp, sync, rename, sync of the directory), so that after a
// crash there is the old or the new one. Losing it loses the store: back it up with the store.
//
// Numbers of data keys start at 1 and only grow; the last one is used for new files, the others for
// reading until their files are rewritten.

#ifndef DENTATE_STORAGE_KEY_FILE_H_
#define DENTATE_STORAGE_KEY_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/status.h"
#include "storage/aes_gcm.h"
#include "storage/env.h"

namespace dentate::storage {

inline constexpr std::uint32_t kKeyFileVersion = 1;
inline constexpr char kKeyFileName[] = "KEY";
inline constexpr char kKeyFileTemporaryName[] = "KEY.tmp";

// More than anybody rotates without rewriting; keeps a count that is a lie from being believed.
inline constexpr std::size_t kMostDataKeys = 1000;

struct DataKeys {
  std::uint32_t first_number = 1;
  std::vector<SecretKey> keys;  // at least one

  std::uint32_t newest() const noexcept {
    return first_number + static_cast<std::uint32_t>(keys.size()) - 1;
  }
  // Null where there is no key of this number.
  const SecretKey* Find(std::uint32_t number) const noexcept {
    return number < first_number || number > newest() ? nullptr : &keys[number - first_number];
  }
};

// Adds a random key.
void AddDataKey(Env& env, DataKeys& keys);

Status EncodeKeyFile(Env& env, const SecretKey& user_key, const DataKeys& keys,
                     std::vector<std::uint8_t>& bytes);
// Any bytes: kCorruption, kVersion for a newer format, kKey where it was written with another key.
Status DecodeKeyFile(Bytes bytes, const std::string& path, const SecretKey& user_key,
                     DataKeys& keys);

Status ReadKeyFile(Env& env, const std::string& directory, const SecretKey& user_key,
                   DataKeys& keys);
// REQUIRES: the writer lock.
Status WriteKeyFile(Env& env, const std::string& directory, const SecretKey& user_key,
                    const DataKeys& keys);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_KEY_FILE_H_
