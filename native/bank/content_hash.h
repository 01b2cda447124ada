// What two turns must share to be duplicates: their tokens, role, speaker and session.
//
// The hash finds candidates, which are then compared (bank.cc). A part keeps its low 32 bits of
// each entry, the fingerprint. It lies in sealed images: never change it, only add (docs/format.md
// has the formula).

#ifndef DENTATE_BANK_CONTENT_HASH_H_
#define DENTATE_BANK_CONTENT_HASH_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "bank/hash.h"

namespace dentate::bank {

// Of a name's bytes, eight at a time, little-endian, the last ones padded with zeros; then its
// length.
constexpr std::uint64_t HashOfName(std::string_view name) noexcept {
  std::uint64_t hash = 0, word = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(name[i])} << (8 * (i % 8));
    if (i % 8 == 7 || i + 1 == name.size()) {
      hash = Mix(hash ^ word);
      word = 0;
    }
  }
  return Mix(hash ^ name.size());
}

// `speaker`: HashOfName of the speaker's name, 0 where there is none.
constexpr std::uint64_t ContentHash(std::span<const std::uint32_t> tokens, std::uint8_t role,
                                    std::uint64_t session, std::uint64_t speaker) noexcept {
  std::uint64_t hash = Mix(session);
  hash = Mix(hash ^ speaker);
  hash = Mix(hash ^ role);
  hash = Mix(hash ^ tokens.size());
  for (const std::uint32_t token : tokens) hash = Mix(hash ^ token);
  return hash;
}

constexpr std::uint32_t Fingerprint(std::span<const std::uint32_t> tokens, std::uint8_t role,
                                    std::uint64_t session, std::uint64_t speaker) noexcept {
  return static_cast<std::uint32_t>(ContentHash(tokens, role, session, speaker));
}

}  // namespace dentate::bank

#endif  // DENTATE_BANK_CONTENT_HASH_H_
