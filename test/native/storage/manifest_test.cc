#include "storage/manifest.h"

#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/coding.h"
#include "core/crc32c.h"
#include "storage/random_manifest.h"

namespace dentate::storage {
namespace {

using Buffer = std::vector<std::uint8_t>;

Buffer Encode(const Manifest& manifest) {
  Buffer bytes;
  EncodeManifest(manifest, bytes);
  return bytes;
}

ErrorCode Decode(const Buffer& bytes) {
  // A copy of its own, exactly as long, so that a sanitizer sees a read past its end.
  const auto copy = std::make_unique<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  Manifest manifest;
  return DecodeManifest({copy.get(), bytes.size()}, manifest).code();
}

// A body under a head that is right for it.
Buffer WithHead(const Buffer& body, std::uint32_t version = kManifestVersion) {
  Buffer bytes = {'D', 'E', 'N', 'T', 'A', 'T', 'M', 'F'};
  PutFixed(bytes, version);
  PutFixed(bytes, static_cast<std::uint32_t>(body.size()));
  PutFixed(bytes, Crc32c(body));
  PutFixed(bytes, Crc32c(bytes));
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

TEST_CASE("manifests come back as written") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    const Manifest manifest = RandomManifest(random);
    Manifest back;
    REQUIRE(DecodeManifest(Encode(manifest), back).ok());
    REQUIRE(SameManifest(manifest, back));
  }
}

TEST_CASE("the first manifest of a store has these bytes") {
  Manifest manifest;
  manifest.store_id = "000102030405060708090a0b0c0d0e0f";
  manifest.generation = 1;
  manifest.created = 2;
  manifest.first_log_file = 1;
  manifest.settings = {{"a", "b"}};
  const Buffer body = {0, 1, 2,   3, 4,   5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,  // store_id
                       1, 0, 0,   0, 0,   0, 0, 0,                                // generation
                       2, 0, 0,   0, 0,   0, 0, 0,                                // created
                       0, 0, 0,   0, 0,   0, 0, 0,                                // sealed_through
                       1, 0, 0,   0, 0,   0, 0, 0,                                // first_log_file
                       1, 1, 'a', 1, 'b',                                         // settings
                       0};                                                        // segments
  CHECK(Encode(manifest) == WithHead(body));
}

TEST_CASE("a flip of any bit is damage, and no other error") {
  std::mt19937_64 random(12);
  Manifest manifest = RandomManifest(random);
  while (manifest.segments.size() < 2 || manifest.settings.size() < 2) {
    manifest = RandomManifest(random);
  }
  const Buffer bytes = Encode(manifest);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Buffer damaged = bytes;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    REQUIRE_MESSAGE(Decode(damaged) == ErrorCode::kCorruption, bit);
  }
}

TEST_CASE("bytes cut or extended anywhere are damage") {
  std::mt19937_64 random(13);
  const Buffer bytes = Encode(RandomManifest(random));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    REQUIRE(Decode(Buffer(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))) ==
            ErrorCode::kCorruption);
  }
  Buffer longer = bytes;
  longer.push_back(0);
  CHECK(Decode(longer) == ErrorCode::kCorruption);
  // The same in a body whose head agrees with it.
  const Buffer body(bytes.begin() + kManifestHeadBytes, bytes.end());
  for (std::size_t size = 0; size < body.size(); ++size) {
    const Buffer cut(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size));
    REQUIRE(Decode(WithHead(cut)) == ErrorCode::kCorruption);
  }
  longer = body;
  longer.push_back(0);
  CHECK(Decode(WithHead(longer)) == ErrorCode::kCorruption);
}

TEST_CASE("a newer version is refused as such, whatever its body") {
  CHECK(Decode(WithHead({1, 2, 3}, kManifestVersion + 1)) == ErrorCode::kVersion);
  CHECK(Decode(WithHead({}, 0)) == ErrorCode::kCorruption);
}

TEST_CASE("numbers that do not fit each other are damage") {
  Manifest good;
  good.store_id = std::string(32, 'a');
  good.generation = 5;
  good.sealed_through = 30;
  const std::string name = "segment-" + std::string(32, 'b') + ".seg";
  good.segments = {{name, 100, 1, 10}, {name, 100, 11, 20}};
  REQUIRE(Decode(Encode(good)) == ErrorCode::kOk);
  const std::vector<std::function<void(Manifest&)>> changes = {
      [](Manifest& m) { m.generation = 0; },
      [](Manifest& m) { m.segments[0].first_sequence = 0; },
      [](Manifest& m) { m.segments[1].first_sequence = 10; },
      [](Manifest& m) { m.segments[1].last_sequence = 31; },
      [](Manifest& m) { m.segments[1].last_sequence = 10; },  // 2^64 - 1 more than its first
      [](Manifest& m) { m.sealed_through = 19; },
      [](Manifest& m) { m.sealed_through = 0; },
      [](Manifest& m) { std::swap(m.segments[0], m.segments[1]); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Manifest changed = good;
    changes[i](changed);
    CHECK_MESSAGE(Decode(Encode(changed)) == ErrorCode::kCorruption, i);
  }
}

TEST_CASE("counts that promise more than there is are damage, and cost nothing") {
  Buffer body(16, 1);
  for (const std::uint64_t number : {1, 0, 0, 0}) PutFixed(body, number);
  Buffer settings = body;
  PutVarint(settings, UINT64_MAX);
  CHECK(Decode(WithHead(settings)) == ErrorCode::kCorruption);
  Buffer text = body;
  PutVarint(text, 1);
  PutVarint(text, UINT64_MAX);
  CHECK(Decode(WithHead(text)) == ErrorCode::kCorruption);
  PutVarint(body, 0);
  PutVarint(body, UINT64_MAX);
  CHECK(Decode(WithHead(body)) == ErrorCode::kCorruption);
}

TEST_CASE("settings out of order, or twice, are damage") {
  for (const std::string second : {"a", "A", ""}) {
    Buffer body(16, 1);
    for (const std::uint64_t number : {1, 0, 0, 0}) PutFixed(body, number);
    PutVarint(body, 2);
    for (const std::string& text : {std::string("a"), std::string("x"), second, std::string("y")}) {
      PutVarint(body, text.size());
      body.insert(body.end(), text.begin(), text.end());
    }
    PutVarint(body, 0);
    CHECK(Decode(WithHead(body)) == ErrorCode::kCorruption);
  }
}

}  // namespace
}  // namespace dentate::storage
