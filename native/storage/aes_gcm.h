// AES-256-GCM by the libcrypto that is already in the process.
//
// Nothing is linked and no header of OpenSSL is used: the functions are looked up when first
// needed, among all that the process has loaded (Node exports its own OpenSSL), then in a libcrypto
// of OpenSSL 3 or 1.1 where the system keeps libraries. A machine without any can have no encrypted
// store: kUnavailable.
//
// A nonce must never be used twice under one key (see crypt_format.h for how that is kept): two
// texts would be revealed by their difference, and the key of the authentication with them.
//
// Threads: one object, one thread at a time.
//
// Source: NIST SP 800-38D, "Recommendation for Block Cipher Modes of Operation: Galois/Counter Mode
// (GCM) and GMAC", 2007.

#ifndef DENTATE_STORAGE_AES_GCM_H_
#define DENTATE_STORAGE_AES_GCM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/status.h"
#include "storage/env.h"

namespace dentate::storage {

// 32 bytes that are wiped when they go.
class SecretKey {
 public:
  static constexpr std::size_t kBytes = 32;

  SecretKey() = default;
  explicit SecretKey(std::span<const std::uint8_t, kBytes> bytes) noexcept;
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  bool operator==(const SecretKey&) const = default;
  ~SecretKey();

  std::span<const std::uint8_t, kBytes> bytes() const noexcept { return bytes_; }
  std::span<std::uint8_t, kBytes> writable() noexcept { return bytes_; }

  // A key for one purpose: HMAC-SHA256 of `label` and `salt` under this one.
  SecretKey Derive(const char* label, Bytes salt) const;

 private:
  std::array<std::uint8_t, kBytes> bytes_{};
};

class AesGcm {
 public:
  static constexpr std::size_t kNonceBytes = 12;
  static constexpr std::size_t kTagBytes = 16;
  using Nonce = std::array<std::uint8_t, kNonceBytes>;

  // kUnavailable where there is no libcrypto.
  static Status Create(const SecretKey& key, std::unique_ptr<AesGcm>& cipher);
  virtual ~AesGcm() = default;

  // `cipher_text` is as long as `text`; they may be the same memory.
  virtual Status Seal(const Nonce& nonce, Bytes additional, Bytes text,
                      std::span<std::uint8_t> cipher_text,
                      std::span<std::uint8_t, kTagBytes> tag) = 0;
  // False: key, nonce, additional bytes, cipher text and tag do not belong together; `text` then
  // holds nothing of use.
  virtual bool Open(const Nonce& nonce, Bytes additional, Bytes cipher_text,
                    std::span<const std::uint8_t, kTagBytes> tag, std::span<std::uint8_t> text) = 0;
};

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_AES_GCM_H_
