#include "storage/sha256.h"

#include <algorithm>
#include <bit>

#include "core/cpu.h"
#include "storage/sha256_kernels.h"

namespace dentate::storage {
namespace sha256 {
namespace {

std::uint32_t LoadBigEndian(const std::uint8_t* bytes) noexcept {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

}  // namespace

void CompressPortable(State& state, const std::uint8_t* blocks, std::size_t count) {
  for (; count > 0; --count, blocks += kBlockBytes) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) w[t] = LoadBigEndian(blocks + 4 * t);
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t s0 =
          std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
      const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
      w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    // Letters as in FIPS 180-4, section 6.2.2.
    auto [a, b, c, d, e, f, g, h] = state;
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
    const State added{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < added.size(); ++i) state[i] += added[i];
  }
}

std::span<const Kernel> SupportedKernels() noexcept {
  static constexpr Kernel kKernels[] = {
#if defined(__x86_64__)
    {"sha", CompressSha},
#endif
    {"portable", CompressPortable},
  };
  const std::span<const Kernel> all(kKernels);
#if defined(__x86_64__)
  if (ActiveIsa() != Isa::kScalar && HasShaInstructions()) return all;
#endif
  return all.last(1);
}

}  // namespace sha256

void Sha256::Compress(const std::uint8_t* blocks, std::size_t count) noexcept {
  static const auto compress = sha256::SupportedKernels().front().compress;
  compress(state_, blocks, count);
}

void Sha256::Update(std::span<const std::uint8_t> bytes) noexcept {
  if (const std::size_t waiting = size_ % kBlockBytes; waiting > 0) {
    const std::size_t count = std::min(kBlockBytes - waiting, bytes.size());
    std::copy_n(bytes.data(), count, block_.data() + waiting);
    size_ += count;
    bytes = bytes.subspan(count);
    if (waiting + count == kBlockBytes) Compress(block_.data(), 1);
  }
  size_ += bytes.size();
  if (const std::size_t blocks = bytes.size() / kBlockBytes; blocks > 0) {
    Compress(bytes.data(), blocks);
    bytes = bytes.subspan(blocks * kBlockBytes);
  }
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
