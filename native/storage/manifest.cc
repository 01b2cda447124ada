#include "storage/manifest.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "core/coding.h"
#include "core/crc32c.h"
#include "storage/hex.h"
#include "storage/segment_name.h"
#include "storage/sha256.h"

namespace dentate::storage {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {'D', 'E', 'N', 'T', 'A', 'T', 'M', 'F'};
constexpr std::size_t kHeadChecksumOffset = 20;
constexpr std::size_t kStoreIdBytes = 16;

void PutBytes(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void PutString(std::vector<std::uint8_t>& out, const std::string& text) {
  PutVarint(out, text.size());
  out.insert(out.end(), text.begin(), text.end());
}

std::string TakeString(Decoder& in) {
  const auto bytes = in.Bytes(in.Varint());
  return {bytes.begin(), bytes.end()};
}

void EncodeBody(const Manifest& manifest, std::vector<std::uint8_t>& out) {
  std::array<std::uint8_t, kStoreIdBytes> id{};
  static_cast<void>(FromHex(manifest.store_id, id));
  PutBytes(out, id);
  PutFixed(out, manifest.generation);
  PutFixed(out, manifest.created);
  PutFixed(out, manifest.sealed_through);
  PutFixed(out, manifest.first_log_file);
  PutVarint(out, manifest.settings.size());
  for (const auto& [name, value] : manifest.settings) {
    PutString(out, name);
    PutString(out, value);
  }
  PutVarint(out, manifest.segments.size());
  for (const SegmentEntry& segment : manifest.segments) {
    std::array<std::uint8_t, kSegmentNameBytes> name{};
    static_cast<void>(ParseSegmentName(segment.name, name));
    PutBytes(out, name);
    PutVarint(out, segment.length);
    PutVarint(out, segment.first_sequence);
    PutVarint(out, segment.last_sequence - segment.first_sequence);
  }
}

// Each false: the field is not as it must be.
bool DecodeSettings(Decoder& in, Manifest& manifest) {
  // A count that is a lie ends where the bytes do.
  for (std::uint64_t count = in.Varint(); count > 0; --count) {
    std::string name = TakeString(in);
    std::string value = TakeString(in);
    if (!in.ok()) return false;
    auto& settings = manifest.settings;
    if (!settings.empty() && name <= settings.rbegin()->first) return false;
    settings.emplace_hint(settings.end(), std::move(name), std::move(value));
  }
  return in.ok();
}

bool DecodeSegments(Decoder& in, Manifest& manifest) {
  std::uint64_t last = 0;
  for (std::uint64_t count = in.Varint(); count > 0; --count) {
    SegmentEntry segment;
    const auto name = in.Bytes(kSegmentNameBytes);
    segment.length = in.Varint();
    segment.first_sequence = in.Varint();
    const std::uint64_t more = in.Varint();
    if (!in.ok() || segment.first_sequence <= last ||
        segment.first_sequence > manifest.sealed_through ||
        more > manifest.sealed_through - segment.first_sequence) {
      return false;
    }
    last = segment.last_sequence = segment.first_sequence + more;
    segment.name = SegmentName(name);
    manifest.segments.push_back(std::move(segment));
  }
  return in.ok();
}

}  // namespace

void EncodeManifest(const Manifest& manifest, std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint8_t> body;
  EncodeBody(manifest, body);
  bytes.assign(kMagic.begin(), kMagic.end());
  PutFixed(bytes, kManifestVersion);
  PutFixed(bytes, static_cast<std::uint32_t>(body.size()));
  PutFixed(bytes, Crc32c(body));
  PutFixed(bytes, Crc32c(bytes));
  PutBytes(bytes, body);
}

Status DecodeManifest(Bytes bytes, Manifest& manifest, const std::string& path) {
  if (bytes.size() < kManifestHeadBytes)
    return Status::Damage(path, bytes.size(), "the file ends within its head");
  if (!std::equal(kMagic.begin(), kMagic.end(), bytes.begin()))
    return Status::Damage(path, 0, "not a manifest");
  Decoder head(bytes.first(kManifestHeadBytes).subspan(kMagic.size()));
  const auto version = head.Fixed<std::uint32_t>();
  const auto length = head.Fixed<std::uint32_t>();
  const auto body_checksum = head.Fixed<std::uint32_t>();
  if (head.Fixed<std::uint32_t>() != Crc32c(bytes.first(kHeadChecksumOffset))) {
    return Status::Damage(path, 0, "the head does not match its checksum");
  }
  if (version > kManifestVersion) {
    return Status(ErrorCode::kVersion, '"' + path + "\": version " + std::to_string(version) +
                                           " is newer than " + std::to_string(kManifestVersion));
  }
  const Bytes body = bytes.subspan(kManifestHeadBytes);
  if (version == 0 || body.size() != length) {
    return Status::Damage(path, bytes.size(), "the file has another length than its head says");
  }
  if (Crc32c(body) != body_checksum) {
    return Status::Damage(path, kManifestHeadBytes, "the body does not match its checksum");
  }

  Decoder in(body);
  Manifest result;
  result.store_id = ToHex(in.Bytes(kStoreIdBytes));
  result.generation = in.Fixed<std::uint64_t>();
  result.created = in.Fixed<std::int64_t>();
  result.sealed_through = in.Fixed<std::uint64_t>();
  result.first_log_file = in.Fixed<std::uint64_t>();
  if (!in.ok() || result.generation == 0 || !DecodeSettings(in, result) ||
      !DecodeSegments(in, result) || in.remaining() != 0) {
    return Status::Damage(path, bytes.size() - in.remaining(), "the body is invalid");
  }
  manifest = std::move(result);
  return Status::Ok();
}

Status ReadManifest(Env& env, const std::string& directory, Manifest& manifest, bool& found) {
  const std::string path = directory + "/" + kManifestName;
  found = env.Exists(path);
  if (!found) return Status::Ok();
  std::vector<std::uint8_t> bytes;
  if (Status status = env.ReadFile(path, bytes); !status.ok()) return status;
  return DecodeManifest(bytes, manifest, path);
}

Status WriteManifest(Env& env, const std::string& directory, const Manifest& manifest) {
  const std::string temporary = directory + "/" + kManifestTemporaryName;
  std::vector<std::uint8_t> bytes;
  EncodeManifest(manifest, bytes);
  std::unique_ptr<WritableFile> file;
  if (Status status = env.NewWritableFile(temporary, file); !status.ok()) return status;
  if (Status status = file->Append(bytes); !status.ok()) return status;
  if (Status status = file->Sync(); !status.ok()) return status;
  if (Status status = file->Close(); !status.ok()) return status;
  if (Status status = env.SyncDirectory(directory); !status.ok()) return status;
  Status status = env.Rename(temporary, directory + "/" + kManifestName);
  return status.ok() ? env.SyncDirectory(directory) : status;
}

}  // namespace dentate::storage
