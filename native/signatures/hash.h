// The two fixed integer generators everything random in this folder comes from.
//
// Signatures are stored, and a store moves between machines: so nothing here depends on a standard
// library's generator, on libm or on the byte order. Changing either function invalidates every
// stored signature.
//
// Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA
// 2014 (splitmix64); FNV-1a by G. Fowler, L. C. Noll and K.-P. Vo.

#ifndef DENTATE_SIGNATURES_HASH_H_
#define DENTATE_SIGNATURES_HASH_H_

#include <cstdint>
#include <string_view>

namespace dentate::signatures {

// A stream of 64-bit numbers from a seed.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t Next() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    return Mix(state_);
  }

  static std::uint64_t Mix(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

// 64-bit hash of a word's UTF-8 bytes: what stands for its stem in the index.
inline std::uint64_t HashText(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return SplitMix64::Mix(hash);
}

}  // namespace dentate::signatures

#endif  // DENTATE_SIGNATURES_HASH_H_
