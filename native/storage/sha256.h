// SHA-256: the names of segments, which are content-addressed; and HMAC over it.
//
// With the CPU's instructions for it (sha256_kernels.h) or without. Checksums are CRC-32C
// (core/crc32c.h).
//
// Threads: one object, one thread.
//
// Source: National Institute of Standards and Technology, FIPS 180-4, "Secure Hash Standard", 2015.

#ifndef DENTATE_STORAGE_SHA256_H_
#define DENTATE_STORAGE_SHA256_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace dentate::storage {

class Sha256 {
 public:
  static constexpr std::size_t kBytes = 32;
  using Digest = std::array<std::uint8_t, kBytes>;

  void Update(std::span<const std::uint8_t> bytes) noexcept;
  // Of all that Update was given. The object is used up.
  Digest Finish() noexcept;

 private:
  static constexpr std::size_t kBlockBytes = 64;

  void Compress(const std::uint8_t* blocks, std::size_t count) noexcept;

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, kBlockBytes> block_{};  // its first size_ % kBlockBytes bytes wait
  std::uint64_t size_ = 0;                         // bytes so far
};

// HMAC-SHA256 of `message` (RFC 2104): derives one key from another, where it is encrypted.
Sha256::Digest HmacSha256(std::span<const std::uint8_t> key,
                          std::span<const std::uint8_t> message) noexcept;

// Two lower-case digits a byte.
std::string ToHex(std::span<const std::uint8_t> bytes);

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_SHA256_H_
