// Manifests at random, valid ones.

#ifndef DENTATE_TEST_STORAGE_RANDOM_MANIFEST_H_
#define DENTATE_TEST_STORAGE_RANDOM_MANIFEST_H_

#include <array>
#include <random>
#include <string>

#include "storage/manifest.h"
#include "storage/segment_name.h"
#include "storage/sha256.h"

namespace dentate::storage {

inline Manifest RandomManifest(std::mt19937_64& random) {
  const auto hash = [&] {
    std::array<std::uint8_t, 16> bytes{};
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
  };
  // Numbers of all lengths, small ones as often as large ones.
  const auto number = [&] { return random() >> random() % 64; };
  Manifest manifest;
  manifest.store_id = ToHex(hash());
  manifest.generation = 1 + number() / 2;
  manifest.created = static_cast<std::int64_t>(random());
  manifest.first_log_file = number();
  for (std::size_t i = random() % 5; i > 0; --i) {
    manifest.settings[std::string(random() % 20, 'k') + std::to_string(random() % 10)] =
        std::string(random() % 200, 'v');
  }
  std::uint64_t last = 0;
  for (std::size_t i = random() % 5; i > 0; --i) {
    SegmentEntry segment;
    segment.name = SegmentName(hash());
    segment.length = number();
    segment.first_sequence = last + 1 + number() / 16;
    last = segment.last_sequence = segment.first_sequence + number() / 16;
    manifest.segments.push_back(segment);
  }
  manifest.sealed_through = last + random() % 100;
  return manifest;
}

inline bool SameManifest(const Manifest& a, const Manifest& b) {
  if (a.segments.size() != b.segments.size()) return false;
  for (std::size_t i = 0; i < a.segments.size(); ++i) {
    const SegmentEntry& x = a.segments[i];
    const SegmentEntry& y = b.segments[i];
    if (x.name != y.name || x.length != y.length || x.first_sequence != y.first_sequence ||
        x.last_sequence != y.last_sequence) {
      return false;
    }
  }
  return a.store_id == b.store_id && a.generation == b.generation && a.created == b.created &&
         a.settings == b.settings && a.sealed_through == b.sealed_through &&
         a.first_log_file == b.first_log_file;
}

}  // namespace dentate::storage

#endif  // DENTATE_TEST_STORAGE_RANDOM_MANIFEST_H_
