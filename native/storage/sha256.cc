#include "storage/sha256.h"

#include <algorithm>
#include <bit>

namespace dentate::storage {
namespace {

constexpr std::array<std::uint32_t, 64> kConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t LoadBigEndian(const std::uint8_t* bytes) noexcept {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

}  // namespace

void Sha256::Compress(const std::uint8_t* block) noexcept {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = LoadBigEndian(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  // Letters as in FIPS 180-4, section 6.2.2.
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kConstants[t] + w[t];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < added.size(); ++i) state_[i] += added[i];
}

void Sha256::Update(std::span<const std::uint8_t> bytes) noexcept {
  if (const std::size_t waiting = size_ % kBlockBytes; waiting > 0) {
    const std::size_t count = std::min(kBlockBytes - waiting, bytes.size());
    std::copy_n(bytes.data(), count, block_.data() + waiting);
    size_ += count;
    bytes = bytes.subspan(count);
    if (waiting + count == kBlockBytes) Compress(block_.data());
  }
  size_ += bytes.size();
  for (; bytes.size() >= kBlockBytes; bytes = bytes.subspan(kBlockBytes)) Compress(bytes.data());
  // Not empty only if no byte waited before it.
  if (!bytes.empty()) std::copy(bytes.begin(), bytes.end(), block_.begin());
}

Sha256::Digest Sha256::Finish() noexcept {
  const std::uint64_t bits = size_ * 8;
  // A one bit, zeros up to 8 bytes before the end of a block, the length.
  std::array<std::uint8_t, kBlockBytes + 8> padding{0x80};
  const std::size_t zeros = (2 * kBlockBytes - 9 - size_ % kBlockBytes) % kBlockBytes;
  for (std::size_t i = 0; i < 8; ++i) {
    padding[1 + zeros + i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  }
  Update(std::span(padding).first(1 + zeros + 8));
  Digest digest;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

Sha256::Digest HmacSha256(std::span<const std::uint8_t> key,
                          std::span<const std::uint8_t> message) noexcept {
  std::array<std::uint8_t, 64> padded{};  // a block
  if (key.size() > padded.size()) {
    Sha256 hash;
    hash.Update(key);
    const Sha256::Digest digest = hash.Finish();
    std::copy(digest.begin(), digest.end(), padded.begin());
  } else {
    std::copy(key.begin(), key.end(), padded.begin());
  }
  for (auto& byte : padded) byte ^= 0x36;
  Sha256 inner;
  inner.Update(padded);
  inner.Update(message);
  for (auto& byte : padded) byte ^= 0x36 ^ 0x5c;
  Sha256 outer;
  outer.Update(padded);
  outer.Update(inner.Finish());
  return outer.Finish();
}

std::string ToHex(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace dentate::storage
