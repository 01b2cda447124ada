// Names of segment files: "segment-", the first 32 hex digits of the SHA-256 of the bytes, ".seg";
// while being written, "segment-tmp-" and 16 random hex digits.

#ifndef DENTATE_STORAGE_SEGMENT_NAME_H_
#define DENTATE_STORAGE_SEGMENT_NAME_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "storage/env.h"

namespace dentate::storage {

inline constexpr std::size_t kSegmentNameBytes = 16;  // of the hash, that the name has

// REQUIRES: hash.size() >= kSegmentNameBytes; more is left out.
std::string SegmentName(std::span<const std::uint8_t> hash);
// The bytes that the name is made of; false where it is no segment's.
bool ParseSegmentName(std::string_view name,
                      std::span<std::uint8_t, kSegmentNameBytes> hash) noexcept;

std::string SegmentTemporaryName(Env& env);
bool IsSegmentTemporaryName(std::string_view name) noexcept;

}  // namespace dentate::storage

#endif  // DENTATE_STORAGE_SEGMENT_NAME_H_
