#include "storage/segment_name.h"

#include <array>

#include "storage/hex.h"
#include "storage/sha256.h"

namespace dentate::storage {
namespace {

constexpr std::string_view kPrefix = "segment-";
constexpr std::string_view kTemporaryPrefix = "segment-tmp-";
constexpr std::string_view kSuffix = ".seg";

}  // namespace

std::string SegmentName(std::span<const std::uint8_t> hash) {
  std::string name(kPrefix);
  name += ToHex(hash.first(kSegmentNameBytes));
  name += kSuffix;
  return name;
}

bool ParseSegmentName(std::string_view name,
                      std::span<std::uint8_t, kSegmentNameBytes> hash) noexcept {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) ||
      name.size() != kPrefix.size() + 2 * kSegmentNameBytes + kSuffix.size()) {
    return false;
  }
  return FromHex(name.substr(kPrefix.size(), 2 * kSegmentNameBytes), hash);
}

std::string SegmentTemporaryName(Env& env) {
  std::array<std::uint8_t, 8> random{};
  env.RandomBytes(random);
  return std::string(kTemporaryPrefix) + ToHex(random);
}

bool IsSegmentTemporaryName(std::string_view name) noexcept {
  std::array<std::uint8_t, 8> random{};
  return name.starts_with(kTemporaryPrefix) &&
         FromHex(name.substr(kTemporaryPrefix.size()), random);
}

}  // namespace dentate::storage
